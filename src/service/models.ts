import { excerpt, messageOf, notFound, unavailable } from '../errors.js';
import { apiVersionOf, versionKey, type GroupVersionKind, type Resource } from '../model/resource.js';
import type { Scheme } from '../model/scheme.js';
import type { AttachOptions } from '../store/attach.js';
import type { Store } from '../store/store.js';
import type { Table } from '../store/table.js';
import type { ResourceRef } from './verbs.js';

interface Served {
  readonly resource: Resource;
  /** False while its indexes are brought up to date. */
  ready: boolean;
  /** Why they could not be. */
  failure?: string;
  /** As it was found last. */
  table?: Table;
}

/** The models that are served now. */
export class Models {
  private readonly served = new Map<string, Served>();
  private readonly byKind = new Map<string, Served>();
  /** The same by the resource itself, for whoever has just found it. */
  private byResource = new WeakMap<ResourceRef, Served>();

  /** Told of a model that is served no more, by the id of its table. */
  onClosed: (modelId: number) => void = () => undefined;

  constructor(private readonly store: Store) {}

  /** Serves every model that the store knows and that is not served yet, as far as that goes without its code. */
  openStored(): void {
    for (const { resource } of this.store.allTables()) {
      if (!this.served.has(pathKey(resource))) this.serve({ resource, ready: true });
    }
  }

  /** Brings the model's indexes up to date, then serves it. Until then it is "unavailable". */
  async open(scheme: Scheme, options?: AttachOptions): Promise<void> {
    const entry: Served = { resource: scheme.resource, ready: false };
    this.serve(entry);
    try {
      await this.store.attach(scheme, options);
      entry.ready = true;
    } catch (error) {
      entry.failure = messageOf(error);
      throw error;
    }
  }

  private serve(entry: Served): void {
    this.served.set(pathKey(entry.resource), entry);
    this.byKind.set(versionKey(entry.resource), entry);
    this.byResource.set(entry.resource, entry);
  }

  /** Serves the model no more. Its objects stay. */
  close(resource: Resource): void {
    this.served.delete(pathKey(resource));
    this.byKind.delete(versionKey(resource));
    this.byResource.delete(resource);
    const table = this.store.findTable(resource);
    this.store.detach(resource);
    if (table !== undefined) this.onClosed(table.modelId);
  }

  /** By group, version, plural. */
  list(): Resource[] {
    return [...this.served.entries()]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { resource }]) => resource);
  }

  /** Undefined when nothing is served there. */
  find(group: string, version: string, plural: string): Resource | undefined {
    return this.served.get(`${group}/${version}/${plural}`)?.resource;
  }

  /** Undefined when no such model is served. */
  findByKind(gvk: GroupVersionKind): Resource | undefined {
    return this.byKind.get(versionKey(gvk))?.resource;
  }

  /**
   * The place of a model's objects.
   * @throws ServiceError `NotFound` when the model is not served, `ServiceUnavailable` while it is not ready
   */
  table(ref: ResourceRef): Table {
    const entry = this.byResource.get(ref) ?? this.served.get(pathKey(ref));
    if (entry === undefined) {
      throw notFound(`no model is served at ${excerpt(`${apiVersionOf(ref)} ${ref.plural}`)}`, {
        group: ref.group,
        kind: ref.kind,
      });
    }
    if (entry.ready) {
      if (entry.table !== undefined && this.store.isCurrent(entry.table)) return entry.table;
      const table = this.store.findTable(entry.resource);
      if (table !== undefined) return (entry.table = table);
    }
    const { failure } = entry;
    if (failure !== undefined)
      throw unavailable(`${entry.resource.kind} cannot be served: ${failure}`, {
        group: ref.group,
        kind: ref.kind,
      });
    throw unavailable(`indexes of ${entry.resource.kind} are being built; try again in a moment`, {
      group: ref.group,
      kind: ref.kind,
      retryAfterSeconds: 1,
    });
  }
}

function pathKey(ref: Pick<ResourceRef, 'group' | 'version' | 'plural'>): string {
  return `${ref.group}/${ref.version}/${ref.plural}`;
}
