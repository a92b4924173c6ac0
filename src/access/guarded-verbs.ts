import { hasCode, ServiceError } from '../errors.js';
import type { ExtensionObject } from '../model/object.js';
import type { GetOptions, ListOptions } from '../query/list-options.js';
import type { ClientVerbs } from '../service/extension-client.js';
import type { Service } from '../service/service.js';
import type { Reading } from '../service/read/find.js';
import type {
  BatchItem,
  DeleteOptions,
  ListPage,
  PatchType,
  ResourceRef,
  Subresource,
  WatchEvent,
  WatchOptions,
  WithIncluded,
  WriteOptions,
} from '../service/verbs.js';
import type { RawBatchResult, RawWriteResult } from '../service/write/result.js';
import type { ScopedAccess } from './limits/sender-scopes.js';
import { actionOfItem, creationOf, limitable, placedAction, type Action } from './rules.js';
import type { ReadRights, SenderRights } from './sender-rights.js';

/** The verbs of a sender: each call needs the right that the same request over HTTP needs. */
export class GuardedVerbs implements ClientVerbs {
  constructor(
    private readonly verbs: ClientVerbs & Pick<Service, 'models'>,
    private readonly readRights: ReadRights,
    /** Called with an action that is refused, and with the error. Its sender waits. */
    private readonly onRefused: (action: Action, error: unknown) => Promise<void> = () => Promise.resolve(),
  ) {}

  async create(ref: ResourceRef, object: unknown, options: WriteOptions = {}): Promise<RawWriteResult> {
    const rights = await this.#authorized(creationOf(ref, object));
    return write(rights, options, (all) => this.verbs.create(ref, object, all));
  }

  // eslint-disable-next-line max-params -- the signature of the verb
  async update(
    ref: ResourceRef,
    name: string,
    object: unknown,
    options: WriteOptions = {},
    subresource?: Subresource,
  ): Promise<RawWriteResult> {
    const action = placedAction('update', ref, name);
    const rights = await this.#authorized(subresource === undefined ? action : { ...action, subresource });
    return write(rights, options, (all) => this.verbs.update(ref, name, object, all, subresource));
  }

  // eslint-disable-next-line max-params -- the signature of the verb
  async patch(
    ref: ResourceRef,
    name: string,
    patch: unknown,
    type: PatchType,
    options: WriteOptions = {},
  ): Promise<RawWriteResult> {
    const rights = await this.#authorized(placedAction('patch', ref, name));
    return write(rights, options, (all) => this.verbs.patch(ref, name, patch, type, all));
  }

  async delete(ref: ResourceRef, name: string, options: DeleteOptions = {}): Promise<RawWriteResult> {
    const rights = await this.#authorized(placedAction('delete', ref, name));
    return write(rights, options, (all) => this.verbs.delete(ref, name, all));
  }

  async batch(items: readonly BatchItem[], options: WriteOptions = {}): Promise<RawBatchResult> {
    const rights = await this.#authorized(...items.map(actionOfItem));
    return write(rights, options, (all) => this.verbs.batch(items, all));
  }

  async get(ref: ResourceRef, name: string, options?: GetOptions): Promise<ExtensionObject & WithIncluded> {
    const rights = await this.#authorized(placedAction('get', ref, name));
    return this.verbs.get(ref, name, options, this.#readingOf(rights, ref, ONE_READ));
  }

  async getMany(ref: ResourceRef, names: readonly string[]): Promise<(ExtensionObject | undefined)[]> {
    const rights = await this.#authorized(...names.map((name) => placedAction('get', ref, name)));
    const { scope } = this.#readingOf(rights, ref, ONE_READ);
    if (scope === undefined) return this.verbs.getMany(ref, names);
    const reads = names.map((name) => this.verbs.get(ref, name, {}, { scope }).catch(unlessNotFound));
    return Promise.all(reads);
  }

  async list(ref: ResourceRef, options?: ListOptions): Promise<ListPage> {
    return this.verbs.list(ref, options, await this.#reading(ref));
  }

  async *listAll(ref: ResourceRef, options?: ListOptions): AsyncGenerator<ExtensionObject> {
    yield* this.verbs.listAll(ref, options, await this.#reading(ref));
  }

  async listNames(ref: ResourceRef, options?: ListOptions): Promise<string[]> {
    return this.verbs.listNames(ref, options, await this.#reading(ref));
  }

  async count(ref: ResourceRef, options?: ListOptions): Promise<number> {
    return this.verbs.count(ref, options, await this.#reading(ref));
  }

  async *watch(ref: ResourceRef, options: WatchOptions = {}): AsyncGenerator<WatchEvent> {
    const action = placedAction('watch', ref, options.name);
    const access = { verb: 'watch', isNamed: options.name !== undefined };
    const { scope } = this.#readingOf(await this.#authorized(action), ref, access);
    for await (const event of this.verbs.watch(ref, options, scope)) {
      // The right may be lost while the watch is open.
      const now = this.#readingOf(await this.#authorized(action), ref, access).scope;
      if (now?.key !== scope?.key) throw rightsChanged(ref);
      yield event;
    }
  }

  /** The rights to list a model, and those to models that it refers to. */
  async #reading(ref: ResourceRef): Promise<ReadingRights> {
    const rights = await this.#authorized(placedAction('list', ref));
    return this.#readingOf(rights, ref, { verb: 'list', isNamed: false });
  }

  #readingOf({ scopes }: SenderRights, ref: ResourceRef, access: ScopedAccess): ReadingRights {
    return { scope: scopes.of(this.verbs.models.view(ref).resource, access), related: scopes.related };
  }

  async #authorized(...actions: readonly Action[]): Promise<SenderRights> {
    let [refused] = actions;
    try {
      const rights = await this.readRights();
      for (const action of actions) rights.authorize(limitable((refused = action)));
      return rights;
    } catch (error) {
      if (refused !== undefined) await this.onRefused(refused, error);
      throw error;
    }
  }
}

type ReadingRights = Pick<Reading, 'scope' | 'related'>;

/** A read of one object. */
const ONE_READ = { verb: 'get', isNamed: true } as const satisfies ScopedAccess;

function unlessNotFound(error: unknown): undefined {
  if (!hasCode(error, 'NotFound')) throw error;
}

/** The error of a watch whose sender may now see another part of the model. */
export function rightsChanged({ group, kind, plural }: ResourceRef): ServiceError {
  return new ServiceError('Expired', `the rights to ${plural} have changed; list again`, { group, kind });
}

function write<Options extends WriteOptions, T>(
  rights: SenderRights,
  options: Options,
  run: (all: Options) => Promise<T>,
): Promise<T> {
  const { groups, scopes } = rights;
  const mayList = rights.mayList.bind(rights);
  const origin = groups && ({ via: 'plugin', groups } as const);
  return rights.admit((admission) =>
    run({ origin, groups, ...options, admission, mayList, scopeOf: scopes.ofWrite }),
  );
}
