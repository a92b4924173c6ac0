import type { ExtensionObject } from '../model/object.js';
import type { GetOptions, ListOptions } from '../query/list-options.js';
import type { ClientVerbs } from '../service/extension-client.js';
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
import { actionOfItem, actionOn, placedAction, type Action } from './rules.js';
import type { ReadRights, SenderRights } from './sender-rights.js';

/** The verbs of a sender: each call needs the right that the same request over HTTP needs. */
export class GuardedVerbs implements ClientVerbs {
  constructor(
    private readonly verbs: ClientVerbs,
    private readonly readRights: ReadRights,
    /** Called with an action that is refused, and with the error. Its sender waits. */
    private readonly onRefused: (action: Action, error: unknown) => Promise<void> = () => Promise.resolve(),
  ) {}

  async create(ref: ResourceRef, object: unknown, options: WriteOptions = {}): Promise<RawWriteResult> {
    const rights = await this.#authorized(placedAction('create', ref));
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
    const result = await write(rights, options, (all) =>
      this.verbs.update(ref, name, object, all, subresource),
    );
    return subresource === undefined || rights.mayRead(ref, name) ? result : result.statusOnly();
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
    return this.verbs.get(ref, name, options, readingOf(rights));
  }

  async getMany(ref: ResourceRef, names: readonly string[]): Promise<(ExtensionObject | undefined)[]> {
    await this.#authorized(...names.map((name) => placedAction('get', ref, name)));
    return this.verbs.getMany(ref, names);
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
    await this.#authorized(action);
    for await (const event of this.verbs.watch(ref, options)) {
      // The right may be lost while the watch is open.
      await this.#authorized(action);
      yield event;
    }
  }

  /** The rights to list a model, and those to models that it refers to. */
  async #reading(ref: ResourceRef): Promise<ReadingRights> {
    return readingOf(await this.#authorized(placedAction('list', ref)));
  }

  async #authorized(...actions: readonly Action[]): Promise<SenderRights> {
    let [refused] = actions;
    try {
      const rights = await this.readRights();
      for (const action of actions) rights.authorize((refused = action));
      return rights;
    } catch (error) {
      if (refused !== undefined) await this.onRefused(refused, error);
      throw error;
    }
  }
}

type ReadingRights = Pick<Reading, 'authorizeList' | 'mayRead'>;

function readingOf(rights: SenderRights): ReadingRights {
  return {
    authorizeList: (model) => rights.authorize(actionOn('list', model)),
    mayRead: rights.mayRead.bind(rights),
  };
}

function write<Options extends WriteOptions, T>(
  rights: SenderRights,
  options: Options,
  run: (all: Options) => Promise<T>,
): Promise<T> {
  const { groups } = rights;
  const mayList = rights.mayList.bind(rights);
  const origin = groups && ({ via: 'plugin', groups } as const);
  return rights.admit((admission) => run({ origin, ...options, admission, mayList }));
}
