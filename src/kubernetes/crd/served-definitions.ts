import { setTimeout as sleep } from 'node:timers/promises';
import { getMessage, hasCode, ServiceError } from '../../errors.js';
import { LogLimit } from '../../lib/log/log-limit.js';
import type { Logger } from '../../lib/log/logger.js';
import { SYSTEM_CLOCK } from '../../lib/time/clock.js';
import { mapMaybe } from '../../lib/work/maybe-promise.js';
import type { SchemeRegistry } from '../../model/declare/registry.js';
import type { Scheme } from '../../model/declare/scheme.js';
import type { ExtensionObject } from '../../model/object.js';
import type { Resource } from '../../model/resource.js';
import type { Service } from '../../service/service.js';
import type { ChangeType } from '../../store/log/log.js';
import { readStep } from '../../store/log/log-reader.js';
import { workAfterChanges } from '../../lib/work/after-changes.js';
import type { ConversionMeans } from './conversion.js';
import type { Definition } from './definition.js';
import { isTrue, statusOf } from './definition-check.js';
import { INDEXES, SEARCH } from './indexes.js';
import { modelOf } from './model.js';
import type { TakenNames } from './names.js';

/** Longest time that the answer to a write waits for the kind to be served, in milliseconds. */
const WAIT_MS = 5_000;
/** An index build must not delay the next definition for longer, in milliseconds. */
const OPEN_MS = 5_000;
/** Interval of further attempts to read a change, in milliseconds. */
const AGAIN_MS = 50;
/** Interval of further attempts to serve a kind, in milliseconds. */
const FAILED_MS = 5_000;
const LINES_PER_MINUTE = 10;

interface Serving {
  readonly scheme: Scheme;
  /** Changes with everything that the kind depends on. */
  readonly declaration: string;
  isTerminating: boolean;
}

export interface DefinitionsOptions {
  readonly service: Service;
  readonly registry: SchemeRegistry;
  readonly logger: Logger;
  /** The model of the definitions. */
  readonly resource: Resource;
  readonly means: ConversionMeans;
}

/** Serves the kinds of the stored definitions: this process and others may write them. */
export class ServedDefinitions {
  readonly #options: DefinitionsOptions;
  readonly #served = new Map<string, Serving>();
  /** Definitions whose kind could not be served as they state it, by name. */
  readonly #failed = new Map<string, ExtensionObject>();
  readonly #problems = new LogLimit(SYSTEM_CLOCK, LINES_PER_MINUTE);
  #triedAtMs = 0;
  readonly #ending = new AbortController();
  /** Revision up to which definitions are served as they are stored; undefined before the first read. */
  #position: number | undefined;
  #reading: Promise<void> | undefined;
  #following: Promise<void> | undefined;

  constructor(options: DefinitionsOptions) {
    this.#options = options;
    const { service, resource } = options;
    service.afterWrites(resource, (revision) => this.#reach(revision));
    const { store, models } = service;
    models.catchUp = () =>
      mapMaybe(store.modelRevision(models.table(resource)), (revision) =>
        this.#isDone(revision) ? undefined : this.#reach(revision),
      );
  }

  /** Resolves when the kinds of all stored definitions are served. */
  async start(): Promise<void> {
    const { service, logger } = this.#options;
    await this.#read();
    const follow = { store: service.store, logger, signal: this.#ending.signal };
    this.#following = workAfterChanges({ ...follow, purpose: 'follow definitions' }, () => this.#read());
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#following;
    await this.#reading?.catch(() => undefined);
  }

  /** Waits until a change is served, but not for long. Never throws. */
  async #reach(revision: number): Promise<void> {
    const endMs = SYSTEM_CLOCK.now() + WAIT_MS;
    const { signal } = this.#ending;
    while (!this.#isDone(revision) && SYSTEM_CLOCK.now() < endMs) {
      await this.#read().catch(() => undefined);
      if (!this.#isDone(revision))
        await sleep(AGAIN_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  #isDone(revision: number): boolean {
    return (this.#position ?? 0) >= revision || this.#ending.signal.aborted;
  }

  /** Serves the kinds of the definitions that are stored now. */
  #read(): Promise<void> {
    return (this.#reading ??= this.#readOn().finally(() => {
      this.#reading = undefined;
    }));
  }

  async #readOn(): Promise<void> {
    try {
      await this.#readToEnd();
    } catch (error) {
      this.#position = undefined;
      if (!hasCode(error, 'Expired')) throw error;
      // The log no longer has the changes, so all definitions are read.
      await this.#readToEnd();
    }
    await this.#tryAgain();
  }

  async #readToEnd(): Promise<void> {
    for (let isEnd = false; !isEnd;) isEnd = await this.#readChanges();
  }

