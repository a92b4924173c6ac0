import { mayReadOwned } from '../access/ownership.js';
import { isEverything } from '../access/last-admin.js';
import { limitable, placedAction, type AccessRule, type Action } from '../access/rules.js';
import type { Work } from '../lib/work/work.js';
import type { ExtensionObject } from '../model/object.js';
import type { Resource } from '../model/resource.js';
import type { Service } from '../service/service.js';
import type { Reading } from '../service/read/find.js';
import { objectNotFound } from '../service/object-errors.js';
import type { HistoryOptions, HistoryPage, ListPage, ResourceRef } from '../service/verbs.js';
import type { AgentListOptions, AgentReads, CallerRights } from './caller.js';

export interface AgentUser {
  readonly user: string;
  readonly rules: readonly AccessRule[];
}

export interface GuardedReadsOptions {
  readonly service: Service;
  /** Undefined: everything is allowed. */
  readonly rights: CallerRights | undefined;
  /** Undefined where users are not authenticated. */
  readonly user: AgentUser | undefined;
  /** Runs expensive work within the limits of the sender. */
  readonly run: <T>(task: (work: Work) => Promise<T>) => Promise<T>;
  /** Called after each read that was allowed. @param error undefined when it succeeded */
  readonly onRead?: (action: Action, error: unknown) => void;
}

/** The object or the list that is read. */
interface ReadPlace {
  readonly ref: ResourceRef;
  /** Undefined for a list. */
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** The reads of a sender: each needs the right that the same request over HTTP needs. */
export class GuardedReads implements AgentReads {
  constructor(private readonly options: GuardedReadsOptions) {}

  async resources(): Promise<readonly Resource[]> {
    const { service } = this.options;
    await service.models.catchUp();
    return service.resources();
  }

  get(ref: ResourceRef, name: string): Promise<ExtensionObject> {
    const { service } = this.options;
    return this.#read({ ref, name }, async ({ scope }) => {
      const object = await service.get(ref, name, {}, { scope });
      return this.#owned(ref, name, object);
    });
  }

  getAt(ref: ResourceRef, name: string, resourceVersion: string): Promise<ExtensionObject> {
    const { service, run } = this.options;
    return this.#read({ ref, name }, async ({ scope }) => {
      await this.#checkOwner(ref, name);
      return run((work) => service.getAt(ref, name, resourceVersion, { work, scope }));
    });
  }

  history(ref: ResourceRef, name: string, options: HistoryOptions = {}): Promise<HistoryPage> {
    const { service, run } = this.options;
    return this.#read({ ref, name, subresource: 'history' }, async ({ scope }) => {
      await this.#checkOwner(ref, name);
      return run((work) => service.history(ref, name, options, { work, scope }));
    });
  }

  list(ref: ResourceRef, options: AgentListOptions = {}): Promise<ListPage> {
    const { service, user, run } = this.options;
    return this.#read({ ref }, (reading) => {
      const ownership = user && service.models.view(ref).scheme?.ownership;
      const limited =
        ownership === undefined
          ? options
          : { ...options, filter: [options.filter ?? [], ownership.filterFor(user?.user ?? '')].flat() };
      return run((work) => service.list(ref, limited, { ...reading, work }));
    });
  }

  /**
   * Runs a read with the part of the model that it may show.
   * @throws ServiceError `Forbidden`, and those of the read
   */
  async #read<T>(
    { ref, name, subresource }: ReadPlace,
    read: (reading: Pick<Reading, 'scope' | 'related'>) => Promise<T>,
  ): Promise<T> {
    const { rights, onRead } = this.options;
    const verb = name === undefined ? 'list' : 'get';
    const action = { ...placedAction(verb, ref, name), ...(subresource !== undefined && { subresource }) };
    rights?.authorize(limitable(action));
    try {
      const result = await read(this.#readingOf({ ref, name, subresource }, verb));
      onRead?.(action, undefined);
      return result;
    } catch (error) {
      onRead?.(action, error);
      throw error;
    }
  }

  #readingOf({ ref, name, subresource }: ReadPlace, verb: string): Pick<Reading, 'scope' | 'related'> {
    const { service, rights } = this.options;
    if (rights === undefined) return {};
    const { resource } = service.models.view(ref);
    const scope = rights.scopes.of(resource, { verb, subresource, isNamed: name !== undefined });
    return { scope, related: rights.scopes.related };
  }

  async #checkOwner(ref: ResourceRef, name: string): Promise<void> {
    const { service, user } = this.options;
    if (user === undefined || service.models.view(ref).scheme?.ownership === undefined) return;
    this.#owned(ref, name, await service.get(ref, name));
  }

  /** @throws ServiceError `NotFound` for an object of another user */
  #owned(ref: ResourceRef, name: string, object: ExtensionObject): ExtensionObject {
    const { service, user } = this.options;
    const { resource, scheme } = service.models.view(ref);
    const ownership = scheme?.ownership;
    if (user === undefined || ownership === undefined || user.rules.some(isEverything)) return object;
    if (mayReadOwned(ownership, object, user.user)) return object;
    throw objectNotFound(resource, name);
  }
}
