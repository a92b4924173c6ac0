import type { Cache, CacheBudget } from '../../lib/cache-budget.js';
import type { MaybePromise } from '../../lib/work/maybe-promise.js';
import type { BoundCondition } from '../../query/bound-condition.js';
import type { ReadView } from '../../store/read-view.js';
import type { Table, TableIndex } from '../../store/table.js';
import type { ModelCount } from '../../store/transaction.js';
import type { ListScope } from '../scope.js';
import type { IdSet } from './id-set.js';
import type { PostingListLimits } from './posting-list-ids.js';
import { PostingLists } from './posting-lists.js';

/** Limits of the posting lists that a table keeps. */
export interface PostingListCacheOptions extends PostingListLimits {
  /** Index entries that cache misses read before the posting lists are built; 0: after the first miss. */
  readonly thresholdEntries: number;
}

/**
 * Reads a cache of a table in the background, unless that is in progress or was done a moment ago.
 * @param key identifies the cache
 */
export type ReadLater = (
  table: Table,
  key: string,
  read: (view: ReadView, count: ModelCount, isClosed: () => boolean) => Promise<void>,
) => void;

/** A miss that reads fewer entries is cheap and does not count. */
const MISS_MIN = 64;
/** Least number of misses before posting lists are built, independent of their cost. */
const MISSES_MIN = 4;
/** The matches of more values are not counted before they are read. */
const SIZED_MAX = 2_000;
/**
 * Posting lists that did not pay off for an index are tried again later. The number of objects, or the revision, must
 * change by this fraction of the objects first.
 */
const CHANGED_MUCH = 0.5;

export class PostingListCache {
  /** By index id. */
  readonly #lists: Cache<PostingLists>;
  /** Entries that misses have read, by index id. */
  readonly #missed = new Map<number, number>();
  /** The counts of the table when posting lists did not pay off, by index id. */
  readonly #refused = new Map<number, ModelCount>();

  constructor(
    budget: CacheBudget,
    private readonly options: PostingListCacheOptions,
    private readonly readLater: ReadLater,
  ) {
    this.#lists = budget.cache('posting-lists');
  }

  clear(): void {
    this.#lists.clear();
  }

  /** Ids of all matches in the scope's snapshot, as a new set; undefined when no posting list has them. */
  find(scope: ListScope, condition: BoundCondition): MaybePromise<IdSet | undefined> {
    const asked = findCachedQuery(scope.table, condition);
    return asked && this.current(scope, asked.index)?.getSet(asked.values, scope.stats.work);
  }

  /** Approximate number of matches; undefined when no posting list has them. */
  findSize(scope: ListScope, condition: BoundCondition): number | undefined {
    const asked = findCachedQuery(scope.table, condition);
    const lists = asked && this.current(scope, asked.index);
    if (asked === undefined || lists === undefined || asked.values.length > SIZED_MAX) return undefined;
    return asked.values.reduce((sum, value) => sum + lists.getSize(value), 0);
  }

  /** Records that the matches of a condition were read from the index. */
  noteMiss({ table }: ListScope, condition: BoundCondition, entries: number): void {
    const asked = findCachedQuery(table, condition);
    if (asked !== undefined) this.noteRead(table, asked.index, entries, asked.values.length);
  }

  /**
   * Records that entries of an index were read because its posting lists are missing.
   * @param values number of values whose entries were read one after another: each is a miss
   */
  noteRead(table: Table, index: TableIndex, entries: number, values = 1): void {
    const { thresholdEntries } = this.options;
    if (this.#lists.has(String(index.id)) || (thresholdEntries > 0 && entries < MISS_MIN)) return;
    const missed =
      (this.#missed.get(index.id) ?? 0) + Math.min(entries, (values * thresholdEntries) / MISSES_MIN);
    this.#missed.set(index.id, missed);
    if (missed >= thresholdEntries) this.#want(table, index);
  }

  /** The posting lists of an index, brought to the scope's snapshot; undefined when they are not in memory. */
  current({ table, feed, revision }: ListScope, index: TableIndex): PostingLists | undefined {
    const lists = this.#lists.get(String(index.id));
    if (lists === undefined || lists.revision > revision) return undefined;
    const changes = feed.between(lists.revision, revision);
    if (changes === undefined && feed.reaches(lists.revision)) return undefined;
    if (changes !== undefined) lists.follow(changes, revision);
    if (changes === undefined || lists.isWornOut) {
      this.#lists.delete(String(index.id));
      // The lists were used, so the next miss starts to build them again.
      this.#missed.set(index.id, this.options.thresholdEntries);
      return undefined;
    }
    if (lists.isStale) this.#want(table, index);
    this.#keep(index, lists);
    return lists;
  }

  #keep(index: TableIndex, lists: PostingLists): void {
    this.#lists.set(String(index.id), lists, lists.bytes);
  }

  /** Starts reading the posting lists of an index for later lists. */
  #want(table: Table, index: TableIndex): void {
    this.readLater(table, `values ${index.id}`, async (view, count, isClosed) => {
      this.#missed.delete(index.id);
      const refused = this.#refused.get(index.id);
      if (refused !== undefined && !hasChangedMuch(refused, count)) return;
      const source = { snapshot: view.snapshot, index, ...count };
      const lists = await PostingLists.read(source, this.options, isClosed);
      if (lists === undefined) this.#refused.set(index.id, count);
      else {
        this.#refused.delete(index.id);
        this.#keep(index, lists);
      }
    });
  }
}

function hasChangedMuch(before: ModelCount, now: ModelCount): boolean {
  const changed = Math.max(Math.abs(now.objects - before.objects), now.revision - before.revision);
  return changed >= before.objects * CHANGED_MUCH;
}

interface Asked {
  readonly index: TableIndex;
  /** Undefined selects objects without a value. */
  readonly values: readonly (Buffer | undefined)[];
}

/** The values whose entries are exactly the matches' entries; undefined for other kinds of conditions. */
function findCachedQuery(table: Table, condition: BoundCondition): Asked | undefined {
  if (condition.op !== 'in' && condition.op !== 'isNull') return undefined;
  const index = table.indexes[condition.index];
  if (index === undefined) return undefined;
  if (condition.op === 'in') return { index, values: condition.values };
  // A sparse index has no entries for objects without a value.
  return index.sparse ? undefined : { index, values: [undefined] };
}
