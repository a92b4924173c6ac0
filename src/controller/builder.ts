import { badRequest } from '../errors.js';
import { formatDuration, parseDuration } from '../lib/time/duration.js';
import { findGvk, type GvkDeclaration } from '../model/declare/gvk.js';
import { nameFaults } from '../model/names-and-labels.js';
import type { ExtensionObject } from '../model/object.js';
import type { ModelClass } from '../model/declare/model-class.js';
import type { MatchOptions } from '../query/list-options.js';
import { Controller, type Watched } from './controller.js';
import { copyFor, ownerNames, requestedNames } from './follow/requests.js';
import { controllerName } from './naming.js';
import { hasReconcilerMethods, type Reconciling, type Request } from './request.js';

const MIN_DELAY_MS_DEFAULT = 5;
const MAX_DELAY_MS_DEFAULT = 1_000_000;

/**
 * Describes a controller. Each value is checked when it is set, and all together by {@link build}; for a wrong one ServiceError
 * `BadRequest` names it. Call {@link extension} first: it determines the type that matchers get.
 */
export class ControllerBuilder<T extends object = ExtensionObject> {
  #model: ModelClass<T> | undefined;
  #name: string | undefined;
  #onAdd: ((object: T) => boolean) | undefined;
  #onUpdate: ((object: T, old: T) => boolean) | undefined;
  #onDelete: ((object: T) => boolean) | undefined;
  /** Each gets the model of the controller, which is known at the end. */
  readonly #watched: ((own: GvkDeclaration) => Watched)[] = [];
  #syncAllOnStart = true;
  #syncAllListOptions: MatchOptions = {};
  #minDelayMs = MIN_DELAY_MS_DEFAULT;
  #maxDelayMs = MAX_DELAY_MS_DEFAULT;
  #workerCount = 1;
  readonly #reconciler: Reconciling;

  /** @throws ServiceError `BadRequest` when the reconciler lacks a method */
  constructor(reconciler: Reconciling) {
    if (!hasReconcilerMethods(reconciler))
      throw wrong('the reconciler needs the methods reconcile and setupWith');
    this.#reconciler = reconciler;
  }

  /** The model whose objects are reconciled: a class with `@GVK`. Required. */
  extension<M extends object>(model: ModelClass<M>): ControllerBuilder<M> {
    gvkOf('extension', model);
    // The same builder with a more precise type from here on: plain JavaScript need not chain the calls.
    const builder = this as unknown as ControllerBuilder<M>;
    builder.#model = model;
    return builder;
  }

  /**
   * Also reconciles the names that a function returns for the objects of another model: when they change, in both states, when
   * they are removed, in their last state, and at the start, unless `syncAllOnStart(false)`. Matchers are not called for them. The
   * function must return synchronously; when it throws, the log names the object. The model must be registered: when it belongs to
   * another plugin, name that plugin in `pluginDependencies`. May be called several times.
   *
   * ```ts
   * builder.extension(Shelf).watches(Note, (note) => (note.spec.shelf ? [{ name: note.spec.shelf }] : [])).build();
   * ```
   */
  watches<M extends object>(model: ModelClass<M>, toRequests: (object: M) => readonly Request[]): this {
    const gvk = gvkOf('watches', model);
    if (typeof toRequests !== 'function')
      throw wrong(`watches: a function is expected, got ${shown(toRequests)}`);
    const namesOf = requestedNames(model, toRequests);
    this.#watched.push(() => ({ model, gvk, namesOf }));
    return this;
  }

  /**
   * Like {@link watches}, for the objects of another model that the reconciler creates: reconciles the object that they name in
   * `metadata.ownerReferences` with `controller: true`. Other owners are not reconciled.
   */
  owns(model: ModelClass): this {
    const gvk = gvkOf('owns', model);
    this.#watched.push((own) => ({ model, gvk, namesOf: ownerNames(own) }));
    return this;
  }

  /**
   * Selects the created objects that are reconciled. Default: all. Like the other matchers it must return synchronously, and only
   * saves work: the sync at the start does not call it.
   */
  onAddMatcher(matcher: (object: T) => boolean): this {
    this.#onAdd = checkedMatcher('onAddMatcher', matcher);
    return this;
  }

  /**
   * Selects the changed objects that are reconciled. Default: all. Not called when the former state is unknown (the object is then
   * reconciled), nor for the change that declares an object deleted.
   */
  onUpdateMatcher(matcher: (object: T, old: T) => boolean): this {
    this.#onUpdate = checkedMatcher('onUpdateMatcher', matcher);
    return this;
  }

  /**
   * Selects the objects that are reconciled when they are declared deleted (their `deletionTimestamp` is set), and when they are
   * removed; it is called for both. A removed object is passed in its last state. Default: all.
   */
  onDeleteMatcher(matcher: (object: T) => boolean): this {
    this.#onDelete = checkedMatcher('onDeleteMatcher', matcher);
    return this;
  }