  /** @returns true at the end of the log */
  async #readChanges(): Promise<boolean> {
    const { service, resource } = this.#options;
    const after = (this.#position ??= await this.#readAll());
    const current = await service.store.readCurrent('local');
    const { modelId } = service.models.table(resource);
    const step = await readStep(current, after, new Set([modelId])).finally(() => current.view.close());
    for (const change of step.batches.flatMap(({ changes }) => changes))
      await this.#apply(change.type, change.object());
    this.#position = step.until;
    return step.isEnd;
  }

  /** @returns a revision whose later changes are to be read */
  async #readAll(): Promise<number> {
    const { service, resource } = this.#options;
    const revision = await service.store.revision('local');
    const seen = new Set<string>();
    // Kinds that are opened together share commits.
    const opening: Promise<void>[] = [];
    for await (const object of service.listAll(resource)) {
      seen.add(object.metadata.name);
      opening.push(this.#apply('MODIFIED', object));
    }
    await Promise.all(opening);
    for (const name of [...this.#served.keys(), ...this.#failed.keys()])
      if (!seen.has(name)) this.#close(name);
    return revision;
  }

  async #tryAgain(): Promise<void> {
    const now = SYSTEM_CLOCK.now();
    if (now - this.#triedAtMs < FAILED_MS) return;
    this.#triedAtMs = now;
    for (const definition of [...this.#failed.values()]) await this.#apply('MODIFIED', definition);
  }

  async #apply(type: ChangeType, object: ExtensionObject): Promise<void> {
    const { name, deletionTimestamp } = object.metadata;
    const served = this.#served.get(name);
    if (served !== undefined) served.isTerminating = deletionTimestamp !== undefined;
    const isServed = served?.declaration === declarationOf(object) && !this.#failed.has(name);
    if (type === 'DELETED') this.#close(name);
    else if (isTrue(statusOf(object), 'Established') && !isServed) await this.#open(object);
  }

  async #open(object: ExtensionObject): Promise<void> {
    const { registry, service, means } = this.#options;
    const { name, deletionTimestamp } = object.metadata;
    const { acceptedNames = {} } = statusOf(object);
    const checkCreate = (): void => this.#checkCreate(name);
    this.#close(name, true);
    try {
      const model = modelOf({ definition: object as Definition, names: acceptedNames, checkCreate, means });
      const scheme = registry.registerData(model, ownerOf(name));
      const declaration = declarationOf(object);
      this.#served.set(name, { scheme, declaration, isTerminating: deletionTimestamp !== undefined });
      const opening = service.models.replace(scheme, { takeover: true }).catch((error: unknown) => {
        if (this.#served.get(name)?.scheme === scheme) this.#fail(object, error);
      });
      await Promise.race([opening, new Promise((resolve) => setTimeout(resolve, OPEN_MS).unref())]);
    } catch (error) {
      // A plugin may have the kind.
      this.#fail(object, error);
    }
  }

  /** The next attempt may succeed: the store may have failed for a moment. */
  #fail(object: ExtensionObject, error: unknown): void {
    const { name } = object.metadata;
    this.#failed.set(name, object);
    this.#problems.write(() => this.#options.logger.warn(`cannot serve ${name}: ${getMessage(error)}`));
  }

  #close(name: string, isReplaced = false): void {
    const { registry, service } = this.#options;
    this.#failed.delete(name);
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
}

/** A change of the annotations is no new generation. */
function declarationOf({ metadata: { generation, annotations = {} } }: ExtensionObject): string {
  return JSON.stringify([generation, annotations[INDEXES], annotations[SEARCH]]);
}

/** The owner of the models of a definition. */
export function ownerOf(name: string): string {
  return `the definition ${name}`;
}
