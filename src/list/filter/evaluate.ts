import { readU48 } from '../../lib/bytes.js';
import { yieldBetween } from '../../lib/yield.js';
import type { BoundCondition, BoundLimit } from '../../query/bound.js';
import { NAME } from '../../query/fields.js';
import { compile, type Values } from '../../query/matches.js';
import type { KeyRange } from '../../store/engine.js';
import type { IndexRecord } from '../../store/index-record.js';
import {
  entriesOf,
  entriesStartingWith,
  entriesWith,
  entryPrefix,
  idInEntry,
  isCut,
  nameInKey,
  namesOf,
  prefixInEntry,
  VALUE_BYTES_MAX,
  valueInEntry,
} from '../../store/keys.js';
import { chunksOf, readIndexRecords } from '../../store/scan.js';
import type { Table, TableIndex } from '../../store/table.js';
import type { Scope } from '../scope.js';
import { IdSet, IdSetBuilder } from './id-set.js';
import { visitIds } from './posting-list-ids.js';

/** A condition on one index or on the name: what a set is kept for. */
export type Leaf = Exclude<BoundCondition, { readonly op: 'all' | 'none' | 'and' | 'or' | 'not' }>;

export type All = { readonly op: 'all' };

export function isLeaf(condition: BoundCondition): condition is Leaf {
  return !['all', 'none', 'and', 'or', 'not'].includes(condition.op);
}

/** Whether an object meets a condition, by its index record. */
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

export async function filterByRecords(scope: Scope, ids: IdSet, condition: BoundCondition): Promise<IdSet> {
  const list: number[] = [];
  ids.forEach((id) => list.push(id));
  const kept = await matchesAmong(scope, list, condition);
  scope.stats.filters.push({ condition, from: 'records', matches: kept.size });
  return kept;
}

/** Those of some objects that meet a condition, by their index records. */
async function matchesAmong(scope: Scope, ids: readonly number[], condition: BoundCondition): Promise<IdSet> {
  const records = await readIndexRecords(scope.view.snapshot, scope.table, ids);
  scope.stats.records += records.length;
  const holds = predicate(scope.table, condition);
  return IdSet.of(records.flatMap((record) => (record !== undefined && holds(record) ? [record.id] : [])));
}

/** Reads the matches of a condition from its index. */
export async function build(scope: Scope, leaf: Leaf | All): Promise<IdSet> {
  if (leaf.op === 'all') return allIds(scope);
  if (leaf.index === NAME) return byName(scope, leaf);
  const ranges = exactRanges(scope.table, leaf);
  if (ranges !== undefined) return readIds(scope, ranges);
  const index = scope.table.indexes[leaf.index];
  if (index === undefined) return new IdSet();
  if (leaf.op === 'isNull') {
    // A sparse index has no entries of objects without a value.
    return (await allIds(scope)).andNot(await readIds(scope, [entriesOf(index.id)]));
  }
  return byValue(scope, leaf, index);
}

/** Where the entries of exactly the leaf's matches stand; undefined when the values have to be looked at. */
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

/** Undefined when a limit is so long that its place among values that were cut is not told by the keys. */
export function rangeOfValues(
  { from, to }: Leaf & { readonly op: 'range' },
  index: TableIndex,
): KeyRange | undefined {
  if (isLong(from?.value) || isLong(to?.value)) return undefined;
  const entries = ({ value }: BoundLimit): KeyRange => entriesWith(index.id, index.keyType, value);
  const absent = entriesWith(index.id, index.keyType, undefined);
  const start = from === undefined ? absent.end : from.inclusive ? entries(from).start : entries(from).end;
  const end = to === undefined ? entriesOf(index.id).end : to.inclusive ? entries(to).end : entries(to).start;
  return { start, end };
}

/** Ids of the objects that have entries in the ranges. */
export async function readIds(scope: Scope, ranges: readonly KeyRange[]): Promise<IdSet> {
  const builder = new IdSetBuilder();
  for (const range of ranges) {
    const reads = visitIds(scope.view.snapshot, range, (id) => builder.add(id));
    for await (const entries of yieldBetween(reads)) scope.stats.entries += entries;
  }
  return builder.done();
}

async function allIds(scope: Scope): Promise<IdSet> {
  const builder = new IdSetBuilder();
  for await (const pairs of yieldBetween(chunksOf(scope.view.snapshot, namesOf(scope.table.modelId)))) {
    scope.stats.entries += pairs.length;
    for (const { value } of pairs) builder.add(readU48(value));
  }
  return builder.done();
}

async function byName(scope: Scope, leaf: Leaf): Promise<IdSet> {
  const { snapshot } = scope.view;
  if (leaf.op === 'in') {
    const names = leaf.values.map((value) => value.toString());
    const ids = await scope.view.findIds(scope.table, names);
    scope.stats.entries += ids.length;
    return IdSet.of(ids.filter((id) => id !== undefined));
  }
  const holds = compile(leaf);
  const builder = new IdSetBuilder();
  for await (const pairs of yieldBetween(chunksOf(snapshot, namesOf(scope.table.modelId)))) {
    scope.stats.entries += pairs.length;
    for (const { key, value } of pairs) {
      if (holds(() => [Buffer.from(nameInKey(key))])) builder.add(readU48(value));
    }
  }
  return builder.done();
}

/** Looks at each value of the index once, in the part of it where matches can be. */
async function byValue(scope: Scope, leaf: Leaf, index: TableIndex): Promise<IdSet> {
  const holds = compile(leaf);
  const builder = new IdSetBuilder();
  const undecided: number[] = [];
  let value: Buffer | undefined;
  let matches = false;
  for await (const pairs of yieldBetween(chunksOf(scope.view.snapshot, boundsOf(leaf, index)))) {
    scope.stats.entries += pairs.length;
    for (const { key } of pairs) {
      if (isCut(key, index.keyType)) {
        undecided.push(idInEntry(key));
        continue;
      }
      const prefix = prefixInEntry(key);
      if (value === undefined || !prefix.equals(value)) {
        const decoded = valueInEntry(key, index.keyType);
        value = prefix;
        matches = decoded !== undefined && holds(() => [decoded]);
      }
      if (matches) builder.add(idInEntry(key));
    }
  }
  const found = builder.done();
  return undecided.length === 0 ? found : found.or(await matchesAmong(scope, [...new Set(undecided)], leaf));
}

/** Values below this are never cut, however many zero bytes they hold. */
const LONG_BYTES = VALUE_BYTES_MAX / 2;

function isLong(value: Buffer | undefined): boolean {
  return value !== undefined && value.length >= LONG_BYTES;
}

/** The part of an index that can hold matches of a range; cut values at its ends stay inside. */
function boundsOf(leaf: Leaf, index: TableIndex): KeyRange {
  const whole = entriesOf(index.id);
  if (leaf.op === 'text' && leaf.after !== undefined) {
    return entriesStartingWith(index.id, leaf.after) ?? whole;
  }
  if (leaf.op !== 'range') return whole;
  const { from, to } = leaf;
  const start = from === undefined ? whole.start : entryPrefix(index.id, index.keyType, from.value);
  const end = to === undefined ? whole.end : entriesWith(index.id, index.keyType, to.value).end;
  // Among values that were cut at the same bytes, entries are in the order of their hashes.
  return isLong(from?.value) || isLong(to?.value) ? whole : { start, end };
}
