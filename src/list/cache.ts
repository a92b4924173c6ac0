import type { Cache, CacheBudget } from '../lib/cache-budget.js';
import type { BoundCondition } from '../query/bound.js';
import type { ReadView } from '../store/read-view.js';
import type { Table } from '../store/table.js';
import { ChangeTracker } from './change-tracker.js';
import type { IdSet } from './filter/id-set.js';
import { PostingListCache, type ReadLater } from './filter/posting-list-cache.js';
import { MatchFinder } from './filter/match-finder.js';
import { FilterSetCache } from './filter/set-cache.js';
import { walkInOrder, type WalkOrder } from './index-scan.js';
import { keepsPlace, RankCache } from './order/rank-cache.js';
import { type ListSource, ReadStats, type Scope } from './scope.js';

/** What is kept in memory to answer lists fast. */
export interface ListCacheOptions {
  /** A larger set of matches is not kept. Default: any set is. */
  readonly filterSetBytesMax?: number;
  /** A page that costs more than so many index entries makes a rank cache be read for those that follow. Default 1,000. */
  readonly cacheThresholdEntries?: number;
  /** More objects than this are never held with their index records to put them in order. Default 20,000. */
  readonly inMemorySortMax?: number;
  /** Of those, so many are put in order at a time. Default 200,000. */
  readonly sortWindowMax?: number;
  /** Larger posting lists of one index are not read. Default 32 MiB. */
  readonly postingListBytesMax?: number;
  /**
   * Sets that had to be read from an index, so many entries together, make its posting lists be read; of one set a
   * quarter of that counts at most. 0 for at once. Default 10,000.
   */
  readonly postingListThresholdEntries?: number;
  /** An index with fewer entries for each value has no posting lists. Default 16. */
  readonly entriesPerValueMin?: number;
}

const CACHE_THRESHOLD_ENTRIES = 1_000;
const IN_MEMORY_SORT_MAX = 20_000;
const SORT_WINDOW_MAX = 200_000;
const POSTING_LIST_BYTES_MAX = 32 * 1024 * 1024;
const POSTING_LIST_THRESHOLD_ENTRIES = 10_000;
const ENTRIES_PER_VALUE_MIN = 16;
/** Anything is read again only after so many times the time that reading it took: at most a tenth of the time. */
const REST_FACTOR = 10;

/**
 * What was worked out of the tables' indexes to answer lists fast, in memory: sets of matches, posting lists and
 * orders. Nothing of it is stored, everything follows the changes in the log, and whatever is missing is read from
 * the indexes.
 */
export class ListCaches {
  private readonly tables = new Map<number, TableListCache>();
  private readonly building = new Set<Promise<void>>();
  private closed = false;

  /** @param openView opens a snapshot for work in the background */
  constructor(
    private readonly openView: () => ReadView,
    private readonly budget: CacheBudget,
    private readonly options: ListCacheOptions = {},
  ) {}

  /** The table as a snapshot shows it, with what is known of it. */
  async scope(
    { view, table, stats = new ReadStats() }: ListSource,
    revision: number,
  ): Promise<{ scope: Scope; known: TableListCache }> {
    const known = this.of(table);
    await known.feed.advance({ view, table, work: stats.work }, revision);
    return { known, scope: { view, table, feed: known.feed, revision, stats } };
  }

  private of(table: Table): TableListCache {
    // A changed declaration puts other indexes in the same places.
    const shape = table.indexes.map((index) => index.id).join();
    const known = this.tables.get(table.modelId);
    if (known?.shape === shape) return known;
    known?.clear();
    const fresh = new TableListCache(shape, this.budget, this.options, (task) => this.inBackground(task));
    this.tables.set(table.modelId, fresh);
    return fresh;
  }

  /** Gives back what is kept of a model. */
  forget(modelId: number): void {
    this.tables.get(modelId)?.clear();
    this.tables.delete(modelId);
  }

  private inBackground(task: (view: ReadView, isClosed: () => boolean) => Promise<void>): void {
    if (this.closed) return;
    const view = this.openView();
    const work = task(view, () => this.closed)
      // Nobody waits for it: what fails here fails again, and is told, when it is read in the foreground.
      .catch(() => undefined)
      .finally(() => {
        view.close();
        this.building.delete(work);
      });
    this.building.add(work);
  }

  /** Resolves when no work is left in the background. */
  async idle(): Promise<void> {
    while (this.building.size > 0) await Promise.all(this.building);
  }

