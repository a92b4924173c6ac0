import { IdSet, IdSetBuilder } from './id-set.js';
import { canonical, type BoundCondition } from '../../query/bound.js';
import { NAME } from '../../query/fields.js';
import { compile, type Values } from '../../query/matches.js';
import type { Change, ChangeFeed } from '../change-tracker.js';
import type { KeyRange } from '../../store/engine.js';
import { idInEntry } from '../../store/entries.js';
import {
  entriesOf,
  entriesStartingWith,
  entriesWith,
  entryPrefix,
  idInNameKey,
  isCut,
  nameInEntry,
  nameKey,
  namesOf,
  prefixInEntry,
  VALUE_BYTES_MAX,
  valueInEntry,
} from '../../store/keys.js';
import type { Row } from '../../store/index-record.js';
import type { ReadView } from '../../store/store.js';
import type { Table, TableIndex } from '../../store/table.js';
import { visitIds } from './posting-list-ids.js';
import type { ValueColumns } from './posting-list-cache.js';
import { chunksOf, paced, readRows } from '../index-scan.js';

/** A condition on one index or on the name: what a set is kept for. */
type Leaf = Exclude<BoundCondition, { readonly op: 'all' | 'none' | 'and' | 'or' | 'not' }>;

type All = { readonly op: 'all' };

/** One snapshot of one table, and what was counted while it was read. */
export interface Scope {
  readonly view: ReadView;
  readonly table: Table;
  readonly feed: ChangeFeed;
  /** Of the table's last change in the snapshot. */
  readonly revision: number;
  readonly stats: ReadStats;
}

/** What answering a list read; for `explain` and for tests. */
export interface ReadStats {
  /** Index entries. */
  entries: number;
  /** Rows of single objects. */
  rows: number;
  /** How the matches were found, part by part. */
  readonly filters: FilterRead[];
}

/** How the matches of one part of a condition were found. */
export interface FilterRead {
  readonly condition: BoundCondition;
  /**
   * `memory`: a set kept from an earlier list, or of a value column; `index`: read from the index; `rows`: decided
   * object by object.
   */
  readonly from: 'memory' | 'index' | 'rows';
  /** Matches of this part alone, or of those looked at. */
  readonly matches: number;
}

/** Matches that are told apart by their rows rather than by reading a whole index. */
const ROWS_MAX = 1_000;
/** So many ids of a value column are taken in less time than one row is read. */
const IDS_PER_ROW = 100;
/** Entries counted to see whether a part of a condition has few matches. */
const ESTIMATE_MAX = 500;
/** `in` with more values is kept as a whole. */
const VALUES_APART_MAX = 32;
/** Composed sets that are kept, for the next page of the same list. */
const COMPOSED_MAX = 32;

interface Kept {
  /** Never changed, for answers under way may still look at it. */
  readonly set: IdSet;
  readonly revision: number;
}

/**
 * The matches of conditions as sets of object ids. Sets of single conditions are kept in memory, least recently
 * used ones go first, and are brought up to date by the changes since; nothing of them is stored.
 */
export class MatchSets {
  private readonly kept = new Map<string, Kept>();
  private bytes = 0;
  private readonly composed = new Map<string, { readonly set: IdSet; readonly revision: number }>();

  /** @param values where sets that are not kept are taken from before their index is read */
  constructor(
    private readonly bytesMax: number,
    private readonly values: ValueColumns,
  ) {}

  /** Ids of all objects that meet the condition in the scope's snapshot. The set must not be changed. */
  async find(scope: Scope, condition: BoundCondition): Promise<IdSet> {
    const isComposed = condition.op === 'and' || condition.op === 'or' || condition.op === 'not';
    if (!isComposed) return this.evaluate(scope, condition);
    const key = canonical(condition);
    const known = this.composed.get(key);
    if (known?.revision === scope.revision) {
      scope.stats.filters.push({ condition, from: 'memory', matches: known.set.size });
      return known.set;
    }
    const set = await this.evaluate(scope, condition);
    this.composed.delete(key);
    this.composed.set(key, { set, revision: scope.revision });
    this.dropComposed();
    return set;
  }

