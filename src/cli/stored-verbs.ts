import type { ExtensionObject } from '../model/object.js';
import { hasResource } from '../model/resolve-resource.js';
import { isStorageVersion, type Resource } from '../model/resource.js';
import type { GetOptions, ListOptions } from '../query/list-options.js';
import type {
  ListPage,
  ResourceRef,
  Verbs,
  WatchEvent,
  WatchOptions,
  WithIncluded,
} from '../service/verbs.js';
import type { StoreReader } from '../admin/reader.js';

export interface StoredVerbsOptions {
  readonly reader: StoreReader;
  /** Opens verbs with the plugins. The reader is closed before. */
  readonly openConverting: () => Promise<Verbs>;
  /** Receives warnings about the objects that were read. */
  readonly warn: (message: string) => void;
  /** True when verbs with the plugins have kinds that the store lacks, because an earlier version wrote it. */
  readonly lacksKinds: boolean;
}

/**
 * Verbs that read a store. Plugins are loaded only when objects must be converted, or for a kind that the store lacks: most
 * commands take less time than loading.
 */
export class StoredVerbs implements Verbs {
  #converting: Promise<Verbs> | undefined;

  readonly #reported = new Set<string>();

  readonly history: Verbs['history'] = async (...args) => (await this.#forPast(args[0])).history(...args);
  readonly modelHistory: Verbs['modelHistory'] = async (...args) =>
    (await this.#forPast(args[0])).modelHistory(...args);
  readonly referrers: Verbs['referrers'] = async (...args) => (await this.#for(args[0])).referrers(...args);
  readonly dependents: Verbs['dependents'] = async (...args) =>
    (await this.#for(args[0])).dependents(...args);
  readonly explain: Verbs['explain'] = async (...args) => (await this.#for(args[0])).explain(...args);
  readonly create: Verbs['create'] = async (...args) => this.options.reader.verbs.create(...args);
  readonly update: Verbs['update'] = async (...args) => this.options.reader.verbs.update(...args);
  readonly patch: Verbs['patch'] = async (...args) => this.options.reader.verbs.patch(...args);
  readonly delete: Verbs['delete'] = async (...args) => this.options.reader.verbs.delete(...args);
  readonly batch: Verbs['batch'] = async (...args) => this.options.reader.verbs.batch(...args);
  readonly undoCommit: Verbs['undoCommit'] = async (...args) => this.options.reader.verbs.undoCommit(...args);

  constructor(private readonly options: StoredVerbsOptions) {}

  async resources(named?: string): Promise<readonly Resource[]> {
    const { reader, lacksKinds } = this.options;
    if (this.#converting === undefined) {
      const stored = reader.resources();
      if (!lacksKinds || named === undefined || hasResource(stored, named)) return stored;
    }
    return (await this.#convert()).resources();
  }

  #convert(): Promise<Verbs> {
    const { reader, openConverting } = this.options;
    return (this.#converting ??= reader.verbs.close().then(openConverting));
  }

  /** Verbs that support a version of a model. */
  async #for(ref: ResourceRef, isReadable = this.options.reader.isReadable(ref)): Promise<Verbs> {
    return this.#converting === undefined && isReadable ? this.options.reader.verbs : this.#convert();
  }

  /** The log may contain objects in versions that have no stored objects now. */
  async #forPast(ref: ResourceRef): Promise<Verbs> {
    return this.#for(ref, this.options.reader.isPastReadable(ref));
  }

  /** Reads objects of a model. Objects are readable while a migration is incomplete, but some have their old form. */
  async #read<T>(
    ref: ResourceRef,
    read: (verbs: Verbs) => Promise<T>,
    { expand }: GetOptions = {},
  ): Promise<T> {
    const { reader } = this.options;
    const isReadable = reader.isReadable(ref) && (expand === undefined || this.#areTargetsReadable());
    const found = await read(await this.#for(ref, isReadable));
    const unfinished = reader.findUnfinished(ref);
    if (unfinished !== undefined && !this.#reported.has(unfinished)) {
      this.#reported.add(unfinished);
      this.options.warn(unfinished);
    }
    return found;
  }

  /** References may lead to any model, in its storage version. */
  #areTargetsReadable(): boolean {
    const { reader } = this.options;
    return reader.resources().every((one) => !isStorageVersion(one) || reader.isReadable(one));
  }

  get(ref: ResourceRef, name: string, options?: GetOptions): Promise<ExtensionObject & WithIncluded> {
    return this.#read(ref, (verbs) => verbs.get(ref, name, options), options);
  }

  async getAt(...given: Parameters<Verbs['getAt']>): Promise<ExtensionObject> {
    const [ref] = given;
    const isReadable = this.options.reader.isPastReadable(ref) && this.options.reader.isPastInShape(ref);
    return (await this.#for(ref, isReadable)).getAt(...given);
  }

  getMany(ref: ResourceRef, names: readonly string[]): Promise<(ExtensionObject | undefined)[]> {
    return this.#read(ref, (verbs) => verbs.getMany(ref, names));
  }

  list(ref: ResourceRef, options?: ListOptions): Promise<ListPage> {
    return this.#read(ref, (verbs) => verbs.list(ref, options), options);
  }

  async *listAll(ref: ResourceRef, options?: ListOptions): AsyncGenerator<ExtensionObject> {
    yield* (await this.#for(ref)).listAll(ref, options);
  }

  async *watch(ref: ResourceRef, options?: WatchOptions): AsyncGenerator<WatchEvent> {
    yield* (await this.#for(ref)).watch(ref, options);
  }

  async close(): Promise<void> {
    const converting = await this.#converting?.catch(() => undefined);
    if (this.#converting === undefined) await this.options.reader.verbs.close();
    await converting?.close();
  }
}
