import { setTimeout as sleep } from 'node:timers/promises';
import { conflict, ServiceError, unavailable } from '../errors.js';
import { readU48 } from '../lib/bytes.js';
import { mapMaybe, type MaybePromise } from '../lib/work/maybe-promise.js';
import type { Work } from '../lib/work/work.js';
import type { ModelKind } from '../model/references/reference.js';
import { type GroupVersionKind, modelKey } from '../model/resource.js';
import type { Scheme } from '../model/declare/scheme.js';
import {
  type Catalog,
  CATALOG_HEAD_KEY,
  CatalogEditor,
  type ModelRecord,
  readCatalog,
  readCatalogVersion,
} from './catalog.js';
import type { CommitOptions, Engine, Freshness, SharedLogState } from './engine.js';
import {
  attachModel,
  isWorkedOn,
  schemaHash,
  type AttachContext,
  type AttachOptions,
  type AttachProgress,
} from './lifecycle/attach.js';
import { refuseDropReferred, type Dropped } from './lifecycle/drop-referrers.js';
import { dropObjects, type DropOptions, forgetModel, forgetVersion } from './lifecycle/drop.js';
import { currentFence } from './cluster/fence.js';
import { checkFormat } from './format.js';
import { findHolder } from './cluster/served-models.js';
import { sweepDropped } from './lifecycle/index-build.js';
import { countKey, nameKey, OBJECT_NAME_BYTES_MAX, objectKey } from './index/keys.js';
import type { Lease, LeaseOptions } from './cluster/lease.js';
import { decodeLogHead, LOG_HEAD_KEY } from './log/log.js';
import { damaged, decodeRecord, type StoredObject } from './object-record.js';
import { countStoredVersions } from './lifecycle/stored-versions.js';
import { Table } from './table.js';
import { ClusterMember, type ClusterMemberOptions } from './cluster/cluster-member.js';
import { ReadView, getStamp } from './read-view.js';
import { reviewModel } from './lifecycle/migrate.js';
import { ReferenceMap, type Incoming } from './index/referrers.js';
import type { ObjectScan } from './lifecycle/scan.js';
import { rewriteObjects, type RewriteOptions, type Rewritten } from './lifecycle/rewrite.js';
import { decodeCount, StoreTransaction } from './transaction.js';
import { type Retention, trimLog } from './log/trim.js';

export interface StoreOptions extends ClusterMemberOptions {
  readonly readOnly?: boolean;
  /** The current time in milliseconds since 1970. */
  readonly now: () => number;
  /** Limit for the size of an object, in bytes of JSON; larger ones are refused. Default: no limit. */
  readonly objectBytesMax?: number | undefined;
}

export interface StoreCommitOptions extends CommitOptions {
  /** The writing user, for the log. */
  readonly user?: string | undefined;
}

/** The possible changes: objects, or the models and their indexes. */
export type StoreChange = 'commit' | 'models';
type StoreListener = (cause: StoreChange) => void;

export interface LogSizeLimit {
  readonly bytesMax: number;
  /** Must be cheap and not throw. */
  readonly onPassed: () => void;
}

/** Another process has changed the catalogue since it was read. The commit runs again. */
class CatalogMoved extends Error {}

/** Retries of a commit after changes of the catalogue, before this counts as an error. */
const CATALOG_RETRIES = 20;

/**
 * Objects of all models as bytes, with their indexes, revisions and log. The only access to the engine for the layers
 * above.
 */
export class Store {
  private catalog: Catalog;
  private readonly process: ClusterMember;
  private readonly schemes = new Map<string, Scheme>();
  private tables = new Map<string, Table>();
  private current: ReadonlySet<Table> = new Set();
  private references = new ReferenceMap([]);
  private readonly listeners = new Set<StoreListener>();
  private stopListening: () => void = () => undefined;
  private logLimit: LogSizeLimit = { bytesMax: Infinity, onPassed: () => undefined };

  private constructor(
    readonly engine: Engine,
    private readonly options: StoreOptions,
    catalog: Catalog,
    /** Known only to processes that may read the store. */
    readonly secret: Uint8Array,
  ) {
    this.catalog = catalog;
    this.process = new ClusterMember(engine, options);
    this.rebuildTables();
  }

