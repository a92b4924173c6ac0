import { readU48 } from '../../lib/bytes.js';
import { Yielder, yieldBetween } from '../../lib/work/yield.js';
import { NAME } from '../../query/fields.js';
import { IndexedValue, type ValueTest, valueTest } from '../../query/compile.js';
import type { KeyPlace, KeyRange, VisitPair } from '../../store/engine.js';
import type { IndexRecord } from '../../store/index/index-record.js';
import {
  afterKey,
  idInEntry,
  isCut,
  isPrefixInEntry,
  getNames,
  nameBytesInPlace,
  prefixInPlace,
  valueOfRun,
} from '../../store/index/keys.js';
import { CHUNK, readIndexRecords } from '../../store/index/scan.js';
import type { TableIndex } from '../../store/table.js';
import type { ListScope } from '../scope.js';
import { getBounds, exactRanges, type Leaf, predicate } from './evaluate.js';
import { type IdSet, IdSetBuilder } from './id-set.js';

/** Values that are tested in one step. */
const VALUES_CHUNK = 1_000;
/** Most conditions in one pass; bounds the memory of their sets. */
export const PASS_CONDITIONS_MAX = 64;

/**
 * A pass over each distinct value in a part of an index, or over each name, which decides a condition. One pass can
 * decide several conditions on the same part.
 */
export interface ValuePass {
  /** Undefined for the names. */
  readonly index: TableIndex | undefined;
  readonly range: KeyRange;
  /** Identifies the part of the index. */
  readonly key: string;
}

/** Undefined when the keys of the index determine the matches of the condition. */
export function findValuePass({ table }: Pick<ListScope, 'table'>, leaf: Leaf): ValuePass | undefined {
  if (leaf.index === NAME) {
    return leaf.op === 'in' ? undefined : { index: undefined, range: getNames(table.modelId), key: 'names' };
  }
  const index = table.indexes[leaf.index];
  if (index === undefined || leaf.op === 'isNull' || exactRanges(table, leaf) !== undefined) return undefined;
  const range = getBounds(leaf, index);
  return { index, range, key: `${hex(range.start)}-${hex(range.end)}` };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/**
 * The matches of conditions that share a pass, in their order. The part is read once, and each of its values is
 * decoded once and tested by all conditions.
 */
export async function runPass(scope: ListScope, pass: ValuePass, leaves: readonly Leaf[]): Promise<IdSet[]> {
  scope.stats.begin({ for: 'filter', conditions: leaves });
  const tests = new PassTests(leaves);
  const undecided = new Set<number>();
  const { index } = pass;
  const visit = index === undefined ? nameVisit(tests) : valueVisit(index, tests, undecided);
  for await (const entries of yieldBetween(read(scope, pass.range, visit), scope.stats.work))
    scope.stats.addEntries(entries);
  await decideByRecords(scope, tests, [...undecided]);
  return tests.sets();
}

/** Conditions, and the ids of their matches so far. */
class PassTests {
  private readonly all: readonly {
    readonly leaf: Leaf;
    readonly holds: ValueTest;
    readonly ids: IdSetBuilder;
  }[];
  /** The builders of the conditions that the present value meets. */
  private met: readonly IdSetBuilder[] = [];

  constructor(leaves: readonly Leaf[]) {
    this.all = leaves.map((leaf) => ({ leaf, holds: valueTest(leaf), ids: new IdSetBuilder() }));
  }

  /** @param bytes undefined for objects without a value */
  begin(bytes: Uint8Array | undefined): void {
    const met: IdSetBuilder[] = [];
    if (bytes !== undefined) {
      const value = new IndexedValue(bytes);
      for (const { holds, ids } of this.all) if (holds(value)) met.push(ids);
    }
    this.met = met;
  }

  /** Adds an object that has the present value. */
  add(id: number): void {
    for (const ids of this.met) ids.add(id);
  }

  /** Returns a function that adds objects by their index records. */
  byRecord(scope: ListScope): (record: IndexRecord) => void {
    const all = this.all.map(({ leaf, ids }) => ({ holds: predicate(scope.table, leaf), ids }));
    return (record) => {
      for (const { holds, ids } of all) if (holds(record)) ids.add(record.id);
    };
  }

  sets(): IdSet[] {
    return this.all.map(({ ids }) => ids.done());
  }
}

/** Yields the number of pairs read, chunk by chunk. */
async function* read(scope: ListScope, range: KeyRange, visit: VisitPair): AsyncGenerator<number> {
  const { snapshot } = scope.view;
  for (let rest = range; ;) {
    let pairs = 0;
    const last = await snapshot.scanInPlace(rest, { limit: VALUES_CHUNK }, (value, place) => {
      pairs++;
      return visit(value, place);
    });
    yield pairs;
    if (last === undefined) return;
    rest = afterKey(rest, last);
  }
}

function nameVisit(tests: PassTests): VisitPair {
  return (id, place) => {
    tests.begin(nameBytesInPlace(place));
    tests.add(readU48(id));
    return true;
  };
}

/** @param undecided receives objects with cut values: their entries do not have the whole value */
function valueVisit({ keyType }: TableIndex, tests: PassTests, undecided: Set<number>): VisitPair {
  let prefix: Buffer | undefined;
  let isWhole = true;
  const begin = (place: KeyPlace): void => {
    prefix = prefixInPlace(place);
    isWhole = !isCut(prefix, keyType);
    if (isWhole) tests.begin(valueOfRun(prefix, keyType));
  };
  return (_value, place) => {
    if (prefix === undefined || !isPrefixInEntry(place, prefix)) begin(place);
    const id = idInEntry(place.bytes, place.end);
    if (isWhole) tests.add(id);
    else undecided.add(id);
    return true;
  };
}

async function decideByRecords(scope: ListScope, tests: PassTests, ids: readonly number[]): Promise<void> {
  const breaks = new Yielder(scope.stats.work);
  const add = tests.byRecord(scope);
  for (let at = 0; at < ids.length; at += CHUNK) {
    const records = await readIndexRecords(scope.view.snapshot, scope.table, ids.slice(at, at + CHUNK));
    scope.stats.addRecords(records.length);
    for (const record of records) {
      if (record !== undefined) add(record);
      if (breaks.isDue) await breaks.take();
    }
  }
}
