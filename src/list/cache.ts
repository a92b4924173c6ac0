import type { Cache, CacheBudget } from '../lib/cache-budget.js';
import type { BoundCondition } from '../query/bound-condition.js';
import type { SearchText } from '../query/search/search-text.js';
import type { ReadView } from '../store/read-view.js';
import type { Table } from '../store/table.js';
import { ColumnCache } from './aggregates/column-cache.js';
import { ChangeTracker } from './change-tracker.js';
import type { IdSet } from './filter/id-set.js';
import { PostingListCache, type ReadLater } from './filter/posting-list-cache.js';
import { MatchFinder } from './filter/match-finder.js';
import { FilterSetCache } from './filter/set-cache.js';
import { walkInOrder, type WalkOrder } from './index-scan.js';
import { keepsPlace, RankCache } from './order/rank-cache.js';
import type { TextSearch } from './search/find-texts.js';
import { TextCache } from './search/text-cache.js';
import type { TextMatches } from './search/text-matches.js';
import { type ListSource, ReadStats, type ListScope } from './scope.js';

/** Limits of the caches in memory that speed up lists. */
export interface ListCacheOptions {
  /** Largest set of matches that is kept, in bytes. Default: no limit. */
  readonly filterSetBytesMax?: number;
  /**
   * A page that reads more index entries than this starts the reading of a rank cache for later pages. Default 1,000.
   */
  readonly cacheThresholdEntries?: number;
  /** Most objects whose index records are kept in memory for a sort. Default 20,000. */
  readonly inMemorySortMax?: number;
  /** Beyond that number, most objects that are sorted at a time. Default 200,000. */
  readonly sortWindowMax?: number;
  /** Largest posting lists of one index, in bytes. Default 32 MiB. */
  readonly postingListBytesMax?: number;
  /**
   * Index entries that cache misses read before the posting lists of the index are built. One miss counts for at most
   * a quarter of it, for each of its values. 0: after the first miss. Default 10,000.
   */
  readonly postingListThresholdEntries?: number;
  /** Fewest entries per value for which an index gets posting lists. Default 4. */
  readonly entriesPerValueMin?: number;
}

const DEFAULTS: Required<ListCacheOptions> = {
  filterSetBytesMax: Infinity,
  cacheThresholdEntries: 1_000,
  inMemorySortMax: 20_000,
  sortWindowMax: 200_000,
  postingListBytesMax: 32 * 1024 * 1024,
  postingListThresholdEntries: 10_000,
  entriesPerValueMin: 4,
};
/**
 * A cache is read again after this many times the duration of the last read, so reading takes at most a tenth of the
 * time.
 */
const REST_FACTOR = 10;

/**
 * Caches that speed up lists, in memory: sets of matches, posting lists and orders. They are derived from the tables'
 * indexes and never stored. They follow the changes in the log; a missing part is read from the indexes.
 */
export class ListCaches {
  readonly #tables = new Map<number, TableListCache>();
  readonly #building = new Set<Promise<void>>();
  #closed = false;

  readonly #options: Required<ListCacheOptions>;

  /** @param openView opens a snapshot for work in the background */
  constructor(
    private readonly openView: () => ReadView,
    private readonly budget: CacheBudget,
    options: ListCacheOptions = {},
  ) {
    this.#options = { ...DEFAULTS, ...options };
  }

  /** The table in a snapshot, with its caches. */
  async scope(
    { view, table, stats = new ReadStats() }: ListSource,
    revision: number,
  ): Promise<{ scope: ListScope; known: TableListCache }> {
    const known = this.#of(table);
    await known.feed.advance({ view, table, work: stats.work }, revision);
    return { known, scope: { view, table, feed: known.feed, revision, stats } };
  }

  #of(table: Table): TableListCache {
    // A changed declaration puts other indexes at the same positions.
    const shape = table.indexes.map((index) => index.id).join();
    const known = this.#tables.get(table.modelId);
    if (known?.shape === shape) return known;
    known?.clear();
    const fresh = new TableListCache(shape, this.budget, this.#options, (task) => this.#inBackground(task));
    this.#tables.set(table.modelId, fresh);
    return fresh;
  }

  forget(modelId: number): void {
    this.#tables.get(modelId)?.clear();
    this.#tables.delete(modelId);
  }

