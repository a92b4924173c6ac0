import { type BoundCondition, canonical } from '../../query/bound-condition.js';
import { NAME } from '../../query/fields.js';
import { entriesBetween, firstIds } from '../../store/index/index-reader.js';
import type { Table, TableIndex } from '../../store/table.js';
import type { WalkOrder } from '../index-scan.js';
import type { RankCache } from '../order/rank-cache.js';
import type { FilterRead, ListScope } from '../scope.js';
import { type All, build, exactRanges, filterByRecords, isLeaf, type Leaf, getLeaves } from './evaluate.js';
import { IdSet } from './id-set.js';
import type { PostingListCache } from './posting-list-cache.js';
import { rangeInRanks } from './range-in-ranks.js';
import type { FilterSetCache } from './set-cache.js';
import { PASS_CONDITIONS_MAX, findValuePass, runPass, type ValuePass } from './value-pass.js';

/** Most matches whose index records are read instead of a whole index. */
const RECORDS_MAX = 1_000;
/** Ids of posting lists that can be read in the time of one index record. */
const IDS_PER_RECORD = 100;
/** Most entries that are counted to estimate the matches of a part. */
const ESTIMATE_MAX = 500;
/** A range that reads this many times `cacheThresholdEntries` starts the reading of the order. */
const RANGES_PER_ORDER = 3;
/** An `in` condition with more values is kept as one set. */
const VALUES_APART_MAX = 32;

/** The orders of a table that are in memory. */
interface OrderCache {
  readonly cacheThresholdEntries: number;
  findRanks(scope: ListScope, order: WalkOrder): RankCache | undefined;
  wantRanks(table: Table, order: WalkOrder): void;
}

/** The caches of a table that the match finder uses. */
export interface MatchCaches {
  readonly sets: FilterSetCache;
  /** The source of sets that are not kept, before the index is read. */
  readonly values: PostingListCache;
  /** The source of ranges. */
  readonly orders: OrderCache;
}

/** Matches found by a pass, before they are used. */
interface Passed {
  readonly set: IdSet;
  isReported: boolean;
}

/**
 * Finds the matches of one condition in one snapshot. No other list depends on its reads, so it can be stopped early.
 */
export class MatchFinder {
  /** Results of passes, by the canonical texts of conditions; also sets that are too large for the cache. */
  readonly #passed = new Map<string, Passed>();
  /** Conditions that need a pass, by the keys of the passes and their canonical texts. */
  #passes: ReadonlyMap<string, ReadonlyMap<string, Leaf>> | undefined;

  constructor(
    private readonly scope: ListScope,
    private readonly condition: BoundCondition,
    private readonly caches: MatchCaches,
  ) {}

  /** The returned set must not be changed. @param among only those of these objects; default: of all */
  matches(among?: IdSet): Promise<IdSet> {
    if (among === undefined) return this.#find(this.condition);
    return this.#intersect(this.condition.op === 'and' ? this.condition.of : [this.condition], among);
  }

