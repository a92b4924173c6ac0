import { getMessage } from '../../errors.js';
import { ApiError, isTransient } from './api-error.js';
import { delayMs, follow, pause, type StreamEvent, type StreamSource } from './follow.js';
import type { ObjectPage } from './types.js';

/** The shortest time between two lists. */
const PAUSE_MS = 200;
/** The time before the next request after a refusal, which will not change soon. */
const REFUSED_MS = 15_000;

/** A list that is kept current. */
export interface LiveList<T> {
  /**
   * Resolves when the first list is read. Rejects when it fails; when the service did not answer, the list is read as soon as it
   * does, and a refusal ends the live list.
   */
  readonly ready: Promise<void>;
  /** The objects of the last list, in its order; empty before. Replaced, and never changed. */
  readonly items: readonly T[];
  /** Number of all matches. */
  readonly total: number;
  /** The last list, with its facets, groups and pages. */
  readonly page: ObjectPage<T> | undefined;
  /** The reason why the list may be outdated; undefined while it is current. */
  readonly error: ApiError | undefined;
  /**
   * Calls the listener after each change of the list or of its error.
   * @returns removes the listener
   */
  readonly subscribe: (listener: () => void) => () => void;
  /** Reads the list again, for a change that its watch does not report, such as one of an object that `expand` includes. */
  readonly refresh: () => void;
  /** Ends the watch. The last list remains. */
  close(): void;
}

export interface LiveSource<T> {
  readonly list: (signal: AbortSignal) => Promise<ObjectPage<T>>;
  /** Opens a watch of the selected objects. */
  readonly open: (after: string | undefined, signal: AbortSignal) => ReturnType<StreamSource['open']>;
}

/** Reads a list, and reads it again when a watch reports a change. The service alone decides about order and totals. */
export function openLive<T>(source: LiveSource<T>, ending: AbortSignal | undefined): LiveList<T> {
  const live = new Live(source, ending);
  void live.keepReading();
  return live;
}

class Live<T> implements LiveList<T> {
  readonly ready: Promise<void>;
  page: ObjectPage<T> | undefined;
  readonly #errors: { list?: ApiError | undefined; watch?: ApiError | undefined } = {};
  readonly #listeners = new Set<() => void>();
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  #settle: { readonly resolve: () => void; readonly reject: (error: unknown) => void };
  #isDue = false;
  #wake = (): void => undefined;

  constructor(
    private readonly source: LiveSource<T>,
    ending: AbortSignal | undefined,
  ) {
    const { signal } = this.#stop;
    this.#signal = ending === undefined ? signal : AbortSignal.any([ending, signal]);
    this.#settle = { resolve: () => undefined, reject: () => undefined };
    this.ready = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    // The failure is also in `error`: nobody has to wait for it.
    this.ready.catch(() => undefined);
    this.#signal.addEventListener('abort', () => {
      this.#settle.reject(this.#signal.reason);
      this.#listeners.clear();
      this.#wake();
    });
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    // The same function may be given twice.
    const own = (): void => listener();
    if (!this.#signal.aborted) this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  };

  readonly refresh = (): void => {
    this.#isDue = true;
    this.#wake();
  };

  get items(): readonly T[] {
    return this.page?.items ?? [];
  }

  get total(): number {
    return this.page?.total ?? 0;
  }

  get error(): ApiError | undefined {
    return this.#errors.list ?? this.#errors.watch;
  }

  close(): void {
    this.#stop.abort();
  }

  /** Reads the list as often as changes are reported: one list at a time, and a pause after each. */
  async keepReading(): Promise<void> {
    const signal = this.#signal;
    if (signal.aborted) this.#settle.reject(signal.reason);
    for (let failures = 0; !signal.aborted;) {
      const isFirst = this.page === undefined;
      const startMs = performance.now();
      this.#isDue = false;
      let waitMs = PAUSE_MS;
      try {
        this.page = await this.source.list(signal);
        failures = 0;
        this.#note('list', undefined);
        this.#settle.resolve();
        this.#tell();
        if (isFirst) void this.#keepFollowing(this.page);
      } catch (error) {
        this.#note('list', error);
        if (isFirst && !isTransient(error)) return;
        this.#isDue = true;
        waitMs = isTransient(error) ? delayMs(failures++, error) : REFUSED_MS;
      }
      await pause(Math.max(waitMs, performance.now() - startMs), signal);
      if (!this.#isDue) await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  async #keepFollowing(first: ObjectPage<T>): Promise<void> {
    const { source } = this;
    const signal = this.#signal;
    const open: StreamSource['open'] = (after) => source.open(after, signal);
    const onFailure = (error: ApiError | undefined): void => this.#note('watch', error);
    while (!signal.aborted) {
      const from = (this.page ?? first).metadata.resourceVersion;
      try {
        const events = follow({ open, from, hasInitial: false, isFirst: false, signal, onFailure });
        for await (const event of events) if (this.#isNews(event)) this.refresh();
      } catch (error) {
        this.#note('watch', error);
        await pause(REFUSED_MS, signal);
        this.refresh();
      }
    }
  }

  #isNews(event: StreamEvent): boolean {
    if (!('object' in event)) return true;
    const shown = Number(this.page?.metadata.resourceVersion);
    return event.type !== 'BOOKMARK' && Number(event.resourceVersion) > shown;
  }

  #note(of: 'list' | 'watch', caught: unknown): void {
    if (this.#signal.aborted || caught === this.#errors[of]) return;
    const isKnown = caught === undefined || caught instanceof ApiError;
    const error = isKnown ? caught : new ApiError(0, { code: 'InternalError', message: getMessage(caught) });
    this.#errors[of] = error;
    if (error !== undefined) this.#settle.reject(error);
    this.#tell();
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener();
      } catch (error) {
        // Neither the watch nor other listeners depend on it.
        console.error(error);
      }
    }
  }
}
