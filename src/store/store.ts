import { setTimeout as sleep } from 'node:timers/promises';
import { type ServiceError, unavailable } from '../errors.js';
import { readU48 } from '../lib/bytes.js';
import { mapMaybe, type MaybePromise } from '../lib/work/maybe-promise.js';
import type { ModelKind } from '../model/references/reference.js';
import { modelKey } from '../model/resource.js';
import type { Scheme } from '../model/declare/scheme.js';
import {
  type Catalog,
  CATALOG_HEAD_KEY,
  type ModelRecord,
  readCatalog,
  readCatalogVersion,
} from './catalog.js';
import { addDictionaries } from './compression/add-dictionaries.js';
import type { CommitObserver, CommittedChange } from './commit-observer.js';
import type { CommitOptions, Engine, Freshness } from './engine.js';
import { currentFence } from './fence.js';
import { checkFormat } from './format.js';
import { countKey, nameKey, FULL_NAME_BYTES_MAX, objectKey } from './index/keys.js';
import { ReferenceMap, type Incoming } from './index/referrers.js';
import { History } from './log/history.js';
import { decodeLogHead, LOG_HEAD_KEY } from './log/log.js';
import { damaged, decodeRecord, missingDictionary, type StoredObject } from './object-record.js';
import { ReadView, getStamp } from './read-view.js';
import { Table } from './table.js';
import { keepTexts } from './text/keep.js';
import { whileOpen } from './with-snapshot.js';
import { decodeCount, StoreTransaction } from './transaction.js';

export interface StoreOptions {
  readonly readOnly?: boolean;
  /** The version of this program, for stores that it creates and for messages. */
  readonly program?: string | undefined;
  /** The current time in milliseconds since 1970. */
  readonly now: () => number;
  /** Limit for the size of an object, in bytes of JSON; larger ones are refused. Default: no limit. */
  readonly objectBytesMax?: number | undefined;
  /** True when the process with this owner name must be assumed to be alive. Default: always. */
  readonly isAlive?: (owner: string) => boolean;
}

export interface StoreCommitOptions extends CommitOptions {
  /** The writing user, for the log. */
  readonly user?: string | undefined;
  /** See {@link CommitStamp}. */
  readonly via?: string | undefined;
  /** Observes this commit. Default: that of the store. */
  readonly observer?: CommitObserver | undefined;
}

/** The possible changes: objects, or the models and their indexes. */
export type StoreChange = 'commit' | 'models';
type StoreListener = (cause: StoreChange) => void;

/** Another process has changed the catalogue since it was read. The commit runs again. */
class CatalogChanged extends Error {}

/** Retries of a commit after changes of the catalogue, before this counts as an error. */
const CATALOG_RETRIES = 20;
/** Changes by this process after which it merges text indexes. The leader does that sooner. */
const TEXT_CHANGES_MAX = 16_384;

/** Objects of all models as bytes, with their indexes, revisions and log. */
export class Store {
  /** The log of changes. */
  readonly history: History;
  /** Observes commits without an observer; undefined when nobody does. */
  observer: CommitObserver | undefined;
  #catalog: Catalog;
  readonly #schemes = new Map<string, Scheme>();
  #tables = new Map<string, Table>();
  #current: ReadonlySet<Table> = new Set();
  #references = new ReferenceMap([]);
  readonly #listeners = new Set<StoreListener>();
  #stopListening: () => void = () => undefined;
  readonly #endings: (() => Promise<void>)[] = [];
  readonly #ending = new AbortController();
  #textChanges = 0;
  #keepingTexts: Promise<void> = Promise.resolve();

  private constructor(
    readonly engine: Engine,
    private readonly options: StoreOptions,
    catalog: Catalog,
    /** Known only to processes that may read the store. */
    readonly secret: Uint8Array,
  ) {
    this.#catalog = catalog;
    this.history = new History(engine, options.now);
    this.#rebuildTables();
  }

  /**
   * Opens a store on an engine and checks its format. Writes the format into an empty store.
   * @throws ServiceError `ServiceUnavailable` when the format is not that of this program
   */
  static async open(engine: Engine, options: StoreOptions): Promise<Store> {
    try {
      const secret = await checkFormat(engine, options);
      return new Store(engine, options, await readCatalog(engine), secret);
    } catch (error) {
      await engine.close();
      throw error;
    }
  }

  /** Registers a task that runs before the engine is closed. */
  beforeClose(task: () => Promise<void>): void {
    this.#endings.push(task);
  }

