import { yieldBetween } from '../../lib/work/yield.js';
import { NAME } from '../../query/fields.js';
import { IndexedValue, type ValueTest, valueTest } from '../../query/compile.js';
import type { KeyRange, VisitPair } from '../../store/engine.js';
import type { IndexRecord } from '../../store/index/index-record.js';
import {
  allEntries,
  decodeKey,
  entriesAroundPrefix,
  entryId,
  isCutValue,
  valueAt,
  type ValueKey,
} from '../../store/index/index-reader.js';
import { allNames, idOfName, nameAt } from '../../store/index/names.js';
import { visitChunks } from '../../store/index/scan.js';
import type { TableIndex } from '../../store/table.js';
import type { ListScope } from '../scope.js';
import { exactRanges, type Leaf, predicate, visitIndexRecords } from './evaluate.js';
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
    return leaf.op === 'in' || leaf.op === 'prefix'
      ? undefined
      : { index: undefined, range: allNames(table), key: 'names' };
  }
  const index = table.indexes[leaf.index];
  if (index === undefined || leaf.op === 'isNull' || exactRanges(table, leaf) !== undefined) return undefined;
  const range =
    leaf.op === 'text' && leaf.after !== undefined
      ? entriesAroundPrefix(index, leaf.after)
      : allEntries(index);
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
  const undecided = await visitValues(scope, pass, tests);
  await visitIndexRecords(scope, [...undecided], tests.byRecord(scope));
  return tests.sets();
}

/** Receives values, each followed by its objects. */
export interface ValueVisitor {
  /** @param bytes undefined for objects without a value, and for a value that is cut; only valid during the call */
  begin(bytes: Uint8Array | undefined): void;
  add(id: number): void;
}

/**
 * Reads the values of a part of an index, in their order.
 * @returns objects with cut values: their entries do not have the whole value
 */
export async function visitValues(
  { view, stats }: ListScope,
  { index, range }: Omit<ValuePass, 'key'>,
  visitor: ValueVisitor,
): Promise<ReadonlySet<number>> {
  const undecided = new Set<number>();
  let entries = 0;
  const see = index === undefined ? nameVisit(visitor) : valueVisit(index, visitor, undecided);
  const visit: VisitPair = (value, place) => {
    entries++;
    return see(value, place);
  };
  const chunks = visitChunks(view.snapshot, range, { limit: VALUES_CHUNK }, visit);
  for await (const _ of yieldBetween(chunks, stats.work)) {
    stats.addEntries(entries);
    entries = 0;
  }
  return undecided;
}

/** Conditions, and the ids of their matches so far. */
class PassTests implements ValueVisitor {
  readonly #all: readonly {
    readonly leaf: Leaf;
    readonly holds: ValueTest;
    readonly ids: IdSetBuilder;
  }[];
  /** The builders of the conditions that the present value meets. */
  #met: readonly IdSetBuilder[] = [];

  constructor(leaves: readonly Leaf[]) {
    this.#all = leaves.map((leaf) => ({ leaf, holds: valueTest(leaf), ids: new IdSetBuilder() }));
  }

  begin(bytes: Uint8Array | undefined): void {
    const met: IdSetBuilder[] = [];
    if (bytes !== undefined) {
      const value = new IndexedValue(bytes);
      for (const { holds, ids } of this.#all) if (holds(value)) met.push(ids);
    }
    this.#met = met;
  }

  /** Adds an object that has the present value. */
  add(id: number): void {
    for (const ids of this.#met) ids.add(id);
  }

  /** Returns a function that adds objects by their index records. */
  byRecord(scope: ListScope): (record: IndexRecord) => void {
    const all = this.#all.map(({ leaf, ids }) => ({ holds: predicate(scope.table, leaf), ids }));
    return (record) => {
      for (const { holds, ids } of all) if (holds(record)) ids.add(record.id);
    };
  }

  sets(): IdSet[] {
    return this.#all.map(({ ids }) => ids.done());
  }
}

function nameVisit(visitor: ValueVisitor): VisitPair {
  return (value, place) => {
    visitor.begin(nameAt(place));
    visitor.add(idOfName(value));
    return true;
  };
}

/** @param undecided receives objects with cut values */
function valueVisit(index: TableIndex, visitor: ValueVisitor, undecided: Set<number>): VisitPair {
  let current: ValueKey | undefined;
  let isWhole = true;
  return (_value, place) => {
    const key = valueAt(place, current);
    if (key !== current) {
      current = key;
      isWhole = !isCutValue(index, key);
      visitor.begin(isWhole ? decodeKey(index, key) : undefined);
    }
    const id = entryId(place);
    visitor.add(id);
    if (!isWhole) undecided.add(id);
    return true;
  };
}
