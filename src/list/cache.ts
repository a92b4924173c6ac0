import type { BoundCondition } from '../query/bound.js';
import type { IdSet } from './filter/id-set.js';
import { ChangeFeed } from './change-tracker.js';
import { MatchSets, type ReadStats, type Scope } from './filter/set-cache.js';
import { keepsPlace, OrderColumn } from './order/rank-cache.js';
import type { ReadView } from '../store/store.js';
import type { Table, TableIndex } from '../store/table.js';
import { ValueColumns, type ReadLater } from './filter/posting-list-cache.js';
import { walkIndex, walkNames, type Direction, type Spot } from './index-scan.js';

/** What is kept in memory to answer lists fast. */
export interface DerivedOptions {
  /** Memory for sets of matches, for each model. Default 64 MiB. */
  readonly setsBytesMax?: number;
  /** A page that costs more than so many index entries makes a column be read for those that follow. Default 1,000. */
  readonly columnWorth?: number;
  /** More objects than this are never held with their rows to put them in order. Default 20,000. */
  readonly heldMax?: number;
  /** Of those, so many are put in order at a time. Default 200,000. */
  readonly windowMax?: number;
  /** Memory for value columns, for each model. Default 32 MiB. */
  readonly valuesBytesMax?: number;
  /**
   * Sets that had to be read from an index, so many entries together, make its value column be read; of one set a
   * quarter of that counts at most. 0 for at once. Default 10,000.
   */
  readonly valuesWorth?: number;
  /** An index with fewer entries for each value has no value column. Default 16. */
  readonly entriesPerValueMin?: number;
}

const SETS_BYTES_MAX = 64 * 1024 * 1024;
const COLUMN_WORTH = 1_000;
const HELD_MAX = 20_000;
const WINDOW_MAX = 200_000;
const VALUES_BYTES_MAX = 32 * 1024 * 1024;
const VALUES_WORTH = 10_000;
const ENTRIES_PER_VALUE_MIN = 16;
/** Columns that are kept for each model; the least recently used one goes first. */
const COLUMNS_MAX = 4;
/** Anything is read again only after so many times the time that reading it took: at most a tenth of the time. */
const REST_FACTOR = 10;

/** An order in which objects can be walked as they stand: by one index, or by name when `index` is undefined. */
export interface WalkOrder {
  readonly index: TableIndex | undefined;
  readonly direction: Direction;
}

/**
 * What was worked out of the tables' indexes to answer lists fast, in memory: sets of matches, value columns and
 * orders. Nothing of it is stored, everything follows the changes in the log, and whatever is missing is read from
 * the indexes.
 */
export class Derived {
  private readonly tables = new Map<number, TableDerived>();
  private readonly building = new Set<Promise<void>>();
  private closed = false;

  /** @param openView opens a snapshot for work in the background */
  constructor(
    private readonly openView: () => ReadView,
    private readonly options: DerivedOptions = {},
  ) {}

  /** The table as a snapshot shows it, with what is known of it. */
  async scope(
    view: ReadView,
    table: Table,
    revision: number,
  ): Promise<{ scope: Scope; known: TableDerived }> {
    const known = this.of(table);
    await known.feed.advance(view, table, revision);
    const stats: ReadStats = { entries: 0, rows: 0, filters: [] };
    return { known, scope: { view, table, feed: known.feed, revision, stats } };
  }