  async close(): Promise<void> {
    this.#schemes.clear();
    for (const task of this.#endings) await task();
    this.#ending.abort();
    await this.#keepingTexts;
    await this.engine.close();
  }

  /** The current time in milliseconds since 1970. */
  now(): number {
    return this.options.now();
  }

  /** Limit for the size of an object, in bytes of JSON. */
  get objectBytesMax(): number {
    return this.options.objectBytesMax ?? Infinity;
  }

  // ---- models ------------------------------------------------------------------------------------------

  /** Every model of the store, with or without its code. */
  allTables(): Table[] {
    return [...this.#tables.values()];
  }

  get hasReferences(): boolean {
    return !this.#references.isEmpty;
  }

  /** The references to objects of a model, by the latest declarations of any process that this one knows. */
  incoming(table: Table): readonly Incoming[] {
    return this.#references.to(table);
  }

  /** Undefined for a model that is new to the store. */
  findTable(gvk: ModelKind): Table | undefined {
    return this.#tables.get(modelKey(gvk));
  }

  /** The store's record of a model; undefined when the store does not know it. */
  findRecord(gvk: ModelKind): ModelRecord | undefined {
    return this.#catalog.models.get(modelKey(gvk));
  }

  /** The latest state of the catalogue, which the tables may not have yet. */
  readCatalog(): Promise<Catalog> {
    return readCatalog(this.engine, this.#catalog);
  }

  /** Sets the code of a model, for its table. */
  async attachCode(scheme: Scheme): Promise<Table> {
    this.#schemes.set(modelKey(scheme.resource), scheme);
    await this.reload();
    const table = this.findTable(scheme.resource);
    if (table === undefined) throw new Error(`${scheme.resource.kind} was not attached`);
    return table;
  }

  /** Removes the code of a model. Its objects remain. */
  detachCode(model: ModelKind): void {
    this.#schemes.delete(modelKey(model));
    this.#rebuildTables();
  }

  /** The models whose code is loaded, by `modelKey`. */
  attachedModels(): Iterable<string> {
    return this.#schemes.keys();
  }

  /** The current number of objects of a model; 0 when the store does not know it. */
  async getCount(gvk: ModelKind): Promise<number> {
    const table = this.findTable(gvk);
    return table === undefined ? 0 : decodeCount(await this.engine.get(countKey(table.modelId))).objects;
  }

  /** The current revision of a model's last change; 0 before the first. */
  modelRevision({ modelId }: Pick<Table, 'modelId'>): MaybePromise<number> {
    return mapMaybe(this.engine.get(countKey(modelId)), (bytes) => decodeCount(bytes).revision);
  }

  /** Updates the tables to the latest catalogue. */
  async reload(): Promise<void> {
    const catalog = await this.readCatalog();
    // Of two concurrent reads, the one with the older state may finish last.
    if (catalog.version > this.#catalog.version) this.#catalog = catalog;
    this.#rebuildTables();
  }

  #rebuildTables(): void {
    const { isAlive } = this.options;
    const before = this.#tables;
    this.#tables = new Map(
      [...this.#catalog.models].map(([key, record]) => {
        const scheme = this.#schemes.get(key);
        const known = before.get(key);
        const isSame = known?.record === record && known.scheme === scheme;
        return [key, isSame ? known : new Table(record, scheme, isAlive)];
      }),
    );
    this.#current = new Set(this.#tables.values());
    this.#references = new ReferenceMap([...this.#tables.values()]);
    this.#notifyListeners('models');
  }

  #getCurrentTable(table: Table): Table {
    // The same table is requested repeatedly within a commit.
    if (this.#current.has(table)) return table;
    const current = this.findTable(table.resource);
    if (current === undefined) throw unavailable(`${table.resource.kind} was removed from the store`);
    return current;
  }

  // ---- reads -------------------------------------------------------------------------------------------

  /**
   * The current state of the object; undefined when it does not exist.
   * @throws ServiceError `InternalError` when it is damaged
   */
  find(table: Table, name: string): MaybePromise<StoredObject | undefined> {
    if (Buffer.byteLength(name) > FULL_NAME_BYTES_MAX) return undefined;
    let id = 0;
    const record = this.engine.follow(nameKey(table.modelId, name), (found) =>
      objectKey(table.modelId, (id = readU48(found))),
    );
    return mapMaybe(record, (bytes) => {
      if (bytes !== undefined) return this.#decode(table, id, bytes);
      if (id === 0) return undefined;
      throw damaged(table, name);
    });
  }

  /** Another process may have added the dictionary of the record since the table was made. */
  #decode(table: Table, id: number, record: Buffer): MaybePromise<StoredObject> {
    if (missingDictionary(table, record) === undefined) return decodeRecord(table, id, record);
    return this.reload().then(() => decodeRecord(this.#getCurrentTable(table), id, record));
  }

  /** The current revision of the store's last change; 0 when nothing was ever stored. */
  revision(freshness?: Freshness): MaybePromise<number> {
    return mapMaybe(this.engine.get(LOG_HEAD_KEY, freshness), (bytes) => decodeLogHead(bytes).revision);
  }

  /** Differs after every change of the store by any process. Equal stamps mean equal answers. */
  stamp(): MaybePromise<string> {
    const [catalog, log] = [this.engine.get(CATALOG_HEAD_KEY), this.engine.get(LOG_HEAD_KEY)];
    if (catalog instanceof Promise || log instanceof Promise) {
      return Promise.all([catalog, log]).then(([c, l]) => getStamp(c, l));
    }
    return getStamp(catalog, log);
  }

  isCurrent(table: Table): boolean {
    return this.#current.has(table);
  }

  /** Includes all commits completed before, or only those known to this process; must be closed. */
  read(freshness?: Freshness): ReadView {
    return new ReadView(this.engine.snapshot(freshness));
  }

  /**
   * A view, and the models as of its moment. Another process may have declared indexes again, and the old ones are
   * then no longer updated. The view must be closed.
   */
  async readCurrent(freshness?: Freshness): Promise<CurrentView> {
    for (let attempt = 0; attempt < CATALOG_RETRIES; attempt++) {
      // While another process opens the store, reads may miss the newest commit for a moment.
      if (attempt > 1) await sleep(attempt);
      const view = this.read(freshness);
      try {
        // Read before the first await, so that they belong to the compared version.
        const catalog = this.#catalog;
        const tables = this.#tables;
        if ((await view.catalogVersion()) === catalog.version) return { view, tables };
        view.close();
      } catch (error) {
        view.close();
        throw error;
      }
      await this.reload();
    }
    throw catalogBusy();
  }

  /** Runs a read on a view, which is closed afterwards. See {@link read}. */
  async within<T>(read: (view: ReadView) => MaybePromise<T>, freshness?: Freshness): Promise<T> {
    return whileOpen(this.read(freshness), read);
  }

  /** Runs a read on a view, which is closed afterwards. See {@link readCurrent}. */
  async withinCurrent<T>(read: (current: CurrentView) => MaybePromise<T>, freshness?: Freshness): Promise<T> {
    const current = await this.readCurrent(freshness);
    return whileOpen(current.view, () => read(current));
  }

  // ---- notice of changes -------------------------------------------------------------------------------

  /**
   * Calls the listener after every commit, of this process or another, and whenever the models change. May also call
   * it without a change. It must be cheap and not throw.
   * @returns a function that removes the listener
   */
  onChange(listener: StoreListener): () => void {
    if (this.#listeners.size === 0)
      this.#stopListening = this.engine.onOtherCommit(() => this.#notifyListeners('commit'));
    this.#listeners.add(listener);
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#stopListening();
    };
  }

  #notifyListeners(cause: StoreChange): void {
    for (const listener of this.#listeners) listener(cause);
  }

  // ---- writes ------------------------------------------------------------------------------------------

  /**
   * Runs the body as one commit: all its changes are stored, with consecutive revisions, or none. All data that a
   * write depends on must be read inside. The body must be synchronous and free of other side effects: it may run
   * more than once.
   * @throws ServiceError `Conflict` when the caller runs in a {@link Fence} that is no longer valid; see also
   * {@link CommitObserver.admit}
   */
  async commit<T>(body: (tx: StoreTransaction) => T, options?: StoreCommitOptions): Promise<T> {
    const fence = currentFence();
    const observer = options?.dryRun === true ? undefined : (options?.observer ?? this.observer);
    observer?.admit();
    for (let attempt = 0; attempt < CATALOG_RETRIES; attempt++) {
      try {
        let logBytes = 0;
        let textChanges = 0;
        let changes: CommittedChange[] = [];
        // A repeated run of the body belongs to the same commit.
        let timeMs: number | undefined;
        const answer = await this.engine.commit((tx) => {
          fence?.guard(tx);
          if (readCatalogVersion(tx) !== this.#catalog.version) throw new CatalogChanged();
          changes = [];
          const transaction = new StoreTransaction(tx, {
            stamp: { timeMs: (timeMs ??= this.options.now()), user: options?.user ?? '', via: options?.via },
            objectBytesMax: this.objectBytesMax,
            current: (table) => this.#getCurrentTable(table),
            findTable: (model) => this.#tables.get(modelKey(model)),
            incoming: (table) => this.#references.to(table),
            problem: (table) => table.problem(),
            changes: observer && changes,
          });
          const result = body(transaction);
          transaction.finish();
          addDictionaries(tx, transaction.writtenTables());
          logBytes = transaction.logBytes;
          textChanges = transaction.textChanges();
          return result;
        }, options);
        this.#notifyListeners('commit');
        this.history.checkLimit(logBytes);
        if (textChanges > 0) this.#noteTextChanges(textChanges);
        if (observer !== undefined) await observer.committed(changes, options?.user);
        return answer;
      } catch (error) {
        if (!(error instanceof CatalogChanged)) throw error;
        await this.reload();
      }
    }
    throw catalogBusy();
  }

  /** Without a daemon nobody else merges text indexes during many writes. */
  #noteTextChanges(count: number): void {
    this.#textChanges += count;
    if (this.#textChanges < TEXT_CHANGES_MAX) return;
    this.#textChanges = 0;
    const { signal } = this.#ending;
    this.#keepingTexts = keepTexts(this.engine, this.allTables(), { signal }).catch(() => undefined);
  }
}

/** A moment of the store with its models, by `modelKey`. */
export interface CurrentView {
  readonly view: ReadView;
  readonly tables: ReadonlyMap<string, Table>;
}

function catalogBusy(): ServiceError {
  return unavailable('concurrent changes to models; try again');
}
