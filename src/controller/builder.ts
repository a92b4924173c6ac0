import { badRequest } from '../errors.js';
import { formatDuration, parseDuration } from '../lib/time/duration.js';
import { cloneJson } from '../lib/json/json.js';
import { findGvk } from '../model/declare/gvk.js';
import { createInstance } from '../model/declare/instance.js';
import { nameFaults } from '../model/naming.js';
import type { ExtensionObject } from '../model/object.js';
import type { ModelClass } from '../model/declare/model-class.js';
import type { MatchOptions } from '../query/list-options.js';
import { Controller } from './controller.js';
import { controllerName } from './naming.js';
import { hasReconcilerMethods, type Reconciling } from './request.js';

const MIN_DELAY_MS_DEFAULT = 5;
const MAX_DELAY_MS_DEFAULT = 1_000_000;

/**
 * Describes a controller. Every value is checked where it is given, and all together by {@link build}; a wrong one
 * is a ServiceError `BadRequest` that says which. Call {@link extension} first: it decides what matchers are given.
 */
export class ControllerBuilder<T extends object = ExtensionObject> {
  #model: ModelClass<T> | undefined;
  #name: string | undefined;
  #onAdd: ((object: T) => boolean) | undefined;
  #onUpdate: ((object: T, old: T) => boolean) | undefined;
  #onDelete: ((object: T) => boolean) | undefined;
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
    if (typeof model !== 'function' || findGvk(model) === undefined) {
      throw wrong('extension: a model class with @GVK is expected');
    }
    // One builder, whose type is known better from here on: plain JavaScript need not chain the calls.
    const builder = this as unknown as ControllerBuilder<M>;
    builder.#model = model;
    return builder;
  }

  /**
   * Which created objects are reconciled. Default: all. Like the other matchers it must answer at once, and only
   * saves work: the sync at the start does not ask it.
   */
  onAddMatcher(matcher: (object: T) => boolean): this {
    this.#onAdd = checkedMatcher('onAddMatcher', matcher);
    return this;
  }

  /**
   * Which changed objects are reconciled. Default: all. Not asked when the former state is unknown (the object is
   * reconciled then), nor for the change that declares an object deleted.
   */
  onUpdateMatcher(matcher: (object: T, old: T) => boolean): this {
    this.#onUpdate = checkedMatcher('onUpdateMatcher', matcher);
    return this;
  }

  /**
   * Which objects are reconciled when they are declared deleted (their `deletionTimestamp` is set), and when they
   * are removed; both are asked. A removed object is given in its last state. Default: all.
   */
  onDeleteMatcher(matcher: (object: T) => boolean): this {
    this.#onDelete = checkedMatcher('onDeleteMatcher', matcher);
    return this;
  }

  /** Whether every object is reconciled when the controller starts. Default: true. */
  syncAllOnStart(syncAll = true): this {
    if (typeof syncAll !== 'boolean') throw wrong(`syncAllOnStart: true or false, got ${shown(syncAll)}`);
    this.#syncAllOnStart = syncAll;
    return this;
  }

  /**
   * Limits the sync at the start to the objects that match. The sync after a loss of changes is not limited: the
   * changes that were missed may be of any object.
   */
  syncAllListOptions(options: MatchOptions): this {
    if (!isOptions(options)) throw wrong(`syncAllListOptions: an object, got ${shown(options)}`);
    this.#syncAllListOptions = { ...options };
    return this;
  }

  /** The first wait after a failure, doubled with each further one. Milliseconds, or like `5ms`. Default: 5 ms. */
  minDelay(delay: number | string): this {
    this.#minDelayMs = delayMs('minDelay', delay);
    return this;
  }

  /** The longest wait after failures. Milliseconds, or like `1000s`. Default: 1000 s. */
  maxDelay(delay: number | string): this {
    this.#maxDelayMs = delayMs('maxDelay', delay);
    return this;
  }

  /** How many names are reconciled at the same time, from 1. Default: 1. */
  workerCount(count: number): this {
    if (!Number.isSafeInteger(count) || count < 1) {
      throw wrong(`workerCount: an integer from 1, got ${shown(count)}`);
    }
    this.#workerCount = count;
    return this;
  }

  /** How the controller is called within its plugin, like an object's name. Default: after the reconciler's class. */
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
      syncAllOnStart: this.#syncAllOnStart,
      syncAllListOptions: this.#syncAllListOptions,
      minDelayMs: this.#minDelayMs,
      maxDelayMs: this.#maxDelayMs,
      workerCount: this.#workerCount,
    });
  }
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

/**
 * A matcher is given what the client gives too: the model's class, so that its methods are there, and a copy of its
 * own. Many leave out what they do not compare, and all who watch share the original.
 */
function copyFor<T extends object>(model: ModelClass<T>, object: object): T {
  return createInstance(model, cloneJson(object));
}

/** A value in a message. */
export function shown(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** What a builder refuses. */
export function wrong(message: string): ReturnType<typeof badRequest> {
  return badRequest(`controller: ${message}`);
}
