import { randomUUID } from 'node:crypto';
import { badRequest, ServiceError } from '../errors.js';
import { CacheBudget } from '../lib/cache-budget.js';
import { mapMaybe, type MaybePromise } from '../lib/work/maybe-promise.js';
import { inTurn } from '../lib/work/turn.js';
import type { Work } from '../lib/work/work.js';
import { runSync } from '../lib/work/yield.js';
import type { ExtensionObject, Metadata, ObjectDraft } from '../model/object.js';
import { withConversions } from '../model/evolve/pending-conversion.js';
import { modelKey, type Resource } from '../model/resource.js';
import { readExpand } from '../query/expand.js';
import { type GetOptions, type ListOptions, type MatchOptions, NO_COUNTS } from '../query/list-options.js';
import { ListCaches, type ListCacheOptions } from '../list/cache.js';
import type { Store } from '../store/store.js';
import { parseObject, type StoredObject } from '../store/object-record.js';
import { WatchHub } from '../watch/hub.js';
import type { BacklogLimits } from '../watch/subscription.js';
import { readChangedModels, type ChangedModels } from './read/changed-models.js';
import type { CheckBeforeWrites, ServiceContext, WorkAfterWrites } from './context.js';
import type { Companion, InsertCheck } from './inserts.js';
import { Cascades } from './references/cascades.js';
import { atPlace, declareRequest, type Declaration } from './write/declare.js';
import { readExpanded } from './expand/expanded-object.js';
import { prepareCreate } from './write/create.js';
import { applyChange, changedName, type PreparedChange } from './write/change.js';
import type { RawBatchResult, RawWriteResult } from './write/result.js';
import { readDependents } from './read/dependents.js';
import type { Reading } from './read/find.js';
import { shownWithin } from './scope/scoped-model.js';
import type { ObjectScope } from './scope/object-scope.js';
import { readHistory, readPast, type PastReading } from './read/history.js';
import { readModelHistory } from './read/model-history.js';
import {
  iterateCopies,
  count,
  eachName,
  listHead,
  listNames,
  explain,
  listRaw,
  type RawList,
} from './read/list.js';
import { type KeptPage, renewPage, type RenewedPage } from './read/kept-page.js';
import { Measures } from './measures.js';
import type { Models } from './models.js';
import { readReferrers } from './references/referrers.js';
import { openWatch, watchEvents, type RawWatch } from './read/watch.js';
import { undoCommit } from './undo/undo-commit.js';
import { write } from './write/write.js';
import { atItem, LARGE, type OnFault, type WriteRequest } from './write/request.js';
import type {
  AcceptedPatchType,
  BatchItem,
  DeleteOptions,
  DependentList,
  HistoryOptions,
  HistoryPage,
  Included,
  ListExplanation,
  ListPage,
  ModelHistoryOptions,
  ModelHistoryPage,
  ReferrerList,
  RelatedOptions,
  ResourceRef,
  UndoOptions,
  UndoResult,
  Verbs,
  WatchEvent,
  WatchOptions,
  WithIncluded,
  WriteOptions,
  WrittenPart,
} from './verbs.js';
import { objectNotFound } from './object-errors.js';
import type { WriteAudit } from './write-audit.js';
import { EffectlessApplies } from './write/apply/effectless-applies.js';
import type { FieldManagers } from './write/apply/field-managers.js';
import type { Reviewers } from './write/review/reviewers.js';

export interface ServiceOptions {
  readonly store: Store;
  readonly models: Models;
  /** The current time. Default: the system's clock. */
  readonly now?: () => Date;
  /** The user of this process's writes, for the log. Default: none. */
  readonly user?: string;
  /** Records the writes of this process. Default: they are not recorded. */
  readonly audit?: WriteAudit | undefined;
  /** The memory of all caches. Default: a separate budget. */
  readonly cacheBudget?: CacheBudget;
  /** See {@link ServiceContext}; for tests. Default 1,000. */
  readonly cascadeMax?: number;
  /** Limits of the list caches, for tests. */
  readonly listCaches?: ListCacheOptions;
  /** Keeps who owns which fields of objects. Default: nobody does. */
  readonly fieldManagers?: FieldManagers;
  readonly watch?: {
    /** Most changes that a slow watcher may leave unread. Default: see `WatchHub`. */
    readonly backlog?: BacklogLimits;
    /** Interval of requested bookmarks, in milliseconds. Default 10 s. */
    readonly bookmarkMs?: number;
  };
}

