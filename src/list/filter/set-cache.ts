import type { Cache, CacheBudget } from '../../lib/cache-budget.js';
import { type BoundCondition, canonical } from '../../query/bound.js';
import { NAME } from '../../query/fields.js';
import type { IndexRecord } from '../../store/index-record.js';
import type { Table, TableIndex } from '../../store/table.js';
import type { Change } from '../change-tracker.js';
import type { WalkOrder } from '../index-scan.js';
import type { RankCache } from '../order/rank-cache.js';
import type { Scope } from '../scope.js';
import {
  type All,
  build,
  exactRanges,
  filterByRecords,
  isLeaf,
  type Leaf,
  predicate,
  rangeOfValues,
} from './evaluate.js';
import { IdSet } from './id-set.js';
import type { PostingListCache } from './posting-list-cache.js';
import { rangeInRanks } from './range-in-ranks.js';

/** Matches that are told apart by their index records rather than by reading a whole index. */
const RECORDS_MAX = 1_000;
/** So many ids of posting lists are taken in less time than one index record is read. */
const IDS_PER_RECORD = 100;
/** Entries counted to see whether a part of a condition has few matches. */
const ESTIMATE_MAX = 500;
/** A range makes an order be read when it costs so many times what a page does. */
const RANGES_PER_ORDER = 3;
/** `in` with more values is kept as a whole. */
const VALUES_APART_MAX = 32;

/** The orders of a table that are in memory. */
interface OrderCache {
  readonly cacheThresholdEntries: number;
  findRanks(scope: Scope, order: WalkOrder): RankCache | undefined;
  wantRanks(table: Table, order: WalkOrder): void;
}

interface Kept {
  /** Never changed, for answers under way may still look at it. */
  readonly set: IdSet;
  readonly revision: number;
}

/**
 * The matches of conditions as sets of object ids. Sets of single conditions are kept in memory and brought up to date
 * by the changes since; sets of composed ones are kept for the next page of the same list. Nothing of them is stored.
 */
export class FilterSetCache {
  private readonly kept: Cache<Kept>;
  private readonly composed: Cache<Kept>;

  /**
   * @param bytesMax a larger set is not kept
   * @param values where sets that are not kept are taken from before their index is read
   * @param orders where ranges are taken from
   */
  constructor(
    budget: CacheBudget,
    private readonly bytesMax: number,
    private readonly values: PostingListCache,
    private readonly orders: OrderCache,
  ) {
    this.kept = budget.cache('filter-sets');
    this.composed = budget.cache('filter-sets');
  }

  clear(): void {
    this.kept.clear();
    this.composed.clear();
  }

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
    if (set.bytes <= this.bytesMax) this.composed.set(key, { set, revision: scope.revision }, set.bytes);
    return set;
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
    return IdSet.union(sets);
  }

  /** Begins with what is at hand or small; what is left of few matches is decided by their index records. */
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
      if (found !== undefined && found.size <= RECORDS_MAX && !this.isAtHand(scope, part, found.size))
        continue;
      await take(part);
    }
    const matches = found ?? new IdSet();
    return rest.size === 0 ? matches : filterByRecords(scope, matches, { op: 'and', of: [...rest] });
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
    const inLists = this.values.sizeOf(scope, part);
    if (inLists !== undefined) return inLists;
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

  /** Whether a part's matches are sooner had than the index records of so many objects. */
  private isAtHand(scope: Scope, part: BoundCondition, records: number): boolean {
    const condition = part.op === 'not' ? part.of : part;
    if (this.kept.has(canonical(condition))) return true;
    const size = this.values.sizeOf(scope, condition);
    return size !== undefined && size <= records * IDS_PER_RECORD;
  }

  private async leaf(scope: Scope, leaf: Leaf | All): Promise<IdSet> {
    const key = canonical(leaf);
    const known = this.kept.get(key);
    if (known !== undefined && known.revision > scope.revision) return build(scope, leaf);
    const changes = known && scope.feed.between(known.revision, scope.revision);
    const inMemory =
      known === undefined || changes === undefined
        ? (this.values.find(scope, leaf) ?? (await this.inOrder(scope, leaf)))
        : changed(known.set, changes, predicate(scope.table, leaf));
    const set = inMemory ?? (await build(scope, leaf));
    if (inMemory === undefined) this.noteMiss(scope, leaf, set.size);
    this.keep(key, { set, revision: scope.revision });
    const from = inMemory === undefined ? 'index' : 'memory';
    scope.stats.filters.push({ condition: leaf, from, matches: set.size });
    return set;
  }

  /** A range of values, as a part of the order of its index when that is at hand. */
  private async inOrder(scope: Scope, leaf: Leaf | All): Promise<IdSet | undefined> {
    const index = rangedIndex(scope, leaf);
    const range = index && leaf.op === 'range' ? rangeOfValues(leaf, index) : undefined;
    if (index === undefined || range === undefined) return undefined;
    for (const direction of ['asc', 'desc'] as const) {
      const ranks = this.orders.findRanks(scope, { index, direction });
      if (ranks !== undefined) return rangeInRanks(scope, ranks, index, range);
    }
    return undefined;
  }

  private noteMiss(scope: Scope, leaf: Leaf | All, entries: number): void {
    this.values.noteMiss(scope, leaf, entries);
    const index = rangedIndex(scope, leaf);
    if (index === undefined || entries < this.orders.cacheThresholdEntries * RANGES_PER_ORDER) return;
    this.orders.wantRanks(scope.table, { index, direction: 'asc' });
  }

  private keep(key: string, kept: Kept): void {
    if (kept.set.bytes <= this.bytesMax) this.kept.set(key, kept, kept.set.bytes);
    else this.kept.delete(key);
  }
}

/** The index of a range, if each object has one entry in it. */
function rangedIndex({ table }: Scope, leaf: Leaf | All): TableIndex | undefined {
  const index = leaf.op === 'range' ? table.indexes[leaf.index] : undefined;
  return index === undefined || index.multi || index.sparse ? undefined : index;
}

function changed(set: IdSet, changes: readonly Change[], holds: (record: IndexRecord) => boolean): IdSet {
  if (changes.length === 0) return set;
  const next = set.clone();
  for (const { before, after } of changes) {
    if (before !== undefined) next.delete(before.id);
    if (after !== undefined && holds(after)) next.add(after.id);
  }
  return next;
}