  private of(table: Table): TableDerived {
    // A changed declaration puts other indexes in the same places.
    const shape = table.indexes.map((index) => index.id).join();
    const known = this.tables.get(table.modelId);
    if (known?.shape === shape) return known;
    const fresh = new TableDerived(shape, this.options, (task) => this.inBackground(task));
    this.tables.set(table.modelId, fresh);
    return fresh;
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

interface KeptColumn {
  readonly column: OrderColumn;
  /** Revision up to which it is known to be right. */
  revision: number;
}

/** What is known of one table. */
export class TableDerived {
  readonly feed = new ChangeFeed();
  /** See {@link DerivedOptions}. */
  readonly columnWorth: number;
  readonly heldMax: number;
  readonly windowMax: number;
  private readonly sets: MatchSets;
  private readonly columns = new Map<string, KeptColumn>();
  private readonly reading = new Set<string>();
  /** When something may be read again, in milliseconds of the monotonic clock. */
  private readonly notBefore = new Map<string, number>();

  constructor(
    readonly shape: string,
    options: DerivedOptions,
    private readonly inBackground: Background,
  ) {
    this.columnWorth = options.columnWorth ?? COLUMN_WORTH;
    this.heldMax = options.heldMax ?? HELD_MAX;
    this.windowMax = options.windowMax ?? WINDOW_MAX;
    const values = new ValueColumns(
      {
        bytesMax: options.valuesBytesMax ?? VALUES_BYTES_MAX,
        worth: options.valuesWorth ?? VALUES_WORTH,
        entriesPerValueMin: options.entriesPerValueMin ?? ENTRIES_PER_VALUE_MIN,
      },
      this.readLater,
    );
    this.sets = new MatchSets(options.setsBytesMax ?? SETS_BYTES_MAX, values);
  }

  /** Ids of all matches. The set must not be changed. */
  matches(scope: Scope, condition: BoundCondition): Promise<IdSet> {
    return this.sets.find(scope, condition);
  }

  /** The column of an order, if it is at hand and right for the scope's snapshot. */
  findColumn(scope: Scope, order: WalkOrder): OrderColumn | undefined {
    const key = keyOf(order);
    const kept = this.columns.get(key);
    if (kept === undefined || kept.revision > scope.revision) return undefined;
    const changes = scope.feed.between(kept.revision, scope.revision);
    this.columns.delete(key);
    if (changes?.every((change) => keepsPlace(change, order.index?.id)) !== true) return undefined;
    kept.revision = scope.revision;
    this.columns.set(key, kept);
    return kept.column;
  }

  /** Begins to read the column of an order, for later lists, unless that was done a moment ago. */
  wantColumn(table: Table, order: WalkOrder): void {
    const key = keyOf(order);
    this.readLater(table, key, async (view, { objects, revision }, isClosed) => {
      const walk = until(isClosed, walkInOrder(view, table, order));
      const column = await OrderColumn.read(walk, objects, revision);
      if (column !== undefined && !isClosed()) this.keep(key, column);
    });
  }

  private readonly readLater: ReadLater = (table, key, read) => {
    if (this.reading.has(key) || performance.now() < (this.notBefore.get(key) ?? 0)) return;
    this.reading.add(key);
    this.inBackground(async (view, isClosed) => {
      const began = performance.now();
      try {
        const count = await view.count(table);
        await this.feed.advance(view, table, count.revision);
        await read(view, count, isClosed);
      } finally {
        const now = performance.now();
        this.notBefore.set(key, now + (now - began) * REST_FACTOR);
        this.reading.delete(key);
      }
    });
  };

  private keep(key: string, column: OrderColumn): void {
    this.columns.delete(key);
    this.columns.set(key, { column, revision: column.revision });
    const [oldest] = this.columns.keys();
    if (this.columns.size > COLUMNS_MAX && oldest !== undefined) this.columns.delete(oldest);
  }
}

function keyOf({ index, direction }: WalkOrder): string {
  return `${index?.id ?? 'name'} ${direction}`;
}

export function walkInOrder(
  view: ReadView,
  table: Table,
  { index, direction }: WalkOrder,
): AsyncGenerator<Spot[]> {
  return index === undefined
    ? walkNames(view.snapshot, table, { direction })
    : walkIndex(view.snapshot, table, index, { direction });
}

async function* until<T>(isOver: () => boolean, chunks: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const chunk of chunks) {
    if (isOver()) return;
    yield chunk;
  }
}