/** An object as JSON. */
export interface RawObject {
  readonly revision: number;
  readonly json: Buffer;
}

/** Options of a batch. */
export interface BatchOptions extends WriteOptions {
  /** Gets the refusal of each item that cannot be prepared. The batch fails with the first one. */
  readonly onFault?: OnFault;
}

/**
 * Adds an object to the commit.
 * @returns its future metadata, except its revision
 */
export type CreateOne = (ref: ResourceRef, object: ObjectDraft) => Metadata;

const BOOKMARK_MS = 10_000;
const CASCADE_MAX = 1_000;

/**
 * The verbs on a store in this process: the only entry point to it. Bodies of all senders are validated here. Long
 * reads stop with their `work`, and are counted in it; without `work` they have no limits.
 */
export class Service implements Verbs {
  /** For maintenance of the store; objects are read and written by verbs. */
  readonly store: Store;
  readonly models: Models;
  /** The source of changes. */
  readonly hub: WatchHub;
  readonly listCaches: ListCaches;
  readonly measures = new Measures();
  /** The memory of all caches of the service, also for caches of answers. */
  readonly cacheBudget: CacheBudget;
  readonly #context: ServiceContext;
  readonly #cascades = new Cascades(() => this.#context);
  readonly #beforeWrites = new Map<string, CheckBeforeWrites>();
  readonly #afterWrites = new Map<string, WorkAfterWrites>();
  #reviewers: Reviewers | undefined;
  readonly #checks: InsertCheck[] = [];
  readonly #companions = new Map<string, (metadata: Metadata) => Companion>();
  readonly #endings: (() => Promise<void>)[] = [];
  #fieldManager: string | undefined;

