import type { ListGroups } from '../list/aggregates/aggregates.js';
import { badRequest, ServiceError } from '../errors.js';
import type { ExtensionMetadata, ExtensionObject } from '../model/object.js';
import type { GroupVersionKind } from '../model/resource.js';
import { ANONYMOUS, isSystemUser } from '../model/system-users.js';
import { createInstance } from '../model/declare/instance.js';
import type { ModelClass } from '../model/declare/model-class.js';
import type { Scheme } from '../model/declare/scheme.js';
import type { GetOptions, ListOptions, MatchOptions, Page } from '../query/list-options.js';
import type { Service } from './service.js';
import type {
  BatchItem,
  DeleteOptions,
  Facets,
  ListMetadata,
  PatchType,
  ResourceRef,
  WatchEvent,
  WatchOptions,
  WithIncluded,
  WriteOptions,
} from './verbs.js';

/** The members that every model instance has. */
export interface Extension {
  apiVersion: string;
  kind: string;
  metadata: ExtensionMetadata;
}

/** A model, given by its class, or by group, version and kind for models of other plugins. */
export type ModelRef<T extends object> = ModelClass<T> | GroupVersionKind;

/** Metadata of an object to create; the service sets the rest. */
export type NewMetadata = Pick<
  ExtensionMetadata,
  'labels' | 'annotations' | 'finalizers' | 'ownerReferences'
> &
  ({ readonly name: string } | { readonly generateName: string });

/** An object to create: without `apiVersion` and `kind`, which come from the model, and without methods. */
export type NewObject<T extends object> = {
  [K in keyof T as K extends keyof Extension ? never : T[K] extends Callable ? never : K]: T[K];
} & { readonly metadata: NewMetadata };

type Callable = (...args: never[]) => unknown;

/** A page of a list. */
export interface ListResult<T> extends Page, Partial<ListGroups>, WithIncluded {
  readonly metadata: ListMetadata;
  readonly items: readonly T[];
  /** The most frequent values among all matches, for each field of `ListOptions.facets`. */
  readonly facets?: Facets;
}

/** The object of an item: by the model's class, or as in a batch over HTTP. */
type BatchTarget = { readonly name: string } & (
  { readonly model: ModelRef<object> } | { readonly apiVersion: string; readonly kind: string }
);

/** The patch of an item. Its type is given as `type`, or as in a batch over HTTP. Default: merge. */
interface BatchPatch {
  readonly patch: unknown;
  readonly type?: PatchType;
  readonly contentType?: keyof typeof PATCH_TYPES;
}

/** One item of {@link ExtensionClient.batch}. */
export type ClientBatchItem =
  | { readonly verb: 'create' | 'update' | 'delete'; readonly object: object }
  | ({ readonly verb: 'delete' } & BatchTarget)
  | ({ readonly verb: 'patch' } & BatchTarget & BatchPatch);

const PATCH_TYPES = {
  'application/merge-patch+json': 'merge',
  'application/json-patch+json': 'json',
} as const satisfies Readonly<Record<string, PatchType>>;

/**
 * The client for objects, for plugins. As `ctx.client` it acts as the plugin itself, with all rights that the manifest permits; see
 * {@link ExtensionClient.as} for the rights of a user. It returns instances of the model's class where one is given. Writes are on
 * disk when the promise resolves. Errors are `ServiceError`: `NotFound`, `AlreadyExists`, `Conflict`, `Invalid`,
 * `BadRequest`, `Forbidden`, `ServiceUnavailable`.
 */