  /** Composed sets are quickly made again: they may take a quarter of the memory. */
  private dropComposed(): void {
    let bytes = 0;
    for (const { set } of this.composed.values()) bytes += set.bytes;
    for (const [key, { set }] of this.composed) {
      if (bytes <= this.bytesMax / 4 && this.composed.size <= COMPOSED_MAX) return;
      this.composed.delete(key);
      bytes -= set.bytes;
    }
  }

  private async evaluate(scope: Scope, condition: BoundCondition): Promise<IdSet> {
    switch (condition.op) {
      case 'none':
        return new IdSet();
      case 'and':
        return this.intersect(scope, condition.of);
      case 'or': {
        const sets: IdSet[] = [];
        for (const part of condition.of) sets.push(await this.find(scope, part));
        return IdSet.union(sets);
      }
      case 'not':
        return (await this.leaf(scope, { op: 'all' })).andNot(await this.find(scope, condition.of));
      case 'in':
        return this.anyOf(scope, condition);
      default:
        return this.leaf(scope, condition);
    }
  }

  /** A few values are kept one by one: other lists ask for them in other combinations. */
  private async anyOf(scope: Scope, condition: Extract<Leaf, { readonly op: 'in' }>): Promise<IdSet> {
    const { index, values } = condition;
    if (index === NAME || values.length === 1 || values.length > VALUES_APART_MAX)
      return this.leaf(scope, condition);
    const sets: IdSet[] = [];
    for (const value of values) sets.push(await this.leaf(scope, { op: 'in', index, values: [value] }));
    return scope.table.indexes[index]?.multi === false ? IdSet.unionOfDisjoint(sets) : IdSet.union(sets);
  }

  /** Begins with what is at hand or small; what is left of few matches is decided by their rows. */
  private async intersect(scope: Scope, parts: readonly BoundCondition[]): Promise<IdSet> {
    const rest = new Set(parts);
    let found: IdSet | undefined;
    const take = async (part: BoundCondition): Promise<void> => {
      rest.delete(part);
      if (part.op === 'not') {
        const base = found ?? (await this.leaf(scope, { op: 'all' }));
        found = base.andNot(await this.find(scope, part.of));
      } else {
        const set = await this.find(scope, part);
        found = found === undefined ? set : found.and(set);
      }
    };
    for (const part of await this.fewestFirst(scope, parts)) {
      if (found !== undefined && found.size <= ROWS_MAX && !this.isAtHand(scope, part, found.size)) continue;
      await take(part);
    }
    const matches = found ?? new IdSet();
    return rest.size === 0 ? matches : filterByRows(scope, matches, { op: 'and', of: [...rest] });
  }

  /** Parts whose matches are few come first, parts that exclude come last. */
  private async fewestFirst(scope: Scope, parts: readonly BoundCondition[]): Promise<BoundCondition[]> {
    const sized: { readonly part: BoundCondition; readonly size: number }[] = [];
    for (const part of parts) sized.push({ part, size: await this.estimate(scope, part) });
    return sized.sort((a, b) => a.size - b.size).map(({ part }) => part);
  }

  private async estimate(scope: Scope, part: BoundCondition): Promise<number> {
    const kept = this.kept.get(canonical(part));
    if (kept !== undefined) return kept.set.size;
    if (part.op === 'not') return Infinity;
    if (part.op === 'in' && part.index === NAME) return part.values.length;
    const inColumn = this.values.sizeOf(scope, part);
    if (inColumn !== undefined) return inColumn;
    const ranges = isLeaf(part) ? exactRanges(scope.table, part) : undefined;
    if (ranges === undefined) return Number.MAX_SAFE_INTEGER;
    let entries = 0;
    for (const range of ranges) {
      const found = await scope.view.snapshot.scan(range, { limit: ESTIMATE_MAX - entries });
      entries += found.length;
      if (entries >= ESTIMATE_MAX) return Number.MAX_SAFE_INTEGER / 2;
    }
    return entries;
  }