  /** Ends work in the background; must be awaited before the store is closed. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.all(this.building);
  }
}

type Background = (task: (view: ReadView, isClosed: () => boolean) => Promise<void>) => void;

interface KeptRanks {
  readonly ranks: RankCache;
  /** Revision up to which it is known to be right. */
  revision: number;
}

/** What is known of one table. */
export class TableListCache {
  readonly feed = new ChangeTracker();
  /** See {@link ListCacheOptions}. */
  readonly cacheThresholdEntries: number;
  readonly inMemorySortMax: number;
  readonly sortWindowMax: number;
  private readonly sets: FilterSetCache;
  private readonly ranks: Cache<KeptRanks>;
  readonly postingLists: PostingListCache;
  private readonly reading = new Set<string>();
  /** When something may be read again, in milliseconds of the monotonic clock. */
  private readonly notBefore = new Map<string, number>();

  constructor(
    readonly shape: string,
    budget: CacheBudget,
    options: ListCacheOptions,
    private readonly inBackground: Background,
  ) {
    this.cacheThresholdEntries = options.cacheThresholdEntries ?? CACHE_THRESHOLD_ENTRIES;
    this.inMemorySortMax = options.inMemorySortMax ?? IN_MEMORY_SORT_MAX;
    this.sortWindowMax = options.sortWindowMax ?? SORT_WINDOW_MAX;
    this.ranks = budget.cache('ranks');
    this.postingLists = new PostingListCache(
      budget,
      {
        bytesMax: options.postingListBytesMax ?? POSTING_LIST_BYTES_MAX,
        thresholdEntries: options.postingListThresholdEntries ?? POSTING_LIST_THRESHOLD_ENTRIES,
        entriesPerValueMin: options.entriesPerValueMin ?? ENTRIES_PER_VALUE_MIN,
      },
      this.readLater,
    );
    this.sets = new FilterSetCache(budget, options.filterSetBytesMax ?? Infinity);
  }

  /** Ids of all matches. The set must not be changed. */
  matches(scope: Scope, condition: BoundCondition): Promise<IdSet> {
    const caches = { sets: this.sets, values: this.postingLists, orders: this };
    return new MatchFinder(scope, condition, caches).matches();
  }

  /** The rank cache of an order, if it is at hand and right for the scope's snapshot. */
  findRanks(scope: Scope, order: WalkOrder): RankCache | undefined {
    const key = getKey(order);
    const kept = this.ranks.get(key);
    if (kept === undefined || kept.revision > scope.revision) return undefined;
    const changes = scope.feed.between(kept.revision, scope.revision);
    if (changes?.every((change) => keepsPlace(change, order.index?.id)) !== true) {
      this.ranks.delete(key);
      return undefined;
    }
    kept.revision = scope.revision;
    return kept.ranks;
  }

  /** Begins to read the rank cache of an order, for later lists, unless that was done a moment ago. */
  wantRanks(table: Table, order: WalkOrder): void {
    const key = getKey(order);
    this.readLater(table, key, async (view, { objects, revision }, isClosed) => {
      const walk = until(isClosed, walkInOrder(view, table, order));
      const ranks = await RankCache.read(walk, objects, revision);
      if (ranks !== undefined && !isClosed()) this.keep(key, ranks);
    });
  }

  private readonly readLater: ReadLater = (table, key, read) => {
    if (this.reading.has(key) || performance.now() < (this.notBefore.get(key) ?? 0)) return;
    this.reading.add(key);
    this.inBackground(async (view, isClosed) => {
      const began = performance.now();
      try {
        const count = await view.count(table);
        await this.feed.advance({ view, table }, count.revision);
        await read(view, count, isClosed);
      } finally {
        const now = performance.now();
        this.notBefore.set(key, now + (now - began) * REST_FACTOR);
        this.reading.delete(key);
      }
    });
  };

  private keep(key: string, ranks: RankCache): void {
    this.ranks.set(key, { ranks, revision: ranks.revision }, ranks.bytes);
  }

  /** Gives its memory back. */
  clear(): void {
    this.sets.clear();
    this.postingLists.clear();
    this.ranks.clear();
  }
}

function getKey({ index, direction }: WalkOrder): string {
  return `${index?.id ?? 'name'} ${direction}`;
}

async function* until<T>(isOver: () => boolean, chunks: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const chunk of chunks) {
    if (isOver()) return;
    yield chunk;
  }
}
