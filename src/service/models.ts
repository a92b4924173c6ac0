import { formatExcerpt, getMessage, notFound, unavailable, type ServiceError } from '../errors.js';
import {
  getApiVersion,
  modelKey,
  versionKey,
  type GroupVersionKind,
  type Resource,
} from '../model/resource.js';
import type { Scheme } from '../model/declare/scheme.js';
import type { AttachOptions } from '../lifecycle/attach.js';
import type { ModelLifecycle } from '../lifecycle/model-lifecycle.js';
import type { Store } from '../store/store.js';
import { notServed, type Table } from '../store/table.js';
import type { MaybePromise } from '../lib/work/maybe-promise.js';
import type { ResourceRef } from './verbs.js';
import { ModelView } from './read/view.js';

/** The state of a model that is served, or soon will be. */
interface Opening {
  /** False while its indexes are brought up to date. */
  ready: boolean;
  /** The error of that work. */
  failure?: string;
}

/** A version of a model that is served. */
interface Served {
  readonly resource: Resource;
  /** Shared by all versions of the model. */
  readonly opening: Opening;
  /** The view of the last call. */
  view?: ModelView;
}

/** The models that are served now; each version has its own entry. */
export class Models {
  readonly #store: Store;
  readonly #served = new Map<string, Served>();
  readonly #byKind = new Map<string, Served>();
  /** The same entries by the resource itself, for callers that have just looked it up. */
  #byResource = new WeakMap<ResourceRef, Served>();

  /** Called with the id of the table of a model that is no longer served. */
  onClosed: (modelId: number) => void = () => undefined;

  /** Serves the models as they are stored now: other processes may have changed them. */
  catchUp: () => MaybePromise<void> = () => undefined;

  /** @param lifecycle opens the stored models, also for maintenance */
  constructor(readonly lifecycle: ModelLifecycle) {
    this.#store = lifecycle.store;
  }

  /** Serves every model of the store that is not served yet, as far as possible without its code. */
  openStored(): void {
    const known = new Set(this.list().map(modelKey));
    for (const { resource } of this.#store.allTables()) {
      // Another model may show its objects at the path of one that is no longer declared.
      if (!known.has(modelKey(resource)) && !this.#served.has(pathKey(resource)))
        this.#serve({ resource, opening: { ready: true } });
    }
  }

  /**
   * Brings the model's indexes up to date, then serves all its versions, except those that are not to be served.
   * Until then they are "unavailable".
   * @param scheme of the storage version
   */
  async open(scheme: Scheme, options?: AttachOptions): Promise<void> {
    const opening: Opening = { ready: false };
    this.#serveVersions(scheme, opening);
    try {
      await this.lifecycle.attach(scheme, options);
      opening.ready = true;
    } catch (error) {
      opening.failure = getMessage(error);
      throw error;
    }
  }

  /**
   * Brings the model's indexes up to date, and then serves all its versions, instead of those of an earlier declaration.
   * @param scheme of the storage version
   */
  async replace(scheme: Scheme, options?: AttachOptions): Promise<void> {
    await this.lifecycle.attach(scheme, options);
    this.#serveVersions(scheme, { ready: true });
  }

  #serveVersions({ resource: model, versions }: Scheme, opening: Opening): void {
    this.#forget(model);
    for (const { resource, isServed } of versions.byName.values())
      if (isServed) this.#serve({ resource, opening });
  }

  #serve(entry: Served): void {
    this.#served.set(pathKey(entry.resource), entry);
    this.#byKind.set(versionKey(entry.resource), entry);
    this.#byResource.set(entry.resource, entry);
  }

  #find(ref: ResourceRef): Served | undefined {
    return this.#byResource.get(ref) ?? this.#served.get(pathKey(ref));
  }

  #forget(model: Resource): void {
    const key = modelKey(model);
    for (const { resource } of [...this.#served.values()]) {
      if (modelKey(resource) !== key) continue;
      this.#served.delete(pathKey(resource));
      this.#byKind.delete(versionKey(resource));
      this.#byResource.delete(resource);
    }
  }

  /** Stops serving the model in all versions. Its objects stay. */
  close(resource: Resource): void {
    this.#forget(resource);
    const table = this.#store.findTable(resource);
    this.lifecycle.detach(resource);
    if (table !== undefined) this.onClosed(table.modelId);
  }

  /** In the order of group, version, plural. */
  list(): Resource[] {
    return [...this.#served.entries()]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { resource }]) => resource);
  }

  /** The same list, with the migrations recorded in the store for models whose migrations are outstanding. */
  asStored(): Resource[] {
    return this.list().map((resource) => {
      const table = this.#store.findTable(resource);
      if (table?.unmigrated() === undefined) return resource;
      const { migrations: _declared, ...rest } = resource;
      const { migrations } = table.resource;
      return {
        ...rest,
        ...(migrations !== undefined && { migrations }),
        ...(table.isMigrating && { isMigrating: true }),
      };
    });
  }

  /** Undefined when no model is served at the path. */
  find(group: string, version: string, plural: string): Resource | undefined {
    return this.#served.get(`${group}/${version}/${plural}`)?.resource;
  }

  /** Undefined when no such model is served. */
  findByKind(gvk: GroupVersionKind): Resource | undefined {
    return this.#byKind.get(versionKey(gvk))?.resource;
  }

  /**
   * The table of a model's objects.
   * @throws ServiceError `NotFound` when the model is not served, `ServiceUnavailable` while it is not ready
   */
  table(ref: ResourceRef): Table {
    return this.view(ref).table;
  }

  /**
   * Identifies the defaults that the last objects were shown with; undefined when objects are shown as they are stored. Cheap, for
   * use after a {@link view}.
   */
  shownDefaults(ref: ResourceRef): string | undefined {
    return this.#find(ref)?.view?.table.record.defaults;
  }

  /**
   * A view of a model's objects in the requested version.
   * @throws ServiceError as {@link table}
   */
  view(ref: ResourceRef): ModelView {
    const entry = this.#find(ref);
    const { group, kind } = ref;
    const missing = (): ServiceError =>
      notFound(`no model is served at ${formatExcerpt(`${getApiVersion(ref)} ${ref.plural}`)}`, {
        group,
        kind,
      });
    if (entry === undefined) throw missing();
    const { resource, opening } = entry;
    if (opening.ready) {
      if (entry.view !== undefined && this.#store.isCurrent(entry.view.table)) return entry.view;
      const table = this.#store.findTable(resource);
      const failed = table?.failed();
      if (failed !== undefined) throw failed;
      // A process has removed the model from the store.
      if (table === undefined) throw missing();
      return (entry.view = new ModelView(table, resource));
    }
    const { failure } = opening;
    if (failure !== undefined) throw notServed(resource, failure);
    throw unavailable(`indexes of ${resource.kind} are being built; try again in a moment`, {
      group,
      kind,
      retryAfterSeconds: 1,
    });
  }
}

function pathKey(ref: Pick<ResourceRef, 'group' | 'version' | 'plural'>): string {
  return `${ref.group}/${ref.version}/${ref.plural}`;
}