  constructor(options: ServiceOptions) {
    const { store, models, now = () => new Date(), watch = {}, user, audit, fieldManagers } = options;
    this.cacheBudget = options.cacheBudget ?? new CacheBudget();
    const listCaches = new ListCaches(() => store.read(), this.cacheBudget, options.listCaches);
    models.onClosed = (modelId) => listCaches.forget(modelId);
    const hub = new WatchHub(store, watch.backlog);
    const { measures } = this;
    this.store = store;
    this.models = models;
    this.hub = hub;
    this.listCaches = listCaches;
    const bookmarkMs = watch.bookmarkMs ?? BOOKMARK_MS;
    const scheduleCascades = (): void => this.#cascades.wake();
    const { cascadeMax = CASCADE_MAX } = options;
    const [beforeWrites, afterWrites] = [this.#beforeWrites, this.#afterWrites];
    const inserts = { checks: this.#checks, companions: this.#companions };
    const own = {
      now,
      uid: randomUUID,
      measures,
      bookmarkMs,
      user,
      cascadeMax,
      beforeWrites,
      afterWrites,
      inserts,
      fieldManagers,
      effectlessApplies: new EffectlessApplies(this.cacheBudget),
      audit,
      scheduleCascades,
    };
    store.observer = audit?.commits;
    const findReviewers = (): Reviewers | undefined => this.#reviewers;
    this.#context = {
      store,
      models,
      listCaches,
      hub,
      ...own,
      get reviewers() {
        return findReviewers();
      },
    };
  }

  /** The current time, as used for timestamps of objects. */
  now(): Date {
    return this.#context.now();
  }

  resources(): Promise<readonly Resource[]> {
    return Promise.resolve(this.#context.models.asStored());
  }

  /** The served models whose objects were changed after a revision. */
  changedModels(after: number): Promise<ChangedModels> {
    return readChangedModels(this.#context, after);
  }

  /**
   * The object as JSON, as its stored bytes in the storage version; synchronous when the store can answer at once.
   * @param scope the part of the model that the sender may see. Default: the whole
   * @throws ServiceError `NotFound`, `ServiceUnavailable`, `InternalError` when it cannot be converted
   */
  getRaw(ref: ResourceRef, name: string, scope?: ObjectScope): MaybePromise<RawObject> {
    return withConversions(() => {
      const model = this.#context.models.view(ref);
      const show = (stored: StoredObject | undefined): RawObject => {
        const json = stored && shownWithin(model, stored.bytes, scope);
        if (stored === undefined || json === undefined) throw objectNotFound(model.resource, name);
        return { revision: stored.revision, json };
      };
      const isAsStored = model.isVerbatim && scope === undefined;
      return mapMaybe(this.#context.store.find(model.table, name), (stored) =>
        isAsStored || stored === undefined || stored.bytes.length <= LARGE
          ? show(stored)
          : inTurn(() => show(stored)),
      );
    });
  }

  /**
   * The object with those that references lead to, as JSON.
   * @throws ServiceError as {@link getRaw}, and `BadRequest`
   */
  async expandRaw(
    ref: ResourceRef,
    name: string,
    { expand }: GetOptions,
    { work, scope, related }: Reading = {},
  ): Promise<RawObject> {
    const asked = { ref, name, paths: readExpand(expand) ?? [] };
    return withConversions(() => readExpanded(this.#context, asked, { work, scope, related }));
  }

  async get(
    ref: ResourceRef,
    name: string,
    options: GetOptions = {},
    reading: Reading = {},
  ): Promise<ExtensionObject & WithIncluded> {
    if (readExpand(options.expand) !== undefined)
      return parseObject((await this.expandRaw(ref, name, options, reading)).json);
    return parseObject((await this.getRaw(ref, name, reading.scope)).json);
  }

  /** See {@link readPast}. */
  async getRawAt(
    ref: ResourceRef,
    name: string,
    resourceVersion: string,
    reading: PastReading = {},
  ): Promise<RawObject> {
    return withConversions(() =>
      readPast({ context: this.#context, ref, name, ...reading }, resourceVersion),
    );
  }

  async getAt(
    ref: ResourceRef,
    name: string,
    resourceVersion: string,
    reading: PastReading = {},
  ): Promise<ExtensionObject> {
    return parseObject((await this.getRawAt(ref, name, resourceVersion, reading)).json);
  }

  async history(
    ref: ResourceRef,
    name: string,
    options: HistoryOptions = {},
    reading: PastReading = {},
  ): Promise<HistoryPage> {
    return withConversions(() => readHistory({ context: this.#context, ref, name, ...reading }, options));
  }

  async modelHistory(
    ref: ResourceRef,
    options: ModelHistoryOptions = {},
    reading: PastReading = {},
  ): Promise<ModelHistoryPage> {
    return withConversions(() => readModelHistory({ context: this.#context, ref, ...reading }, options));
  }

  async getMany(ref: ResourceRef, names: readonly string[]): Promise<(ExtensionObject | undefined)[]> {
    const model = this.#context.models.view(ref);
    return this.#context.store.within(async (view) => {
      const found = await view.findIds(model.table, names);
      const ids = found.filter((id) => id !== undefined);
      const objects = await view.readMany(model.table, ids);
      const stored = new Map(objects.map((object, i) => [ids[i], object]));
      const texts = objects.flatMap((object) => object?.bytes ?? []);
      return await model.withHeld(texts, () =>
        found.map((id) => {
          const object = stored.get(id);
          return object && model.object(object.bytes);
        }),
      );
    });
  }

  /** A list as bytes, see {@link RawList}. */
  async listRaw(ref: ResourceRef, options: ListOptions = {}, reading: Reading = {}): Promise<RawList> {
    return withConversions(() => listRaw(this.#context, this.#context.models.view(ref), options, reading));
  }

  /** Compares a page with the changes since; undefined when one of them may have changed it. */
  renewPage(page: KeptPage): Promise<RenewedPage | undefined> {
    return renewPage(this.#context, page);
  }

  async list(ref: ResourceRef, options: ListOptions = {}, reading: Reading = {}): Promise<ListPage> {
    const raw = await this.listRaw(ref, options, reading);
    const items: ExtensionObject[] = [];
    for await (const chunk of iterateCopies(raw)) for (const bytes of chunk) items.push(parseObject(bytes));
    const warnings = raw.unshown.warnings();
    const included = raw.included && (JSON.parse(raw.included.toString()) as Included);
    return {
      ...listHead(raw),
      items,
      ...(warnings.length > 0 && { warnings }),
      ...(included && { included }),
    };
  }

  async *listAll(
    ref: ResourceRef,
    options: ListOptions = {},
    reading: Reading = {},
  ): AsyncGenerator<ExtensionObject> {
    const raw = await this.listRaw(ref, { ...options, ...NO_COUNTS, page: 1, size: 0 }, reading);
    for await (const chunk of iterateCopies(raw)) for (const bytes of chunk) yield parseObject(bytes);
    const [first] = raw.unshown.warnings();
    if (first === undefined) return;
    const others = raw.unshown.count === 1 ? '' : ` (${raw.unshown.count} objects in all were left out)`;
    throw new ServiceError('InternalError', `${first}${others}`);
  }

  /** A watch as bytes, see {@link RawWatch}. */
  async watchRaw(ref: ResourceRef, options: WatchOptions = {}, scope?: ObjectScope): Promise<RawWatch> {
    return openWatch(this.#context, ref, options, scope);
  }

  async *watch(
    ref: ResourceRef,
    options: WatchOptions = {},
    scope?: ObjectScope,
  ): AsyncGenerator<WatchEvent> {
    yield* watchEvents(await this.watchRaw(ref, options, scope), options.onError);
  }

  async explain(
    ref: ResourceRef,
    options: ListOptions = {},
    reading: Reading = {},
  ): Promise<ListExplanation> {
    return explain(this.#context, this.#context.models.view(ref), options, reading);
  }

  /** Names of matches, read as they are consumed; each part has the names at its own time. */
  eachName(ref: ResourceRef, options: MatchOptions = {}, work?: Work): AsyncGenerator<string> {
    return eachName(this.#context, this.#context.models.view(ref), options, work);
  }

  async listNames(ref: ResourceRef, options: ListOptions = {}, reading: Reading = {}): Promise<string[]> {
    return listNames(this.#context, this.#context.models.view(ref), options, reading);
  }

  /** Number of all matches. */
  async count(ref: ResourceRef, options: ListOptions = {}, reading: Reading = {}): Promise<number> {
    return count(this.#context, this.#context.models.view(ref), options, reading);
  }

  create(ref: ResourceRef, object: unknown, options: WriteOptions = {}): Promise<RawWriteResult> {
    return this.#writeOne({ verb: 'create', resource: ref, object }, options);
  }

  // eslint-disable-next-line max-params -- a public signature
  update(
    ref: ResourceRef,
    name: string,
    object: unknown,
    options: WriteOptions = {},
    subresource?: WrittenPart,
  ): Promise<RawWriteResult> {
    return this.#writeOne({ verb: 'update', resource: ref, name, object, subresource }, options);
  }

  // eslint-disable-next-line max-params -- a public signature
  patch(
    ref: ResourceRef,
    name: string,
    patch: unknown,
    type: AcceptedPatchType,
    options: WriteOptions = {},
    subresource?: WrittenPart,
  ): Promise<RawWriteResult> {
    return this.#writeOne({ verb: 'patch', resource: ref, name, patch, type, subresource }, options);
  }

  delete(ref: ResourceRef, name: string, options: DeleteOptions = {}): Promise<RawWriteResult> {
    return this.#writeOne({ verb: 'delete', resource: ref, name }, options);
  }

  async batch(items: readonly BatchItem[], options: BatchOptions = {}): Promise<RawBatchResult> {
    if (items.length === 0) throw badRequest('a batch must have at least one item');
    return write(this.#context, items, { ...this.#named(options), locate: atItem });
  }

  async undoCommit(revision: string, options: UndoOptions = {}): Promise<UndoResult> {
    return withConversions(() => undoCommit(this.#context, revision, options));
  }

  /** Creates or overwrites a plugin's declarations, all in one commit, or none. */
  async declare(
    instances: readonly Declaration[],
    sender: Pick<WriteOptions, 'user' | 'admission' | 'mayList'> = {},
  ): Promise<void> {
    if (instances.length === 0) return;
    const requests = instances.map((instance) => declareRequest(this.#context, instance));
    const locate = (error: ServiceError, position: number): ServiceError =>
      atPlace(error, instances[position]?.place ?? '');
    await write(this.#context, requests, { ...sender, locate });
  }

  /**
   * Creates objects in one commit, or none of them. A later one may use the metadata of an earlier one, such as its
   * uid.
   * @throws ServiceError `AlreadyExists`, and the errors of a create
   */
  async createTogether(make: (create: CreateOne) => void): Promise<void> {
    const changes: PreparedChange[] = [];
    make((ref, object) => {
      const change = runSync(prepareCreate(this.#context, this.models.view(ref), object, {}));
      changes.push(change);
      return change.object.metadata;
    });
    await this.store.commit((tx) => {
      for (const one of changes) applyChange(tx, one, tx.find(one.table, changedName(one)));
    });
  }

  async #writeOne(request: WriteRequest, options: DeleteOptions): Promise<RawWriteResult> {
    const { items } = await write(this.#context, [request], this.#named(options));
    const [result] = items;
    if (result === undefined) throw new Error('one request has one result');
    return result;
  }

  /** From now on, writes that name no manager of fields are of this one. */
  writeAs(fieldManager: string): void {
    this.#fieldManager = fieldManager;
  }

  #named<O extends WriteOptions>(options: O): O {
    const fieldManager = options.fieldManager ?? this.#fieldManager;
    return fieldManager === options.fieldManager ? options : { ...options, fieldManager };
  }

  /** The objects that refer to an object by name, by field; see {@link readReferrers}. */
  async referrers(
    ref: ResourceRef,
    name: string,
    options: RelatedOptions = {},
    work?: Work,
  ): Promise<ReferrerList> {
    return readReferrers(this.#context, { ref, name, work }, options);
  }

  /** The objects that an object owns, by model; see {@link readDependents}. */
  async dependents(
    ref: ResourceRef,
    name: string,
    options: RelatedOptions = {},
    work?: Work,
  ): Promise<DependentList> {
    return readDependents(this.#context, { ref, name, work }, options);
  }

  /**
   * Finishes cascading deletions that were too large for one commit.
   * @returns sentences about objects that cannot be removed yet
   */
  finishCascades(): Promise<readonly string[]> {
    return this.#cascades.run();
  }

  /** Registers a check of a model's objects, which may read other models and take a while. */
  beforeWrites({ group, kind }: Pick<Resource, 'group' | 'kind'>, run: CheckBeforeWrites['run']): void {
    this.#beforeWrites.set(kind, { group, run });
  }

  /** Asks reviewers about writes of all models, instead of those before. */
  reviewWrites(reviewers: Reviewers): void {
    this.#reviewers = reviewers;
  }

  /**
   * Registers work that ends before writes of a model are answered.
   * @param run gets the revision of a commit, and must not throw
   */
  afterWrites(
    { group, kind }: Pick<Resource, 'group' | 'kind'>,
    run: (revision: number) => Promise<void>,
  ): void {
    this.#afterWrites.set(kind, { group, run });
  }

  /** Registers a check of creates in namespaced models, which runs in their commits. */
  beforeInsert(check: InsertCheck): void {
    this.#checks.push(check);
  }

  /** Registers an object that is created with each object of a model, in its commit, unless it exists. */
  createWith(model: Pick<Resource, 'group' | 'kind'>, make: (metadata: Metadata) => Companion): void {
    this.#companions.set(modelKey(model), make);
  }

  /** Registers a task that runs before the store is closed; the last one registered runs first. */
  beforeClose(task: () => Promise<void>): void {
    this.#endings.unshift(task);
  }

  async close(): Promise<void> {
    for (const task of this.#endings) await task();
    await this.#cascades.stop();
    await this.#context.hub.close();
    await this.#context.listCaches.close();
    await this.#context.store.close();
  }
}