export interface ExtensionClient {
  /**
   * A client that acts in the name of a user: history shows that user, and each call needs the rights that the user has at that
   * time. With `--auth none` everything is allowed. Permissions in the plugin's manifest limit it too.
   *
   * Nobody (`undefined`, `null`) is a sender without credentials, `system:anonymous`, with the rights that bindings give to it.
   * With `--auth token`, each call fails with `Forbidden` when no user has the name, also when the user was deleted or disabled
   * meanwhile.
   * @param user for endpoints `req.user`, as in `req.client`
   * @throws BadRequest for an empty name, or one of a part of the service (`system:…`)
   */
  as(user: string | null | undefined): ExtensionClient;
  /** @throws AlreadyExists when the name, or a value that must be unique, is taken */
  create<T extends object>(object: T): Promise<T>;
  create<T extends object>(model: ModelClass<T>, object: NewObject<NoInfer<T>>): Promise<T>;
  create(model: GroupVersionKind, object: NewObject<ExtensionObject>): Promise<ExtensionObject>;
  /** @throws NotFound */
  get<T extends object>(model: ModelRef<T>, name: string): Promise<T>;
  /** With `expand`, the object has a member `included`, which writes ignore. */
  get<T extends object>(model: ModelRef<T>, name: string, options: GetOptions): Promise<T & WithIncluded>;
  /** Returns undefined when the object does not exist. */
  fetch<T extends object>(model: ModelRef<T>, name: string): Promise<T | undefined>;
  /** Replaces the object of this name; its `metadata.version`, if present, must be the stored one. */
  update<T extends object>(object: T): Promise<T>;
  /** Writes only `status`. */
  updateStatus<T extends object>(object: T): Promise<T>;
  patch<T extends object>(
    model: ModelRef<T>,
    name: string,
    patch: unknown,
    options?: { readonly type?: PatchType },
  ): Promise<T>;
  /** Returns the last state of the object. */
  delete<T extends object>(object: T, options?: ClientDeleteOptions): Promise<T>;
  delete<T extends object>(model: ModelRef<T>, name: string, options?: ClientDeleteOptions): Promise<T>;
  list<T extends object>(model: ModelRef<T>, options?: ListOptions): Promise<ListResult<T>>;
  /** Every match, in order, read while they are consumed. */
  listAll<T extends object>(model: ModelRef<T>, options?: ListOptions): AsyncIterable<T>;
  /**
   * The first `n` matches in the requested order; fewer when fewer objects match. No other object is read to find
   * their order.
   * @throws BadRequest when `n` is not an integer from 0
   */
  listTop<T extends object>(model: ModelRef<T>, n: number, options?: MatchOptions): Promise<T[]>;
  /** Names of every match, in order. */
  listNames(model: ModelRef<object>, options?: ListOptions): Promise<string[]>;
  count(model: ModelRef<object>, options?: ListOptions): Promise<number>;
  /**
   * Changes of a model in the order in which they happened, without gaps. The existing objects come first unless a
   * `resourceVersion` sets the start. Ends with the given signal, and when the plugin stops.
   * @throws Expired from the iterator: the revision is too old, or the reader too slow; list again
   */
  watch<T extends object>(model: ModelRef<T>, options?: WatchOptions): AsyncIterable<WatchEvent<T>>;
  /** Writes all items, of any models, in one commit, or none. */
  batch(items: readonly ClientBatchItem[]): Promise<readonly object[]>;
}

export type ClientDeleteOptions = Pick<DeleteOptions, 'propagationPolicy'>;

/** The source of the models that classes declare. */
export interface SchemeSource {
  /** @throws ServiceError `NotFound` when the model is not registered */
  getScheme(model: ModelClass | GroupVersionKind): Scheme;
}

/** The verbs that a client calls. */
export type ClientVerbs = Pick<
  Service,
  | 'create'
  | 'get'
  | 'getMany'
  | 'update'
  | 'patch'
  | 'delete'
  | 'list'
  | 'listAll'
  | 'listNames'
  | 'count'
  | 'watch'
  | 'batch'
>;

/** The sender of a client's calls, and its name in history. */
export interface ClientSender {
  readonly verbs: ClientVerbs;
  /** Options of each write. */
  readonly writes: () => WriteOptions;
  /** The sender that {@link ExtensionClient.as} names; undefined: one without a name. */
  readonly as: (user: string | undefined) => ClientSender;
}

/**
 * The client of one plugin, see {@link ExtensionClient}.
 * @param signal ends the plugin's watches
 */
