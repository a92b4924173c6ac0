import { readU48 } from '../../lib/bytes.js';
import { Yielder, yieldBetween } from '../../lib/work/yield.js';
import type { BoundCondition, BoundLimit } from '../../query/bound-condition.js';
import { NAME } from '../../query/fields.js';
import { compile } from '../../query/compile.js';
import type { Values } from '../../query/matches.js';
import type { KeyRange } from '../../store/engine.js';
import type { IndexRecord } from '../../store/index/index-record.js';
import {
  getEntries,
  entriesStartingWith,
  entriesWith,
  entryPrefix,
  getNames,
  VALUE_BYTES_MAX,
} from '../../store/index/keys.js';
import { CHUNK, scanChunks, readIndexRecords } from '../../store/index/scan.js';
import type { Table, TableIndex } from '../../store/table.js';
import type { ListScope } from '../scope.js';
import { IdSet, IdSetBuilder } from './id-set.js';
import { visitIds } from './posting-list-ids.js';

/** A condition on one index or on the name; the unit that the set cache stores. */
export type Leaf = Exclude<BoundCondition, { readonly op: 'all' | 'none' | 'and' | 'or' | 'not' }>;

export type All = { readonly op: 'all' };

/** The conditions on single fields in a condition. */
export function getLeaves(condition: BoundCondition): Leaf[] {
  switch (condition.op) {
    case 'all':
    case 'none':
      return [];
    case 'and':
    case 'or':
      return condition.of.flatMap(getLeaves);
    case 'not':
      return getLeaves(condition.of);
    default:
      return [condition];
  }
}

export function isLeaf(condition: BoundCondition): condition is Leaf {
  return !['all', 'none', 'and', 'or', 'not'].includes(condition.op);
}

/** Compiles a condition into a test of index records. */
export function predicate(table: Table, condition: BoundCondition): (record: IndexRecord) => boolean {
  const holds = compile(condition);
  return (record) => {
    const values: Values = (position) => {
      if (position === NAME) return [Buffer.from(record.name)];
      const index = table.indexes[position];
      return index === undefined ? [] : (record.values.get(index.id) ?? []);
    };
    return holds(values);
  };
}

export async function filterByRecords(
  scope: ListScope,
  ids: IdSet,
  condition: BoundCondition,
): Promise<IdSet> {
  const list: number[] = [];
  ids.forEach((id) => list.push(id));
  scope.stats.begin({ for: 'filter', conditions: [condition] });
  const kept = await matchesAmong(scope, list, condition);
  scope.stats.filters.push({ condition, from: 'records', matches: kept.size });
  return kept;
}

/** Selects the ids that meet a condition, by their index records. */
async function matchesAmong(
  scope: ListScope,
  ids: readonly number[],
  condition: BoundCondition,
): Promise<IdSet> {
  const breaks = new Yielder(scope.stats.work);
  const holds = predicate(scope.table, condition);
  const kept: number[] = [];
  for (let at = 0; at < ids.length; at += CHUNK) {
    const records = await readIndexRecords(scope.view.snapshot, scope.table, ids.slice(at, at + CHUNK));
    scope.stats.addRecords(records.length);
    for (const record of records) {
      if (record !== undefined && holds(record)) kept.push(record.id);
      if (breaks.isDue) await breaks.take();
    }
  }
  return IdSet.of(kept);
}

/** Reads the matches of a condition from its index. Not for conditions that need a pass over values. */
export async function build(scope: ListScope, leaf: Leaf | All): Promise<IdSet> {
  scope.stats.begin({ for: 'filter', conditions: [leaf] });
  if (leaf.op === 'all') return allIds(scope);
  if (leaf.index === NAME) return leaf.op === 'in' ? named(scope, leaf) : new IdSet();
  const index = scope.table.indexes[leaf.index];
  if (index === undefined) return new IdSet();
  const ranges = exactRanges(scope.table, leaf);
  if (ranges !== undefined) return readIds(scope, ranges);
  // A sparse index has no entries for objects without a value.
  return (await allIds(scope)).andNot(await readIds(scope, [getEntries(index.id)]));
}