  /** Whether a part's matches are sooner had than the rows of so many objects. */
  private isAtHand(scope: Scope, part: BoundCondition, rows: number): boolean {
    const condition = part.op === 'not' ? part.of : part;
    if (this.kept.has(canonical(condition))) return true;
    const size = this.values.sizeOf(scope, condition);
    return size !== undefined && size <= rows * IDS_PER_ROW;
  }

  private async leaf(scope: Scope, leaf: Leaf | All): Promise<IdSet> {
    const key = canonical(leaf);
    const known = this.kept.get(key);
    if (known !== undefined && known.revision > scope.revision) return build(scope, leaf);
    const changes = known && scope.feed.between(known.revision, scope.revision);
    const inMemory =
      known === undefined || changes === undefined
        ? this.values.find(scope, leaf)
        : changed(known.set, changes, predicate(scope.table, leaf));
    const set = inMemory ?? (await build(scope, leaf));
    if (inMemory === undefined) this.values.noteMiss(scope, leaf, set.size);
    this.keep(key, { set, revision: scope.revision });
    const from = inMemory === undefined ? 'index' : 'memory';
    scope.stats.filters.push({ condition: leaf, from, matches: set.size });
    return set;
  }

  private keep(key: string, kept: Kept): void {
    const before = this.kept.get(key)?.set;
    if (before !== kept.set) this.bytes += kept.set.bytes - (before?.bytes ?? 0);
    this.kept.delete(key);
    this.kept.set(key, kept);
    for (const [oldest, { set }] of this.kept) {
      if (this.bytes <= this.bytesMax || oldest === key) return;
      this.kept.delete(oldest);
      this.bytes -= set.bytes;
    }
  }
}

function changed(set: IdSet, changes: readonly Change[], holds: (name: string, row: Row) => boolean): IdSet {
  if (changes.length === 0) return set;
  const next = set.clone();
  for (const { name, before, after } of changes) {
    if (before !== undefined) next.delete(before.id);
    if (after !== undefined && holds(name, after)) next.add(after.id);
  }
  return next;
}

function isLeaf(condition: BoundCondition): condition is Leaf {
  return !['all', 'none', 'and', 'or', 'not'].includes(condition.op);
}

/** Whether an object meets a condition, by its name and row. */
export function predicate(table: Table, condition: BoundCondition): (name: string, row: Row) => boolean {
  const holds = compile(condition);
  return (name, row) => {
    const values: Values = (position) => {
      if (position === NAME) return [Buffer.from(name)];
      const index = table.indexes[position];
      return index === undefined ? [] : (row.values.get(index.id) ?? []);
    };
    return holds(values);
  };
}

/** Names of objects by their ids, in the same order; ids of objects that are gone are left out. */
export async function readNames(scope: Scope, ids: readonly number[]): Promise<string[]> {
  const keys = ids.map((id) => nameKey(scope.table.modelId, id));
  const names: string[] = [];
  await scope.view.snapshot.visitMany(keys, (name) => {
    if (name !== undefined) names.push(name.toString('latin1'));
  });
  return names;
}

async function filterByRows(scope: Scope, ids: IdSet, condition: BoundCondition): Promise<IdSet> {
  const list: number[] = [];
  ids.forEach((id) => list.push(id));
  const names = await readNames(scope, list);
  const rows = await readRows(scope.view.snapshot, scope.table, names);
  scope.stats.rows += rows.length;
  const holds = predicate(scope.table, condition);
  const kept = rows.filter((row, i) => row !== undefined && holds(names[i] ?? '', row));
  scope.stats.filters.push({ condition, from: 'rows', matches: kept.length });
  return IdSet.of(kept.flatMap((row) => (row === undefined ? [] : [row.id])));
}

// ---- building a set from the index ---------------------------------------------------------------------

async function build(scope: Scope, leaf: Leaf | All): Promise<IdSet> {
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
function exactRanges(table: Table, leaf: Leaf): KeyRange[] | undefined {
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
    case 'range':
    case 'text':
      return undefined;
  }
}

