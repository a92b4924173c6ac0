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
import type { Scan } from './lifecycle/scan.js';
import { rewriteObjects, type RewriteOptions, type Rewritten } from './lifecycle/rewrite.js';
import { decodeCount, StoreTransaction } from './transaction.js';
import { type Retention, trimLog } from './log/trim.js';

export interface StoreOptions extends ClusterMemberOptions {
  readonly readOnly?: boolean;
  /** Now, in milliseconds since 1970. */
  readonly now: () => number;
  /** A larger object is not stored, in bytes of JSON. Default: no limit. */
  readonly objectBytesMax?: number | undefined;
}

export interface StoreCommitOptions extends CommitOptions {
  /** Who writes, for the log. */
  readonly user?: string | undefined;
}

/** What may have changed: objects, or the models and their indexes. */
export type StoreChange = 'commit' | 'models';
type StoreListener = (cause: StoreChange) => void;

export interface LogLimit {
  readonly bytesMax: number;
  /** Must be cheap and not throw. */
  readonly onPassed: () => void;
}

/** The catalogue was changed by another process since it was read; the commit is run again. */
class CatalogMoved extends Error {}

/** How often a commit may find the catalogue moved before that is taken for a fault. */
const CATALOG_RETRIES = 20;

/**
 * Objects of all models as bytes, with their indexes, revisions and log. The only way to the engine for the
 * rooms below it.
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
  private logLimit: LogLimit = { bytesMax: Infinity, onPassed: () => undefined };

  private constructor(
    readonly engine: Engine,
    private readonly options: StoreOptions,
    catalog: Catalog,
    /** Known only to those who may read the store. */
    readonly secret: Uint8Array,
  ) {
    this.catalog = catalog;
    this.process = new ClusterMember(engine, options);
    this.rebuildTables();
  }

  /**
   * Opens a store on an engine and checks its format; writes the format into an empty one.
   * @throws ServiceError `ServiceUnavailable` when the format is not this program's
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

  /** Why a write would be refused now; see {@link Engine.writeProblem}. */
  writeProblem(): string | undefined {
    return this.engine.writeProblem();
  }

  /** Gives back what readers held that died. */
  clearDeadReaders(): void {
    this.engine.clearDeadReaders();
  }

  /** A larger object is not stored, in bytes of JSON. */
  get objectBytesMax(): number {
    return this.options.objectBytesMax ?? Infinity;
  }

  /** A lease that this process and others on the store want to hold; it must be started, and stopped before the store. */
  lease(name: string, events: Pick<LeaseOptions, 'onBegin' | 'onEnd' | 'onProblem'>): Lease {
    return this.process.lease(name, events);
  }

  // ---- models ------------------------------------------------------------------------------------------

  /** Every model the store knows, with or without its code. */
  allTables(): Table[] {
    return [...this.tables.values()];
  }

  /** Whether any model refers to another one, or to itself. */
  get hasReferences(): boolean {
    return !this.references.isEmpty;
  }

  /** What refers to objects of a model; as they were declared last, by any process, as far as this one knows. */
  incoming(table: Table): readonly Incoming[] {
    return this.references.to(table);
  }

  /** Undefined when the store has never seen the model. */
  findTable(gvk: ModelKind): Table | undefined {
    return this.tables.get(modelKey(gvk));
  }

  /**
   * Joins a model's code with its place in the store and brings its indexes up to date: nothing is done when
   * the declarations are the stored ones; otherwise objects go through outstanding migrations, and the changed indexes are
   * built, in small commits.
   * @throws ServiceError when an index function fails or a unique index has a value twice
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
   * Builds all indexes of a model anew from its objects, in small commits, whatever the old ones hold. Until that
   * is done lists and writes of the model are refused as unavailable, in every process.
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

  /** Forgets a model's code. Its objects stay. */
  detach(gvk: GroupVersionKind): void {
    this.schemes.delete(modelKey(gvk));
    this.rebuildTables();
    // What cannot be told now is forgotten when this process ends.
    void this.process.publishServedModels(this.schemes.keys()).catch(() => undefined);
  }

  /**
   * Looks at all objects of a model as its code sees them, after its outstanding migrations; see {@link reviewModel}.
   * The model need not be attached.
   */
  async review(scheme: Scheme, options: Parameters<typeof reviewModel>[3] = {}): Promise<Scan> {
    const record = (await readCatalog(this.engine, this.catalog)).models.get(modelKey(scheme.resource));
    if (record === undefined) return { objects: 0, unfit: 0 };
    return reviewModel(this.engine, record, scheme, options);
  }

  /** Whether objects of a model may not fit: its schema is another than they were checked against, or some did not. */
  needsReview(scheme: Scheme): boolean {
    const review = this.catalog.models.get(modelKey(scheme.resource))?.review;
    if (review === undefined || review.unfit > 0 || review.dangling !== undefined) return true;
    return review.schema !== schemaHash(scheme);
  }

  /** Keeps how many objects did not fit, and how many names had no target. */
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

  /** How many objects a model has now; 0 when the store does not know it. */
  async getCount(gvk: GroupVersionKind): Promise<number> {
    const table = this.findTable(gvk);
    return table === undefined ? 0 : decodeCount(await this.engine.get(countKey(table.modelId))).objects;
  }

  /** How many objects of a model do not fit it, as far as they were looked at. */
  invalidCount(gvk: Pick<GroupVersionKind, 'group' | 'kind'>): number {
    return this.catalog.models.get(modelKey(gvk))?.review?.unfit ?? 0;
  }

  /** How many names in a model's objects had no target when they were looked at last. */
  danglingCount(gvk: ModelKind): number {
    return this.catalog.models.get(modelKey(gvk))?.review?.dangling ?? 0;
  }

  /** The same of a model as it is declared now; undefined when its objects were not looked at since it changed. */
  knownInvalidCount(scheme: Scheme): number | undefined {
    const review = this.findRecord(scheme.resource)?.review;
    return review?.schema === schemaHash(scheme) ? review.unfit : undefined;
  }

  /** What the store knows of a model; undefined when it does not know it. */
  findRecord(gvk: Pick<GroupVersionKind, 'group' | 'kind'>): ModelRecord | undefined {
    return this.catalog.models.get(modelKey(gvk));
  }

  /** How many objects of a model are stored in each version; only versions that objects are stored in. */
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

  /** The name of another living process that serves a model, or that works on it now; undefined when none does. */
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
   * Removes the objects of a model, or those stored in one version, with the code of none; see {@link dropObjects}.
   * The model itself stays.
   * @returns how many there were
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

  /** Forgets a model that has no objects, with its indexes. @throws ServiceError `Conflict` when it has some */
  async forget({ modelId, resource: { group, kind } }: Table): Promise<void> {
    if (!(await this.engine.commit((tx) => forgetModel(tx, modelId))))
      throw conflict(`objects of ${kind} are being written; stop the writers and try again`, {
        group,
        kind,
      });
    await this.reload();
    await this.sweep();
  }

  /** Models that hold objects of other versions than the storage version, and whose code is loaded. */
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
   * Takes old entries out of the log, in small commits; see {@link Retention}.
   * @param nowMs milliseconds since 1970. Default: by the store's clock
   */
  trimLog(retention: Retention, nowMs = this.options.now()): Promise<number> {
    return trimLog(this.engine, retention, nowMs);
  }

  /** What the log takes now, whoever wrote it. */
  logBytes(): MaybePromise<number> {
    return mapMaybe(this.engine.get(LOG_HEAD_KEY), (bytes) => decodeLogHead(bytes).bytes);
  }

  /** Of the last change of a model, as of now; 0 before the first. */
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

  /** Has a listener told after each commit of this process that leaves the log larger than a limit. */
  limitLog(limit: LogLimit): void {
    this.logLimit = limit;
  }

  private async reload(): Promise<void> {
    const catalog = await readCatalog(this.engine, this.catalog);
    // Of two that read at the same time the one with the older state may come last.
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
    // The same table is asked for again and again within a commit.
    if (this.current.has(table)) return table;
    const current = this.findTable(table.resource);
    if (current === undefined) throw unavailable(`${table.resource.kind} was removed from the store`);
    return current;
  }

  // ---- reads -------------------------------------------------------------------------------------------

  /** The object as of now; undefined when there is none. @throws ServiceError `InternalError` when it is damaged */
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

  /** Of the last change of the store, as of now; 0 when nothing was ever stored. */
  revision(freshness?: Freshness): MaybePromise<number> {
    return mapMaybe(this.engine.get(LOG_HEAD_KEY, freshness), (bytes) => decodeLogHead(bytes).revision);
  }

  /** Changes with every change of the store, by any process; the same stamp means the same answers. */
  stamp(): MaybePromise<string> {
    const [catalog, log] = [this.engine.get(CATALOG_HEAD_KEY), this.engine.get(LOG_HEAD_KEY)];
    if (catalog instanceof Promise || log instanceof Promise) {
      return Promise.all([catalog, log]).then(([c, l]) => getStamp(c, l));
    }
    return getStamp(catalog, log);
  }

  /** Whether this is how the table is known now. */
  isCurrent(table: Table): boolean {
    return this.current.has(table);
  }

  /** Sees all commits answered before, unless what this process knows is enough; must be closed. */
  read(freshness?: Freshness): ReadView {
    return new ReadView(this.engine.snapshot(freshness));
  }

  /**
   * A view, and the models as of its moment: another process may have declared indexes anew, and what the old
   * ones hold is then no longer kept up. The view must be closed.
   */
  async readCurrent(freshness?: Freshness): Promise<CurrentView> {
    for (let attempt = 0; attempt < CATALOG_RETRIES; attempt++) {
      // While another process opens the store, readers may miss the newest commit for a moment.
      if (attempt > 1) await sleep(attempt);
      const view = this.read(freshness);
      try {
        // Taken before anything is awaited, so that they belong to the version compared with.
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
   * Calls the listener after every commit, of this process or another, and whenever the models change; now and
   * then also without a cause. It must be cheap and not throw.
   * @returns ends it
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
   * Runs the body as one commit: all its changes are stored, each with a revision of its own that follow one another, or none. Everything that
   * decides a write must be read inside. The body must be synchronous and free of other side effects: it may
   * run more than once.
   * @throws ServiceError `Conflict` when the caller runs in a {@link Fence} that no longer holds
   */
  async commit<T>(body: (tx: StoreTransaction) => T, options?: StoreCommitOptions): Promise<T> {
    const fence = currentFence();
    for (let attempt = 0; attempt < CATALOG_RETRIES; attempt++) {
      try {
        let logBytes = 0;
        // When the body is run a second time, it is still the same commit.
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

/** A moment of the store with the models it has then, by `modelKey`. */
export interface CurrentView {
  readonly view: ReadView;
  readonly tables: ReadonlyMap<string, Table>;
}

function catalogBusy(): ServiceError {
  return unavailable('concurrent changes to models; try again');
}