/** The ranges with exactly the entries of the leaf's matches; undefined when the values must be read. */
export function exactRanges(table: Table, leaf: Leaf): KeyRange[] | undefined {
  const index = table.indexes[leaf.index];
  if (index === undefined) return undefined;
  switch (leaf.op) {
    case 'in':
      return leaf.values.map((value) => entriesWith(index.id, index.keyType, value));
    case 'isNull':
      return index.sparse ? undefined : [entriesWith(index.id, index.keyType, undefined)];
    case 'prefix': {
      const range = entriesStartingWith(index.id, leaf.prefix);
      return range === undefined ? undefined : [range];
    }
    case 'range': {
      const range = rangeOfValues(leaf, index);
      return range === undefined ? undefined : [range];
    }
    case 'text':
    case 'any':
      return undefined;
  }
}

/** Undefined when a limit is so long that the keys do not give its position among cut values. */
export function rangeOfValues(
  { from, to }: Leaf & { readonly op: 'range' },
  index: TableIndex,
): KeyRange | undefined {
  if (isLong(from?.value) || isLong(to?.value)) return undefined;
  const entries = ({ value }: BoundLimit): KeyRange => entriesWith(index.id, index.keyType, value);
  const absent = entriesWith(index.id, index.keyType, undefined);
  const start = from === undefined ? absent.end : from.inclusive ? entries(from).start : entries(from).end;
  const end =
    to === undefined ? getEntries(index.id).end : to.inclusive ? entries(to).end : entries(to).start;
  return { start, end };
}

/** Ids of the objects with entries in the ranges. */
export async function readIds(scope: ListScope, ranges: readonly KeyRange[]): Promise<IdSet> {
  const builder = new IdSetBuilder();
  for (const range of ranges) {
    const reads = visitIds(scope.view.snapshot, range, (id) => builder.add(id));
    for await (const entries of yieldBetween(reads, scope.stats.work)) scope.stats.addEntries(entries);
  }
  return builder.done();
}

async function allIds(scope: ListScope): Promise<IdSet> {
  const builder = new IdSetBuilder();
  const chunks = scanChunks(scope.view.snapshot, getNames(scope.table.modelId));
  for await (const pairs of yieldBetween(chunks, scope.stats.work)) {
    scope.stats.addEntries(pairs.length);
    for (const { value } of pairs) builder.add(readU48(value));
  }
  return builder.done();
}

/** Ids of the objects with these names. */
async function named(scope: ListScope, { values }: Leaf & { readonly op: 'in' }): Promise<IdSet> {
  const builder = new IdSetBuilder();
  for (let at = 0; at < values.length; at += CHUNK) {
    const names = values.slice(at, at + CHUNK).map((value) => value.toString());
    const ids = await scope.view.findIds(scope.table, names);
    scope.stats.addEntries(ids.length);
    for (const id of ids) if (id !== undefined) builder.add(id);
  }
  return builder.done();
}

/** Shorter values are never cut, even if all their bytes are zero. */
const LONG_BYTES = VALUE_BYTES_MAX / 2;

function isLong(value: Buffer | undefined): boolean {
  return value !== undefined && value.length >= LONG_BYTES;
}

/** The part of an index that can contain matches; cut values at the ends of a range are included. */
export function getBounds(leaf: Leaf, index: TableIndex): KeyRange {
  const whole = getEntries(index.id);
  if (leaf.op === 'text' && leaf.after !== undefined) {
    return entriesStartingWith(index.id, leaf.after) ?? whole;
  }
  if (leaf.op !== 'range') return whole;
  const { from, to } = leaf;
  const start = from === undefined ? whole.start : entryPrefix(index.id, index.keyType, from.value);
  const end = to === undefined ? whole.end : entriesWith(index.id, index.keyType, to.value).end;
  // Values that are cut at the same bytes are in the order of their hashes.
  return isLong(from?.value) || isLong(to?.value) ? whole : { start, end };
}
