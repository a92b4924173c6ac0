import type { Clock } from '../../src/lib/time/clock.js';
import type { Logger } from '../../src/lib/log/logger.js';
import { ControllerBuilder } from '../../src/controller/builder.js';
import type { Controller } from '../../src/controller/controller.js';
import type { Reconciler } from '../../src/controller/reconciler.js';
import type { Request } from '../../src/controller/request.js';
import type { ChangeStream, ControllerSource, ObjectChange } from '../../src/controller/source.js';
import type { ExtensionObject } from '../../src/model/object.js';
import type { ModelClass } from '../../src/model/declare/model-class.js';
import type { MatchOptions } from '../../src/query/list-options.js';
import { modelOf, objectOf } from '../model/helpers.js';

/** A clock that only tests advance. */
export class FakeClock implements Clock {
  #now = Date.parse('2026-11-20T08:00:00.000Z');
  readonly #timers = new Set<{ readonly at: number; readonly call: () => void }>();

  now(): number {
    return this.#now;
  }

  setTimer(ms: number, call: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, ms), call };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** The number of timers that are set. */
  get pending(): number {
    return this.#timers.size;
  }

  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.call();
    }
    this.#now = end;
  }
}

/** A log whose lines can be read: `<level> <message>`, with the fields. */
export class MemoryLog implements Logger {
  readonly lines: { readonly text: string; readonly fields: object }[] = [];
  debug = this.#writer('debug');
  info = this.#writer('info');
  warn = this.#writer('warn');
  error = this.#writer('error');

  matching(part: string): readonly { readonly text: string; readonly fields: object }[] {
    return this.lines.filter(({ text }) => text.includes(part));
  }

  #writer(level: string) {
    return (message: string, fields: object = {}): void => {
      this.lines.push({ text: `${level} ${message}`, fields });
    };
  }
}

interface OpenStream {
  push(changes: readonly ObjectChange[]): void;
  end(error?: Error): void;
}

/** Objects of one model in memory, and the changes that tests make of them. */
export class MemorySource implements ControllerSource {
  readonly objects = new Map<string, ExtensionObject>();
  readonly streams: OpenStream[] = [];
  readonly listed: MatchOptions[] = [];
  /** Errors that the next attempts to open end with. */
  openErrors: Error[] = [];
  /** Errors that the next attempts to list end with. */
  listErrors: Error[] = [];
  /** Names that were read so far. */
  namesRead = 0;
  /** The revision of the store, as far as streams know. */
  revision = 0;
  /** The revision of the state that reads get. Default: that of the store. */
  readable: number | undefined;

  /** See {@link ControllerSource.countSetbacks}. */
  setbackCount = 0;

  async open(_model: ModelClass, signal: AbortSignal): Promise<ChangeStream> {
    const error = this.openErrors.shift();
    if (error !== undefined) throw error;
    const waiting: (readonly ObjectChange[])[] = [];
    let ended: { readonly error: Error | undefined } | undefined;
    let wake = (): void => undefined;
    const stream: OpenStream = {
      push: (changes) => {
        waiting.push(changes);
        wake();
      },
      end: (error) => {
        ended ??= { error };
        wake();
      },
    };
    this.streams.push(stream);
    signal.addEventListener('abort', () => stream.end());
    async function* read(): AsyncGenerator<readonly ObjectChange[]> {
      for (;;) {
        const next = waiting.shift();
        if (next !== undefined) yield next;
        else if (ended?.error !== undefined) throw ended.error;
        else if (ended !== undefined) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    }
    return { changes: read(), position: () => (waiting.length === 0 ? this.revision : -1) };
  }

  async *names(_model: ModelClass, options: MatchOptions): AsyncGenerator<string> {
    this.listed.push(options);
    const error = this.listErrors.shift();
    if (error !== undefined) throw error;
    for (const name of [...this.objects.keys()].sort()) {
      this.namesRead++;
      yield name;
    }
  }

  async *added(): AsyncGenerator<ObjectChange> {
    for (const object of this.objects.values()) yield changeOf('ADDED', object);
  }

  readableRevision(): number {
    return this.readable ?? this.revision;
  }

  countSetbacks(): () => number {
    const before = this.setbackCount;
    return () => this.setbackCount - before;
  }

  /** Creates or changes an object. Reports the change unless it shall get lost. */
  put(name: string, parts: Partial<ExtensionObject> = {}, { lost = false } = {}): void {
    const old = this.objects.get(name);
    const object = thing(name, parts);
    this.objects.set(name, object);
    if (!lost) this.tell(changeOf(old === undefined ? 'ADDED' : 'MODIFIED', object, old));
  }

  remove(name: string): void {
    const old = this.objects.get(name);
    if (old === undefined) throw new Error(`no object ${name}`);
    this.objects.delete(name);
    this.tell(changeOf('DELETED', old));
  }

  tell(...changes: readonly ObjectChange[]): void {
    this.streams.at(-1)?.push(changes);
  }
}

export const Thing = modelOf('Thing');

export function thing(name: string, parts: Partial<ExtensionObject> = {}): ExtensionObject {
  const plain = objectOf(parts);
  return { ...plain, metadata: { ...plain.metadata, name } };
}

export function changeOf(
  type: ObjectChange['type'],
  object: ExtensionObject,
  old?: ExtensionObject,
): ObjectChange {
  return { type, name: object.metadata.name, object: () => object, previous: () => old };
}

/** A reconciler of a function, and the controller that its builder describes. */
export function controllerOf(
  reconcile: (name: string, request: Request) => unknown,
  describe: (builder: ControllerBuilder) => ControllerBuilder = (builder) => builder,
): Controller {
  class ThingReconciler implements Reconciler {
    reconcile(request: Request): ReturnType<Reconciler['reconcile']> {
      // Plugins in plain JavaScript may return anything.
      return reconcile(request.name, request) as ReturnType<Reconciler['reconcile']>;
    }

    setupWith(builder: ControllerBuilder): Controller {
      return describe(builder.extension<ExtensionObject>(Thing as ModelClass<ExtensionObject>)).build();
    }
  }
  const reconciler = new ThingReconciler();
  return reconciler.setupWith(new ControllerBuilder(reconciler));
}

/** Waits until a condition holds; fails after a minute. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  const end = performance.now() + 60_000;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`it did not come to pass: ${what}`);
    await turn();
  }
}

/** Lets everything that is ready run. */
export async function turn(times = 1): Promise<void> {
  for (let i = 0; i < times; i++) await new Promise((resolve) => setImmediate(resolve));
}
