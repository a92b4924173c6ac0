import { getMessage, ServiceError } from '../../errors.js';
import type { Logger } from '../../lib/log/logger.js';
import type { SchemeRegistry } from '../../model/declare/registry.js';
import type { Scheme } from '../../model/declare/scheme.js';
import type { ExtensionObject } from '../../model/object.js';
import type { Resource } from '../../model/resource.js';
import type { Service } from '../../service/service.js';
import type { WatchEvent } from '../../service/verbs.js';
import type { Definition } from './definition.js';
import { isTrue, statusOf } from './definition-check.js';
import { modelOf } from './model.js';
import type { TakenNames } from './names.js';

/** Longest time that the answer to a write waits for the kind to be served, in milliseconds. */
const WAIT_MS = 5_000;
/** An index build must not delay the next definition for longer, in milliseconds. */
const OPEN_MS = 5_000;
/** Time before the definitions are followed again after an error, in milliseconds. */
const AGAIN_MS = 1_000;

interface Serving {
  readonly scheme: Scheme;
  readonly generation: number;
  isTerminating: boolean;
}

export interface DefinitionsOptions {
  readonly service: Service;
  readonly registry: SchemeRegistry;
  readonly logger: Logger;
  /** The model of the definitions. */
  readonly resource: Resource;
}

/** Serves the kinds of the stored definitions: this process and others may write them. */
export class ServedDefinitions {
  readonly #options: DefinitionsOptions;
  readonly #served = new Map<string, Serving>();
  readonly #ending = new AbortController();
  /** Revision up to which definitions are served as they are stored. */
  #position = 0;
  #waiting: { readonly revision: number; readonly wake: () => void }[] = [];
  #running: Promise<void> | undefined;

  constructor(options: DefinitionsOptions) {
    this.#options = options;
    const { service, resource } = options;
    service.afterWrites(resource, (revision) => this.#reached(revision));
    service.models.catchUp = () => this.#catchUp();
  }

  /** Resolves when the kinds of all stored definitions are served. */
  async start(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#running = this.#run(resolve);
    });
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #run(onStart: () => void): Promise<void> {
    const { logger } = this.#options;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      try {
        await this.#follow(onStart);
      } catch (error) {
        logger.warn(`cannot follow definitions: ${getMessage(error)}`);
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS).unref());
      }
    }
    onStart();
  }

  async #follow(onStart: () => void): Promise<void> {
    const { service, resource } = this.#options;
    const { signal } = this.#ending;
    const seen = new Set<string>();
    let isStarting = true;
    const watch = service.watch(resource, { sendInitialEvents: true, bookmarks: true, signal });
    for await (const event of watch) {
      if (event.type !== 'BOOKMARK') {
        seen.add(event.object.metadata.name);
        await this.#apply(event);
      } else if (isStarting) {
        isStarting = false;
        for (const name of this.#served.keys()) if (!seen.has(name)) this.#close(name);
        onStart();
      }
      // The objects that exist at the start come in another order than that of their changes.
      if (!isStarting) this.#advance(Number(event.object.metadata.resourceVersion));
    }
  }

  async #apply({ type, object }: Exclude<WatchEvent, { type: 'BOOKMARK' }>): Promise<void> {
    const { name, generation, deletionTimestamp } = object.metadata;
    const served = this.#served.get(name);
    if (served !== undefined) served.isTerminating = deletionTimestamp !== undefined;
    if (type === 'DELETED') this.#close(name);
    else if (isTrue(statusOf(object), 'Established') && served?.generation !== generation)
      await this.#open(object);
  }

  async #open(object: ExtensionObject): Promise<void> {
    const { registry, service, logger } = this.#options;
    const { name, generation, deletionTimestamp } = object.metadata;
    const { acceptedNames = {} } = statusOf(object);
    const checkCreate = (): void => this.#checkCreate(name);
    this.#close(name, true);
    try {
      const model = modelOf({ definition: object as Definition, names: acceptedNames, checkCreate });
      const scheme = registry.registerData(model, ownerOf(name));
      this.#served.set(name, { scheme, generation, isTerminating: deletionTimestamp !== undefined });
      const opening = service.models.replace(scheme, { takeover: true }).catch((error: unknown) => {
        logger.warn(`cannot serve ${name}: ${getMessage(error)}`);
      });
      await Promise.race([opening, new Promise((resolve) => setTimeout(resolve, OPEN_MS).unref())]);
    } catch (error) {
      // A plugin may have the kind.
      logger.warn(`cannot serve ${name}: ${getMessage(error)}`);
    }
  }

  #close(name: string, isReplaced = false): void {
    const { registry, service } = this.#options;
    const served = this.#served.get(name);
    if (served === undefined) return;
    this.#served.delete(name);
    registry.remove(served.scheme);
    if (!isReplaced) service.models.close(served.scheme.resource);
  }

  /** @throws ServiceError `Forbidden` while the definition is being deleted */
  #checkCreate(name: string): void {
    if (this.#served.get(name)?.isTerminating !== true) return;
    throw new ServiceError('Forbidden', `no objects can be created: the definition ${name} is being deleted`);
  }

  /** The names in the group of a definition that other kinds have. */
  findTaken({ metadata, spec }: Definition): TakenNames {
    const owner = ownerOf(metadata?.name ?? '');
    const others = this.#options.registry
      .schemes()
      .filter((scheme) => scheme.resource.group === spec?.group && scheme.owner !== owner)
      .map(({ resource }) => resource);
    return {
      resources: new Set(
        others.flatMap(({ plural, singular, shortNames }) => [plural, singular, ...shortNames]),
      ),
      kinds: new Set(others.flatMap(({ kind }) => [kind, `${kind}List`])),
    };
  }

  #advance(revision: number): void {
    this.#position = Math.max(this.#position, revision);
    const done = this.#waiting.filter((one) => one.revision <= this.#position);
    this.#waiting = this.#waiting.filter((one) => one.revision > this.#position);
    for (const { wake } of done) wake();
  }

  async #catchUp(): Promise<void> {
    const { service, resource } = this.#options;
    const { view } = await service.store.readCurrent();
    try {
      await this.#reached((await view.count(service.models.table(resource))).revision);
    } finally {
      view.close();
    }
  }

  async #reached(revision: number): Promise<void> {
    if (this.#position >= revision || this.#ending.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const late = setTimeout(resolve, WAIT_MS).unref();
      this.#waiting.push({
        revision,
        wake: () => {
          clearTimeout(late);
          resolve();
        },
      });
    });
  }
}

function ownerOf(name: string): string {
  return `the definition ${name}`;
}