export function createClient(
  { verbs, writes, as }: ClientSender,
  schemes: SchemeSource,
  signal?: AbortSignal,
): ExtensionClient {
  const toResourceRef = (model: ModelRef<object>): ResourceRef => schemes.getScheme(model).resource;
  const typed = <T extends object>(model: ModelRef<T>, object: object): T =>
    typeof model === 'function' ? createInstance(model, object) : (object as T);
  const own = (object: object): { ref: ResourceRef; name: string; model: ModelRef<object> } => {
    const model = getModel(object);
    const ref = toResourceRef(model);
    return { ref, name: getName(object), model };
  };

  const client: ExtensionClient = {
    as: (user) => createClient(as(checkUser(user)), schemes, signal),
    async create<T extends object>(target: T | ModelRef<T>, given?: object) {
      const model = given === undefined ? getModel(target) : (target as ModelRef<object>);
      const { object: stored } = await verbs.create(toResourceRef(model), plain(given ?? target), writes());
      return typed(model, stored) as T & ExtensionObject;
    },
    async get<T extends object>(model: ModelRef<T>, name: string, options?: GetOptions) {
      const object: T & WithIncluded = typed(model, await verbs.get(toResourceRef(model), name, options));
      return object;
    },
    async fetch(model, name) {
      const [object] = await verbs.getMany(toResourceRef(model), [name]);
      return object === undefined ? undefined : typed(model, object);
    },
    async update<T extends object>(object: T) {
      const { ref, name, model } = own(object);
      return typed(model, (await verbs.update(ref, name, plain(object), writes())).object) as T;
    },
    async updateStatus<T extends object>(object: T) {
      const { ref, name, model } = own(object);
      return typed(model, (await verbs.update(ref, name, plain(object), writes(), 'status')).object) as T;
    },
    async patch(model, name, patch, { type = 'merge' } = {}) {
      return typed(model, (await verbs.patch(toResourceRef(model), name, patch, type, writes())).object);
    },
    async delete<T extends object>(
      target: T | ModelRef<T>,
      name?: string | ClientDeleteOptions,
      options?: ClientDeleteOptions,
    ) {
      const remove = async (model: ModelRef<T>, one: string, given?: ClientDeleteOptions): Promise<T> =>
        typed(
          model,
          (await verbs.delete(toResourceRef(model), one, { ...writes(), ...policyIn(given) })).object,
        );
      if (typeof name === 'string') return remove(target as ModelRef<T>, name, options);
      const found = own(target);
      return remove(found.model as ModelRef<T>, found.name, name);
    },
    async list(model, options) {
      const { items, ...page } = await verbs.list(toResourceRef(model), options);
      return { ...page, items: items.map((item) => typed(model, item)) };
    },
    async *listAll(model, options) {
      for await (const item of verbs.listAll(toResourceRef(model), options)) yield typed(model, item);
    },
    async listTop(model, n, options) {
      if (!Number.isSafeInteger(n) || n < 0) throw badRequest(`n must be an integer from 0, got ${n}`);
      // A page of size 0 would contain all objects.
      if (n === 0) return [];
      const { items } = await verbs.list(toResourceRef(model), { ...options, page: 1, size: n });
      return items.map((item) => typed(model, item));
    },
    listNames: (model, options) => verbs.listNames(toResourceRef(model), options),
    count: (model, options) => verbs.count(toResourceRef(model), options),
    async *watch<T extends object>(
      model: ModelRef<T>,
      options: WatchOptions = {},
    ): AsyncGenerator<WatchEvent<T>> {
      const joined = joinSignals(options.signal, signal);
      try {
        const signals = joined.signal === undefined ? {} : { signal: joined.signal };
        for await (const event of verbs.watch(toResourceRef(model), { ...options, ...signals })) {
          yield event.type === 'BOOKMARK' ? event : { ...event, object: typed<T>(model, event.object) };
        }
      } finally {
        joined.forget();
      }
    },
    async batch(items) {
      const models: ModelRef<object>[] = [];
      const translated = items.map((item): BatchItem => {
        const model = modelOfItem(item);
        models.push(model);
        return batchItem(item, toResourceRef(model));
      });
      const { items: results } = await verbs.batch(translated, writes());
      return results.map(({ object }, i) => {
        const model = models[i];
        return model === undefined ? object : typed(model, object);
      });
    },
  };
  return client;
}

