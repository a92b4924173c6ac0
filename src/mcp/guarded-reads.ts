import { mayReadOwned } from '../access/ownership.js';
import { isEverything } from '../access/last-admin.js';
import { actionOn, limitable, type AccessRule } from '../access/rules.js';
import type { Work } from '../lib/work/work.js';
import type { ExtensionObject } from '../model/object.js';
import type { Resource } from '../model/resource.js';
import type { Service } from '../service/service.js';
import type { Reading } from '../service/read/find.js';
import { objectNotFound } from '../service/object-errors.js';
import type { HistoryOptions, HistoryPage, ListPage, ResourceRef } from '../service/verbs.js';
import type { AgentListOptions, AgentReads, CallerRights } from './caller.js';

/** A user with its rights. */
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
}

/** The reads of a sender: each needs the right that the same request over HTTP needs. */
export class GuardedReads implements AgentReads {
  constructor(private readonly options: GuardedReadsOptions) {}

  async resources(): Promise<readonly Resource[]> {
    const { service } = this.options;
    await service.models.catchUp();
    return service.resources();
  }

  async get(ref: ResourceRef, name: string): Promise<ExtensionObject> {
    const { service } = this.options;
    const { scope } = this.#reading(ref, name);
    const object = await service.get(ref, name, {}, { scope });
    return this.#owned(ref, name, object);
  }

  async getAt(ref: ResourceRef, name: string, resourceVersion: string): Promise<ExtensionObject> {
    const { service, run } = this.options;
    const { scope } = this.#reading(ref, name);
    await this.#checkOwner(ref, name);
    return run((work) => service.getAt(ref, name, resourceVersion, { work, scope }));
  }

  async history(ref: ResourceRef, name: string, options: HistoryOptions = {}): Promise<HistoryPage> {
    const { service, run } = this.options;
    const { scope } = this.#reading(ref, name, 'history');
    await this.#checkOwner(ref, name);
    return run((work) => service.history(ref, name, options, { work, scope }));
  }

  async list(ref: ResourceRef, options: AgentListOptions = {}): Promise<ListPage> {
    const { service, user, run } = this.options;
    const reading = this.#reading(ref);
    const ownership = user && service.models.view(ref).scheme?.ownership;
    const limited =
      ownership === undefined
        ? options
        : { ...options, filter: [options.filter ?? [], ownership.filterFor(user?.user ?? '')].flat() };
    return run((work) => service.list(ref, limited, { ...reading, work }));
  }

  /**
   * The part of a model that a read may show.
   * @param name undefined for a list
   * @throws ServiceError `Forbidden`
   */
  #reading(ref: ResourceRef, name?: string, subresource?: string): Pick<Reading, 'scope' | 'related'> {
    const { service, rights } = this.options;
    if (rights === undefined) return {};
    const [verb, isNamed] = name === undefined ? ['list', false] : ['get', true];
    const action = actionOn(verb, ref, name);
    rights.authorize(limitable(subresource === undefined ? action : { ...action, subresource }));
    const { resource } = service.models.view(ref);
    const scope = rights.scopes.of(resource, { verb, subresource, isNamed });
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