  #inBackground(task: (view: ReadView, isClosed: () => boolean) => Promise<void>): void {
    if (this.#closed) return;
    const view = this.openView();
    const work = task(view, () => this.#closed)
      // Nobody waits for this work. The next read in the foreground fails again and reports the error.
      .catch(() => undefined)
      .finally(() => {
        view.close();
        this.#building.delete(work);
      });
    this.#building.add(work);
  }

  /** Resolves when no background work is left. */
  async idle(): Promise<void> {
    while (this.#building.size > 0) await Promise.all(this.#building);
  }

  /** Stops background work; must be awaited before the store is closed. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#building);
  }
}

type Background = (task: (view: ReadView, isClosed: () => boolean) => Promise<void>) => void;

interface KeptRanks {
  readonly ranks: RankCache;
  /** The revision up to which the ranks are known to be valid. */
  revision: number;
}

export class TableListCache {
  readonly feed: ChangeTracker;
  /** See {@link ListCacheOptions}. */
  readonly cacheThresholdEntries: number;
  readonly inMemorySortMax: number;
  readonly sortWindowMax: number;
  readonly #sets: FilterSetCache;
  readonly #ranks: Cache<KeptRanks>;
  readonly postingLists: PostingListCache;
  readonly columns: ColumnCache;
  readonly #texts: TextCache;
  readonly #reading = new Set<string>();
  /** The earliest time of the next read, in milliseconds of the monotonic clock. */
  readonly #notBefore = new Map<string, number>();

  constructor(
    readonly shape: string,
    budget: CacheBudget,
    options: Required<ListCacheOptions>,
    private readonly inBackground: Background,
  ) {
    this.cacheThresholdEntries = options.cacheThresholdEntries;
    this.inMemorySortMax = options.inMemorySortMax;
    this.sortWindowMax = options.sortWindowMax;
    this.feed = new ChangeTracker(budget);
    this.#ranks = budget.cache('ranks');
    this.postingLists = new PostingListCache(
      budget,
      {
        bytesMax: options.postingListBytesMax,
        thresholdEntries: options.postingListThresholdEntries,
        entriesPerValueMin: options.entriesPerValueMin,
      },
      this.#readLater,
    );
    this.columns = new ColumnCache(budget);
    this.#sets = new FilterSetCache(budget, options.filterSetBytesMax);
    this.#texts = new TextCache(budget, options.filterSetBytesMax);
  }

  /** Ids of all matches. The set must not be changed. @param among default: all objects */
  matches(scope: ListScope, condition: BoundCondition, among?: IdSet): Promise<IdSet> {
    const caches = { sets: this.#sets, values: this.postingLists, orders: this };
    return new MatchFinder(scope, condition, caches).matches(among);
  }

  /** The objects that a search is about. They must not be changed. */
  search(
    scope: ListScope,
    text: SearchText,
    numbers: Pick<TextSearch, 'objects' | 'basis'>,
  ): Promise<TextMatches> {
    return this.#texts.find(scope, text, numbers);
  }

  /** The rank cache of an order, if it is in memory and valid for the scope's snapshot. */
  findRanks(scope: ListScope, order: WalkOrder): RankCache | undefined {
    const key = getKey(order);
    const kept = this.#ranks.get(key);
    if (kept === undefined || kept.revision > scope.revision) return undefined;
    const changes = scope.feed.between(kept.revision, scope.revision);
    if (changes?.every((change) => keepsPlace(change, order.index?.id)) !== true) {
      this.#ranks.delete(key);
      return undefined;
    }
    kept.revision = scope.revision;
    return kept.ranks;
  }

  /** Starts reading the rank cache of an order for later lists, unless it was read a moment ago. */
  wantRanks(table: Table, order: WalkOrder): void {
    const key = getKey(order);
    this.#readLater(table, key, async (view, { objects, revision }, isClosed) => {
      const walk = until(isClosed, walkInOrder(view, table, order));
      const ranks = await RankCache.read(walk, objects, revision);
      if (ranks !== undefined && !isClosed()) this.#keep(key, ranks);
    });
  }

  readonly #readLater: ReadLater = (table, key, read) => {
    if (this.#reading.has(key) || performance.now() < (this.#notBefore.get(key) ?? 0)) return;
    this.#reading.add(key);
    this.inBackground(async (view, isClosed) => {
      const began = performance.now();
      try {
        const count = await view.count(table);
        await this.feed.advance({ view, table }, count.revision);
        await read(view, count, isClosed);
      } finally {
        const now = performance.now();
        this.#notBefore.set(key, now + (now - began) * REST_FACTOR);
        this.#reading.delete(key);
      }
    });
  };

  #keep(key: string, ranks: RankCache): void {
    this.#ranks.set(key, { ranks, revision: ranks.revision }, ranks.bytes);
  }

  /** Frees the memory. */
  clear(): void {
    this.feed.clear();
    this.#sets.clear();
    this.postingLists.clear();
    this.columns.clear();
    this.#texts.clear();
    this.#ranks.clear();
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