/** Ids of the objects that have entries in the ranges. */
export async function readIds(scope: Scope, ranges: readonly KeyRange[]): Promise<IdSet> {
  const builder = new IdSetBuilder();
  for (const range of ranges) {
    const reads = visitIds(scope.view.snapshot, range, (id) => builder.add(id));
    for await (const entries of paced(reads)) scope.stats.entries += entries;
  }
  return builder.done();
}

async function allIds(scope: Scope): Promise<IdSet> {
  const builder = new IdSetBuilder();
  for await (const pairs of paced(chunksOf(scope.view.snapshot, namesOf(scope.table.modelId)))) {
    scope.stats.entries += pairs.length;
    for (const { key } of pairs) builder.add(idInNameKey(key));
  }
  return builder.done();
}

async function byName(scope: Scope, leaf: Leaf): Promise<IdSet> {
  const { snapshot } = scope.view;
  if (leaf.op === 'in') {
    const names = leaf.values
      .map((value) => value.toString())
      .filter((name) => Buffer.byteLength(name) <= 253);
    const rows = await readRows(snapshot, scope.table, names);
    scope.stats.rows += rows.length;
    return IdSet.of(rows.flatMap((row) => (row === undefined ? [] : [row.id])));
  }
  const holds = compile(leaf);
  const builder = new IdSetBuilder();
  for await (const pairs of paced(chunksOf(snapshot, namesOf(scope.table.modelId)))) {
    scope.stats.entries += pairs.length;
    for (const { key, value } of pairs) if (holds(() => [value])) builder.add(idInNameKey(key));
  }
  return builder.done();
}

/** Looks at each value of the index once, in the part of it where matches can be. */
async function byValue(scope: Scope, leaf: Leaf, index: TableIndex): Promise<IdSet> {
  const holds = compile(leaf);
  const builder = new IdSetBuilder();
  const undecided: string[] = [];
  let value: Buffer | undefined;
  let matches = false;
  for await (const pairs of paced(chunksOf(scope.view.snapshot, boundsOf(leaf, index)))) {
    scope.stats.entries += pairs.length;
    for (const { key, value: entry } of pairs) {
      if (isCut(key, index.keyType)) {
        undecided.push(nameInEntry(key, index.keyType));
        continue;
      }
      const prefix = prefixInEntry(key, index.keyType);
      if (value === undefined || !prefix.equals(value)) {
        const decoded = valueInEntry(key, index.keyType);
        value = prefix;
        matches = decoded !== undefined && holds(() => [decoded]);
      }
      if (matches) builder.add(idInEntry(entry));
    }
  }
  const found = builder.done();
  return undecided.length === 0 ? found : found.or(await ofNames(scope, leaf, [...new Set(undecided)]));
}

async function ofNames(scope: Scope, leaf: Leaf, names: readonly string[]): Promise<IdSet> {
  const rows = await readRows(scope.view.snapshot, scope.table, names);
  scope.stats.rows += rows.length;
  const holds = predicate(scope.table, leaf);
  return IdSet.of(
    rows.flatMap((row, i) => (row !== undefined && holds(names[i] ?? '', row) ? [row.id] : [])),
  );
}

/** Values below this are never cut, however many zero bytes they hold. */
const LONG_BYTES = VALUE_BYTES_MAX / 2;

/** The part of an index that can hold matches of a range; cut values at its ends stay inside. */
function boundsOf(leaf: Leaf, index: TableIndex): KeyRange {
  const whole = entriesOf(index.id);
  if (leaf.op !== 'range') return whole;
  const { from, to } = leaf;
  const start = from === undefined ? whole.start : entryPrefix(index.id, index.keyType, from.value);
  const end = to === undefined ? whole.end : entriesWith(index.id, index.keyType, to.value).end;
  // Among values that were cut at the same bytes, entries are in the order of their hashes.
  const isLong = (value: Buffer | undefined): boolean => value !== undefined && value.length >= LONG_BYTES;
  return isLong(from?.value) || isLong(to?.value) ? whole : { start, end };
}