/** Other members would reach options that only the service may set. */
function policyIn({ propagationPolicy }: ClientDeleteOptions = {}): ClientDeleteOptions {
  return propagationPolicy === undefined ? {} : { propagationPolicy };
}

const USER_LENGTH_MAX = 253;

/** @returns undefined for nobody @throws ServiceError `BadRequest` for a value that names no user */
function checkUser(user: unknown): string | undefined {
  if (user === undefined || user === null || user === ANONYMOUS) return undefined;
  if (typeof user !== 'string' || user === '' || user.length > USER_LENGTH_MAX)
    throw badRequest(`as: the name of a user must have 1 to ${USER_LENGTH_MAX} characters`);
  if (isSystemUser(user))
    throw badRequest(
      `as: "${user}" is a part of the service, and no user; use ctx.client for the plugin itself`,
    );
  return user;
}

/** A signal that aborts with the first of two signals. */
function joinSignals(
  a: AbortSignal | undefined,
  b: AbortSignal | undefined,
): { readonly signal: AbortSignal | undefined; forget(): void } {
  if (a === undefined || b === undefined) return { signal: a ?? b, forget: () => undefined };
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  if (a.aborted || b.aborted) abort();
  for (const signal of [a, b]) signal.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    forget: () => {
      for (const signal of [a, b]) signal.removeEventListener('abort', abort);
    },
  };
}

function modelOfItem(item: ClientBatchItem): ModelRef<object> {
  if ('object' in item) return getModel(item.object);
  return 'model' in item ? item.model : toGroupVersionKind(item);
}

function batchItem(item: ClientBatchItem, resource: ResourceRef): BatchItem {
  switch (item.verb) {
    case 'create':
      return { verb: 'create', resource, object: plain(item.object) };
    case 'update':
      return { verb: 'update', resource, name: getName(item.object), object: plain(item.object) };
    case 'delete':
      return { verb: 'delete', resource, name: 'object' in item ? getName(item.object) : item.name };
    case 'patch':
      return { verb: 'patch', resource, name: item.name, patch: item.patch, type: getPatchType(item) };
    default:
      throw badRequest('the verb of an item of a batch must be create, update, patch or delete');
  }
}

function getPatchType({ type, contentType }: BatchPatch): PatchType {
  if (contentType === undefined) return type ?? 'merge';
  if (Object.hasOwn(PATCH_TYPES, contentType)) return PATCH_TYPES[contentType];
  throw badRequest(`contentType must be one of ${Object.keys(PATCH_TYPES).join(', ')}`);
}

/** Converts an object to plain JSON data: without undefined members and without its class. */
function plain(object: object): object {
  return JSON.parse(JSON.stringify(object)) as object;
}

/** The model of an object: its class, or the `apiVersion` and `kind` of a plain object. */
function getModel(object: object): ModelRef<object> {
  const { constructor } = object;
  if (constructor !== Object && typeof constructor === 'function')
    return constructor as unknown as ModelClass;
  return toGroupVersionKind(object);
}

function toGroupVersionKind({ apiVersion, kind }: Partial<Extension>): GroupVersionKind {
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') {
    throw new ServiceError(
      'BadRequest',
      'a plain object needs apiVersion and kind; or create it with its model class',
    );
  }
  const slash = apiVersion.indexOf('/');
  return { group: slash < 0 ? '' : apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1), kind };
}

function getName(object: object): string {
  const name = (object as Partial<Extension>).metadata?.name;
  if (typeof name === 'string') return name;
  throw new ServiceError('BadRequest', 'the object has no metadata.name');
}
