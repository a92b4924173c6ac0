import { Yielder, yieldBetween } from '../../lib/work/yield.js';
import type { BoundCondition } from '../../query/bound-condition.js';
import { NAME } from '../../query/fields.js';
import { compile, type Values } from '../../query/compile.js';
import type { KeyRange } from '../../store/engine.js';
import type { IndexRecord } from '../../store/index/index-record.js';
import {
  allEntries,
  entriesBetween,
  entriesOfValue,
  entriesWithPrefix,
  visitIds,
} from '../../store/index/index-reader.js';
import { walkNames } from '../../store/index/names.js';
import { CHUNK, readIndexRecords } from '../../store/index/scan.js';
import type { Table } from '../../store/table.js';
import type { ListScope } from '../scope.js';
import { IdSet, IdSetBuilder } from './id-set.js';

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
  scope.stats.begin({ for: 'filter', conditions: [condition] });
  const holds = predicate(scope.table, condition);
  const kept: number[] = [];
  await visitIndexRecords(scope, ids.toArray(), (record) => {
    if (holds(record)) kept.push(record.id);
  });
  const set = IdSet.of(kept);
  scope.stats.filters.push({ condition, from: 'records', matches: set.size });
  return set;
}

/** Calls back with the index records of objects, in the order of the ids; skips those that are gone. */
export async function visitIndexRecords(
  { view, table, stats }: ListScope,
  ids: readonly number[],
  visit: (record: IndexRecord) => void,
): Promise<void> {
  const yielder = new Yielder(stats.work);
  for (let at = 0; at < ids.length; at += CHUNK) {
    const records = await readIndexRecords(view.snapshot, table, ids.slice(at, at + CHUNK));
    stats.addRecords(records.length);
    for (const record of records) {
      if (record !== undefined) visit(record);
      if (yielder.isDue) await yielder.take();
    }
  }
}

/** Reads the matches of a condition from its index. Not for conditions that need a pass over values. */
export async function build(scope: ListScope, leaf: Leaf | All): Promise<IdSet> {
  scope.stats.begin({ for: 'filter', conditions: [leaf] });
  if (leaf.op === 'all') return idsOfNames(scope);
  if (leaf.index === NAME) return buildFromNames(scope, leaf);
  const index = scope.table.indexes[leaf.index];
  if (index === undefined) return new IdSet();
  const ranges = exactRanges(scope.table, leaf);
  if (ranges !== undefined) return readIds(scope, ranges);
  // A sparse index has no entries for objects without a value.
  return (await idsOfNames(scope)).andNot(await readIds(scope, [allEntries(index)]));
}

/** The ranges with exactly the entries of the leaf's matches; undefined when the values must be read. */
export function exactRanges(table: Table, leaf: Leaf): KeyRange[] | undefined {
  const index = table.indexes[leaf.index];
  if (index === undefined) return undefined;
  switch (leaf.op) {
    case 'in':
      if (leaf.targets?.areMany === true) return undefined;
      return leaf.values.map((value) => entriesOfValue(index, value));
    case 'isNull':
      return index.sparse ? undefined : [entriesOfValue(index, undefined)];
    case 'prefix': {
      const range = entriesWithPrefix(index, leaf.prefix);
      return range === undefined ? undefined : [range];
    }
    case 'range': {
      const range = entriesBetween(index, leaf.from, leaf.to);
      return range === undefined ? undefined : [range];
    }
    case 'text':
    case 'any':
      return undefined;
  }
}

/** Ids of the objects with entries in the ranges. */
export async function readIds(scope: ListScope, ranges: readonly KeyRange[]): Promise<IdSet> {
  const builder = new IdSetBuilder();
  const reads = visitIds(scope.view.snapshot, ranges, (id) => builder.add(id));
  for await (const entries of yieldBetween(reads, scope.stats.work)) scope.stats.addEntries(entries);
  return builder.done();
}

function buildFromNames(scope: ListScope, leaf: Leaf): Promise<IdSet> {
  if (leaf.op === 'in') return named(scope, leaf);
  return leaf.op === 'prefix' ? idsOfNames(scope, leaf.prefix.toString()) : Promise.resolve(new IdSet());
}

/** Ids of the objects whose names begin with a prefix. Default: of all objects. */
async function idsOfNames(scope: ListScope, prefix = ''): Promise<IdSet> {
  const builder = new IdSetBuilder();
  const onRead = (pairs: number): void => scope.stats.addEntries(pairs);
  const names = walkNames(scope.view.snapshot, scope.table, { direction: 'asc', prefix, onRead });
  for await (const ids of yieldBetween(names, scope.stats.work)) for (const id of ids) builder.add(id);
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