  /** Enables or disables the reconcile of every object at the controller's start. Default: true. */
  syncAllOnStart(syncAll = true): this {
    if (typeof syncAll !== 'boolean') throw wrong(`syncAllOnStart: true or false, got ${shown(syncAll)}`);
    this.#syncAllOnStart = syncAll;
    return this;
  }

  /**
   * Limits the sync at the start to the objects that match. The sync after a loss of changes is not limited: the missed changes may
   * be of any object.
   */
  syncAllListOptions(options: MatchOptions): this {
    if (!isOptions(options)) throw wrong(`syncAllListOptions: an object, got ${shown(options)}`);
    this.#syncAllListOptions = { ...options };
    return this;
  }

  /** The first wait after a failure; each further failure doubles it. Milliseconds, or like `5ms`. Default: 5 ms. */
  minDelay(delay: number | string): this {
    this.#minDelayMs = delayMs('minDelay', delay);
    return this;
  }

  /** The longest wait after failures. Milliseconds, or like `1000s`. Default: 1000 s. */
  maxDelay(delay: number | string): this {
    this.#maxDelayMs = delayMs('maxDelay', delay);
    return this;
  }

  /** Sets how many names are reconciled at the same time, from 1. Default: 1. */
  workerCount(count: number): this {
    if (!Number.isSafeInteger(count) || count < 1) {
      throw wrong(`workerCount: an integer from 1, got ${shown(count)}`);
    }
    this.#workerCount = count;
    return this;
  }

  /** The controller's name within its plugin, in the form of an object's name. Default: from the reconciler's class. */
  name(name: string): this {
    if (typeof name !== 'string') throw wrong(`name: a string, got ${shown(name)}`);
    const faults = nameFaults(name);
    if (faults.length > 0) throw wrong(`name: ${faults.map(({ message }) => message).join('; ')}`);
    this.#name = name;
    return this;
  }

  build(): Controller {
    const model = this.#model;
    const gvk = model === undefined ? undefined : findGvk(model);
    if (model === undefined || gvk === undefined) {
      throw wrong('extension: the model is missing; call extension(Model)');
    }
    if (this.#minDelayMs > this.#maxDelayMs) {
      const [least, most] = [formatDuration(this.#minDelayMs), formatDuration(this.#maxDelayMs)];
      throw wrong(`minDelay: must not be greater than maxDelay, but ${least} is greater than ${most}`);
    }
    const [onAdd, onUpdate, onDelete] = [this.#onAdd, this.#onUpdate, this.#onDelete];
    return new Controller({
      name: this.#name ?? controllerName(this.#reconciler.constructor.name, gvk.singular),
      model,
      gvk,
      reconciler: this.#reconciler,
      matchers: {
        ...(onAdd && { onAdd: (object) => onAdd(copyFor(model, object)) }),
        ...(onUpdate && {
          onUpdate: (object, old) => onUpdate(copyFor(model, object), copyFor(model, old)),
        }),
        ...(onDelete && { onDelete: (object) => onDelete(copyFor(model, object)) }),
      },
      watched: this.#watched.map((describe) => describe(gvk)),
      syncAllOnStart: this.#syncAllOnStart,
      syncAllListOptions: this.#syncAllListOptions,
      minDelayMs: this.#minDelayMs,
      maxDelayMs: this.#maxDelayMs,
      workerCount: this.#workerCount,
    });
  }
}

function gvkOf(setting: string, model: ModelClass): GvkDeclaration {
  const gvk = typeof model === 'function' ? findGvk(model) : undefined;
  if (gvk !== undefined) return gvk;
  throw wrong(`${setting}: a model class with @GVK is expected`);
}

function delayMs(setting: string, delay: unknown): number {
  const ms = typeof delay === 'string' ? durationMs(setting, delay) : delay;
  if (typeof ms === 'number' && Number.isFinite(ms) && ms >= 1) return ms;
  throw wrong(`${setting}: at least 1 ms, as milliseconds or like "5ms" or "1000s", got ${shown(delay)}`);
}

function durationMs(setting: string, text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    throw wrong(`${setting}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function checkedMatcher<F extends (...args: never[]) => boolean>(setting: string, matcher: F): F {
  if (typeof matcher === 'function') return matcher;
  throw wrong(`${setting}: a function is expected, got ${shown(matcher)}`);
}

function isOptions(options: unknown): boolean {
  return typeof options === 'object' && options !== null && !Array.isArray(options);
}

/** Formats a value for a message. */
export function shown(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** The error for a wrong value. */
export function wrong(message: string): ReturnType<typeof badRequest> {
  return badRequest(`controller: ${message}`);
}