  async #find(condition: BoundCondition): Promise<IdSet> {
    const isComposed = condition.op === 'and' || condition.op === 'or' || condition.op === 'not';
    if (!isComposed) return this.#evaluate(condition);
    const key = canonical(condition);
    const known = this.caches.sets.findComposed(this.scope, key);
    if (known !== undefined) {
      this.#note(condition, 'memory', known);
      return known;
    }
    const set = await this.#evaluate(condition);
    this.caches.sets.keepComposed(this.scope, key, set);
    return set;
  }

  async #evaluate(condition: BoundCondition): Promise<IdSet> {
    switch (condition.op) {
      case 'none':
        return new IdSet();
      case 'and':
        return this.#intersect(condition.of);
      case 'or': {
        const sets: IdSet[] = [];
        for (const part of condition.of) sets.push(await this.#find(part));
        return IdSet.union(sets);
      }
      case 'not':
        return (await this.#leaf({ op: 'all' })).andNot(await this.#find(condition.of));
      case 'in':
        return this.#anyOf(condition);
      default:
        return this.#leaf(condition);
    }
  }

  /** A few values are kept as separate sets, because other lists combine them in other ways. */
  async #anyOf(condition: Extract<Leaf, { readonly op: 'in' }>): Promise<IdSet> {
    const { index, values } = condition;
    if (index === NAME || values.length === 1 || values.length > VALUES_APART_MAX)
      return this.#leaf(condition);
    const sets: IdSet[] = [];
    for (const value of values) sets.push(await this.#leaf({ op: 'in', index, values: [value] }));
    return IdSet.union(sets);
  }

  /**
   * Starts with parts that are in memory or small. When few matches are left, their index records decide the
   * remaining parts.
   */
  async #intersect(parts: readonly BoundCondition[], among?: IdSet): Promise<IdSet> {
    const rest = new Set(parts);
    let found = among;
    const take = async (part: BoundCondition): Promise<void> => {
      rest.delete(part);
      if (part.op === 'not') {
        const base = found ?? (await this.#leaf({ op: 'all' }));
        found = base.andNot(await this.#find(part.of));
      } else {
        const set = await this.#find(part);
        found = found === undefined ? set : found.and(set);
      }
    };
    for (const part of await this.#fewestFirst(parts)) {
      if (found !== undefined && found.size <= RECORDS_MAX && !this.#isAtHand(part, found.size)) continue;
      await take(part);
    }
    const matches = found ?? new IdSet();
    return rest.size === 0 ? matches : filterByRecords(this.scope, matches, { op: 'and', of: [...rest] });
  }

  /** Orders parts with few matches first and negated parts last. */
  async #fewestFirst(parts: readonly BoundCondition[]): Promise<BoundCondition[]> {
    const sized: { readonly part: BoundCondition; readonly size: number }[] = [];
    for (const part of parts) sized.push({ part, size: await this.#estimate(part) });
    return sized.sort((a, b) => a.size - b.size).map(({ part }) => part);
  }

  async #estimate(part: BoundCondition): Promise<number> {
    const { scope } = this;
    const known = this.#knownSize(canonical(part));
    if (known !== undefined) return known;
    if (part.op === 'not') return Infinity;
    if (part.op === 'in' && part.index === NAME) return part.values.length;
    const inLists = this.caches.values.findSize(scope, part);
    if (inLists !== undefined) return inLists;
    const ranges = isLeaf(part) ? exactRanges(scope.table, part) : undefined;
    if (ranges === undefined) return Number.MAX_SAFE_INTEGER;
    let entries = 0;
    for (const range of ranges) {
      const found = await firstIds(scope.view.snapshot, range, ESTIMATE_MAX - entries);
      scope.stats.work.addEntries(found.length);
      entries += found.length;
      if (entries >= ESTIMATE_MAX) return Number.MAX_SAFE_INTEGER / 2;
    }
    return entries;
  }

  /** True when a part's matches cost less than reading this many index records. */
  #isAtHand(part: BoundCondition, records: number): boolean {
    const condition = part.op === 'not' ? part.of : part;
    if (this.#knownSize(canonical(condition)) !== undefined) return true;
    const size = this.caches.values.findSize(this.scope, condition);
    return size !== undefined && size <= records * IDS_PER_RECORD;
  }

  #knownSize(key: string): number | undefined {
    return this.#passed.get(key)?.set.size ?? this.caches.sets.findSize(key);
  }

  async #leaf(leaf: Leaf | All): Promise<IdSet> {
    const { scope } = this;
    const { sets, values } = this.caches;
    const key = canonical(leaf);
    const passed = this.#passed.get(key);
    if (passed !== undefined) {
      this.#note(leaf, passed.isReported ? 'memory' : 'index', passed.set);
      passed.isReported = true;
      return passed.set;
    }
    const known =
      sets.find(scope, key, leaf) ?? (await values.find(scope, leaf)) ?? (await this.#inOrder(leaf));
    const set = known ?? (await this.#read(leaf, key));
    if (known === undefined) this.#noteMiss(leaf, set.size);
    sets.keep(scope, key, set);
    this.#note(leaf, known === undefined ? 'index' : 'memory', set);
    return set;
  }

  #read(leaf: Leaf | All, key: string): Promise<IdSet> {
    const pass = leaf.op === 'all' ? undefined : findValuePass(this.scope, leaf);
    return pass === undefined || leaf.op === 'all'
      ? build(this.scope, leaf)
      : this.#readTogether(pass, leaf, key);
  }

  /** Decides all conditions that share the pass, up to `PASS_CONDITIONS_MAX` at once. */
  async #readTogether(pass: ValuePass, leaf: Leaf, key: string): Promise<IdSet> {
    const { scope } = this;
    const { sets } = this.caches;
    const together = new Map([[key, leaf]]);
    for (const [other, condition] of this.#iterateConditions(pass)) {
      if (together.size === PASS_CONDITIONS_MAX) break;
      if (!this.#passed.has(other) && !sets.isCurrent(scope, other)) together.set(other, condition);
    }
    const found = await runPass(scope, pass, [...together.values()]);
    for (const [i, other] of [...together.keys()].entries()) {
      const set = found[i] ?? new IdSet();
      this.#passed.set(other, { set, isReported: other === key });
      sets.keep(scope, other, set);
    }
    return found[0] ?? new IdSet();
  }

  #iterateConditions(pass: ValuePass): Iterable<[string, Leaf]> {
    this.#passes ??= this.#groupByPass();
    return this.#passes.get(pass.key) ?? [];
  }

  #groupByPass(): Map<string, Map<string, Leaf>> {
    const groups = new Map<string, Map<string, Leaf>>();
    for (const leaf of getLeaves(this.condition)) {
      const pass = findValuePass(this.scope, leaf);
      if (pass === undefined) continue;
      const group = groups.get(pass.key) ?? new Map<string, Leaf>();
      groups.set(pass.key, group.set(canonical(leaf), leaf));
    }
    return groups;
  }

  /** Finds a range of values as a part of the order of its index, when that is in memory. */
  async #inOrder(leaf: Leaf | All): Promise<IdSet | undefined> {
    const { scope } = this;
    const index = rangedIndex(scope, leaf);
    const range = index && leaf.op === 'range' ? entriesBetween(index, leaf.from, leaf.to) : undefined;
    if (index === undefined || range === undefined) return undefined;
    for (const direction of ['asc', 'desc'] as const) {
      const ranks = this.caches.orders.findRanks(scope, { index, direction });
      if (ranks !== undefined) return rangeInRanks(scope, ranks, index, range);
    }
    return undefined;
  }

  #noteMiss(leaf: Leaf | All, entries: number): void {
    const { values, orders } = this.caches;
    values.noteMiss(this.scope, leaf, entries);
    const index = rangedIndex(this.scope, leaf);
    if (index === undefined || entries < orders.cacheThresholdEntries * RANGES_PER_ORDER) return;
    orders.wantRanks(this.scope.table, { index, direction: 'asc' });
  }

  #note(condition: BoundCondition, from: FilterRead['from'], { size }: IdSet): void {
    this.scope.stats.filters.push({ condition, from, matches: size });
  }
}

/** The index of a range, if each object has exactly one entry in it. */
function rangedIndex({ table }: ListScope, leaf: Leaf | All): TableIndex | undefined {
  const index = leaf.op === 'range' ? table.indexes[leaf.index] : undefined;
  return index === undefined || index.multi || index.sparse ? undefined : index;
}