  /**
   * Opens a store on an engine and checks its format. Writes the format into an empty store.
   * @throws ServiceError `ServiceUnavailable` when the format is not that of this program
   */
  static async open(engine: Engine, options: StoreOptions): Promise<Store> {
    try {
      const secret = await checkFormat(engine, options.readOnly === true);
      const store = new Store(engine, options, await readCatalog(engine), secret);
      await store.process.start();
      return store;
    } catch (error) {
      await engine.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.schemes.clear();
    await this.process.end();
    await this.engine.close();
  }

  /** The reason why writes are refused now; see {@link Engine.writeProblem}. */
  writeProblem(): string | undefined {
    return this.engine.writeProblem();
  }

  /** Releases the resources of dead readers. */
  clearDeadReaders(): void {
    this.engine.clearDeadReaders();
  }

  /** Limit for the size of an object, in bytes of JSON. */
  get objectBytesMax(): number {
    return this.options.objectBytesMax ?? Infinity;
  }

  /**
   * A lease for which this process and others on the store compete. It must be started, and stopped before the store
   * closes.
   */
  lease(name: string, events: Pick<LeaseOptions, 'onBegin' | 'onEnd' | 'onProblem'>): Lease {
    return this.process.lease(name, events);
  }

  // ---- models ------------------------------------------------------------------------------------------

  /** Every model of the store, with or without its code. */
  allTables(): Table[] {
    return [...this.tables.values()];
  }

  /** True when any model has references. */
  get hasReferences(): boolean {
    return !this.references.isEmpty;
  }

  /** The references to objects of a model, by the latest declarations of any process that this one knows. */
  incoming(table: Table): readonly Incoming[] {
    return this.references.to(table);
  }

  /** Undefined for a model that is new to the store. */
  findTable(gvk: ModelKind): Table | undefined {
    return this.tables.get(modelKey(gvk));
  }

  /**
   * Connects a model's code with its stored data and updates its indexes. Nothing is done when the declarations equal
   * the stored ones. Otherwise outstanding migrations are applied, and the changed indexes are built, in small
   * commits.
   * @throws ServiceError when an index function fails, or a unique index would have a value twice
   */
  async attach(scheme: Scheme, options?: AttachOptions): Promise<Table> {
    await attachModel(this.attachContext(), scheme, options);
    this.schemes.set(modelKey(scheme.resource), scheme);
    await this.reload();
    await this.process.publishServedModels(this.schemes.keys());
    const table = this.findTable(scheme.resource);
    if (table === undefined) throw new Error(`${scheme.resource.kind} was not attached`);
    return table;
  }

  /**
   * Builds all indexes of a model again from its objects, in small commits, whatever the old ones contain. Until that
   * is complete, every process refuses lists and writes of the model as unavailable.
   * @throws ServiceError when an index function fails, or a unique index would have a value twice
   */
  async reindex(scheme: Scheme, progress?: (progress: AttachProgress) => void): Promise<void> {
    const options: AttachOptions = { scope: 'all', ...(progress && { progress }) };
    await attachModel(this.attachContext(), scheme, options);
    await this.reload();
  }

  private attachContext(): AttachContext {
    const { owner, isAlive, answers } = this.process;
    return {
      ...this.options,
      owner,
      isAlive,
      answers,
      engine: this.engine,
      catalog: this.catalog,
      lease: (name, events) => this.lease(name, events),
    };
  }

  /** Detaches a model's code. Its objects remain. */
  detach(gvk: GroupVersionKind): void {
    this.schemes.delete(modelKey(gvk));
    this.rebuildTables();
    // A record that cannot be updated now is removed when this process ends.
    void this.process.publishServedModels(this.schemes.keys()).catch(() => undefined);
  }

  /**
   * Reviews all objects of a model as its code reads them, after their outstanding migrations; see
   * {@link reviewModel}. The model need not be attached.
   */
  async review(scheme: Scheme, options: Parameters<typeof reviewModel>[3] = {}): Promise<ObjectScan> {
    const record = (await readCatalog(this.engine, this.catalog)).models.get(modelKey(scheme.resource));
    if (record === undefined) return { objects: 0, unfit: 0 };
    return reviewModel(this.engine, record, scheme, options);
  }

  /** True when objects of a model may not match: its schema has changed since the review, or some did not match. */
  needsReview(scheme: Scheme): boolean {
    const review = this.catalog.models.get(modelKey(scheme.resource))?.review;
    if (review === undefined || review.unfit > 0 || review.dangling !== undefined) return true;
    return review.schema !== schemaHash(scheme);
  }

  /** Stores the number of objects that did not match, and of names without a target. */
  async keepReview(scheme: Scheme, { unfit, dangling }: { unfit: number; dangling: number }): Promise<void> {
    const key = modelKey(scheme.resource);
    await this.engine.commit((tx) => {
      const editor = new CatalogEditor(tx);
      const record = editor.findByKey(key);
      if (record !== undefined)
        editor.put({
          ...record,
          review: { schema: schemaHash(scheme), unfit, ...(dangling > 0 && { dangling }) },
        });
    });
    await this.reload();
  }

  /** The current number of objects of a model; 0 when the store does not know it. */
  async getCount(gvk: GroupVersionKind): Promise<number> {
    const table = this.findTable(gvk);
    return table === undefined ? 0 : decodeCount(await this.engine.get(countKey(table.modelId))).objects;
  }

  /** The number of objects that did not match their model in the latest review. */
  invalidCount(gvk: Pick<GroupVersionKind, 'group' | 'kind'>): number {
    return this.catalog.models.get(modelKey(gvk))?.review?.unfit ?? 0;
  }

  /** The number of names without a target in the latest review of a model's objects. */
  danglingCount(gvk: ModelKind): number {
    return this.catalog.models.get(modelKey(gvk))?.review?.dangling ?? 0;
  }

  /**
   * {@link invalidCount} for the current declaration of a model; undefined when there was no review since it changed.
   */
  knownInvalidCount(scheme: Scheme): number | undefined {
    const review = this.findRecord(scheme.resource)?.review;
    return review?.schema === schemaHash(scheme) ? review.unfit : undefined;
  }

  /** The store's record of a model; undefined when the store does not know it. */
  findRecord(gvk: Pick<GroupVersionKind, 'group' | 'kind'>): ModelRecord | undefined {
    return this.catalog.models.get(modelKey(gvk));
  }

  /** The number of objects of a model in each version. Omits versions without objects. */
  async countVersions(
    gvk: Pick<GroupVersionKind, 'group' | 'kind'>,
    work?: Work,
  ): Promise<ReadonlyMap<string, number>> {
    const record = this.findRecord(gvk);
    if (record === undefined) return new Map();
    const { objects } = decodeCount(await this.engine.get(countKey(record.id)));
    const [only, another] = record.storedVersions;
    if (objects === 0) return new Map();
    if (only !== undefined && another === undefined) return new Map([[only, objects]]);
    return countStoredVersions(this.engine, record, work);
  }

  /** The name of another living process that serves a model or works on it now; undefined when none does. */
  async findHolder(gvk: Pick<GroupVersionKind, 'group' | 'kind'>): Promise<string | undefined> {
    const { owner, isAlive } = this.process;
    const builder = (await readCatalog(this.engine, this.catalog)).models.get(modelKey(gvk))?.builder;
    if (builder !== undefined && isWorkedOn(builder) && builder !== owner && isAlive(builder)) return builder;
    return findHolder(this.engine, gvk, this.process);
  }

  /** See {@link refuseDropReferred}. */
  async refuseDropReferred(dropped: Dropped): Promise<void> {
    const view = this.read();
    try {
      await refuseDropReferred(this.engine, dropped, view);
    } finally {
      view.close();
    }
  }

  /**
   * Removes the objects of a model, or those stored in one version, without needing its code; see
   * {@link dropObjects}. The model itself remains.
   * @returns the number of removed objects
   */
  async dropObjects(table: Table, options: Omit<DropOptions, 'now'> = {}): Promise<number> {
    const { now } = this.options;
    const { version } = options;
    const removed = await dropObjects(this.engine, (body) => this.commit(body), table, {
      ...options,
      now,
    });
    if (version !== undefined) {
      await this.engine.commit((tx) => forgetVersion(tx, table.modelId, version));
      await this.reload();
    }
    return removed;
  }

  /** Removes a model without objects, with its indexes. @throws ServiceError `Conflict` when it has objects */
  async forget({ modelId, resource: { group, kind } }: Table): Promise<void> {
    if (!(await this.engine.commit((tx) => forgetModel(tx, modelId))))
      throw conflict(`objects of ${kind} are being written; stop the writers and try again`, {
        group,
        kind,
      });
    await this.reload();
    await this.sweep();
  }

  /** Models with loaded code whose objects are partly stored in other versions than the storage version. */
  mixedTables(): Table[] {
    return this.allTables().filter(({ isMixed, scheme }) => isMixed && scheme !== undefined);
  }

  /** See {@link rewriteObjects}. */
  async rewrite(table: Table, options?: RewriteOptions): Promise<Rewritten> {
    if (table.scheme === undefined) throw new Error(`${table.resource.kind} is not attached`);
    const rewritten = await rewriteObjects(this.engine, table, options);
    await this.reload();
    return rewritten;
  }

  /** Removes the entries of indexes that are no longer declared, in small commits. */
  sweep(): Promise<void> {
    return sweepDropped(this.engine);
  }

  /**
   * Removes old entries from the log, in small commits; see {@link Retention}.
   * @param nowMs milliseconds since 1970. Default: by the store's clock
   */
  trimLog(retention: Retention, nowMs = this.options.now()): Promise<number> {
    return trimLog(this.engine, retention, nowMs);
  }

  /** The current size of the log in bytes, including the writes of other processes. */
  logBytes(): MaybePromise<number> {
    return mapMaybe(this.engine.get(LOG_HEAD_KEY), (bytes) => decodeLogHead(bytes).bytes);
  }

  /** The current revision of a model's last change; 0 before the first. */
  modelRevision({ modelId }: Pick<Table, 'modelId'>): MaybePromise<number> {
    return mapMaybe(this.engine.get(countKey(modelId)), (bytes) => decodeCount(bytes).revision);
  }

  /** See {@link Engine.sharedLog}. */
  sharedLog(): SharedLogState | undefined {
    return this.engine.sharedLog();
  }

  /** See {@link Engine.foldLog}. */
  foldLog(): Promise<void> {
    return this.engine.foldLog();
  }

  /** Calls a listener after each commit of this process that leaves the log larger than a limit. */
  limitLog(limit: LogSizeLimit): void {
    this.logLimit = limit;
  }

  private async reload(): Promise<void> {
    const catalog = await readCatalog(this.engine, this.catalog);
    // Of two concurrent reads, the one with the older state may finish last.
    if (catalog.version > this.catalog.version) this.catalog = catalog;
    this.rebuildTables();
  }

  private rebuildTables(): void {
    this.tables = new Map(
      [...this.catalog.models].map(([key, record]) => [key, new Table(record, this.schemes.get(key))]),
    );
    this.current = new Set(this.tables.values());
    this.references = new ReferenceMap([...this.tables.values()]);
    this.tellListeners('models');
  }

  private getCurrentTable(table: Table): Table {
    // The same table is requested repeatedly within a commit.
    if (this.current.has(table)) return table;
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
    if (Buffer.byteLength(name) > OBJECT_NAME_BYTES_MAX) return undefined;
    let id = 0;
    const record = this.engine.follow(nameKey(table.modelId, name), (found) =>
      objectKey(table.modelId, (id = readU48(found))),
    );
    return mapMaybe(record, (bytes) => {
      if (bytes !== undefined) return decodeRecord(table, id, bytes);
      if (id === 0) return undefined;
      throw damaged(table, name);
    });
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

  /** True when the table is the current one of its model. */
  isCurrent(table: Table): boolean {
    return this.current.has(table);
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
        const { catalog, tables } = this;
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

  // ---- notice of changes -------------------------------------------------------------------------------

  /**
   * Calls the listener after every commit, of this process or another, and whenever the models change. May also call
   * it without a change. It must be cheap and not throw.
   * @returns a function that removes the listener
   */
  onChange(listener: StoreListener): () => void {
    if (this.listeners.size === 0)
      this.stopListening = this.engine.onOtherCommit(() => this.tellListeners('commit'));
    this.listeners.add(listener);
    return () => {
      if (this.listeners.delete(listener) && this.listeners.size === 0) this.stopListening();
    };
  }

  private tellListeners(cause: StoreChange): void {
    for (const listener of this.listeners) listener(cause);
  }

  // ---- writes ------------------------------------------------------------------------------------------

  /**
   * Runs the body as one commit: all its changes are stored, with consecutive revisions, or none. All data that a
   * write depends on must be read inside. The body must be synchronous and free of other side effects: it may run
   * more than once.
   * @throws ServiceError `Conflict` when the caller runs in a {@link Fence} that is no longer valid
   */
  async commit<T>(body: (tx: StoreTransaction) => T, options?: StoreCommitOptions): Promise<T> {
    const fence = currentFence();
    for (let attempt = 0; attempt < CATALOG_RETRIES; attempt++) {
      try {
        let logBytes = 0;
        // A repeated run of the body belongs to the same commit.
        let timeMs: number | undefined;
        const answer = await this.engine.commit((tx) => {
          fence?.guard(tx);
          if (readCatalogVersion(tx) !== this.catalog.version) throw new CatalogMoved();
          const transaction = new StoreTransaction(tx, {
            stamp: { timeMs: (timeMs ??= this.options.now()), user: options?.user ?? '' },
            objectBytesMax: this.objectBytesMax,
            current: (table) => this.getCurrentTable(table),
            findTable: (model) => this.tables.get(modelKey(model)),
            incoming: (table) => this.references.to(table),
            problem: (table) => table.problem(),
          });
          const result = body(transaction);
          transaction.finish();
          logBytes = transaction.logBytes;
          return result;
        }, options);
        this.tellListeners('commit');
        if (logBytes > this.logLimit.bytesMax) this.logLimit.onPassed();
        return answer;
      } catch (error) {
        if (!(error instanceof CatalogMoved)) throw error;
        await this.reload();
      }
    }
    throw catalogBusy();
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
