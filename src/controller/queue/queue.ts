import type { Clock } from '../../lib/time/clock.js';
import { backoffMs, type BackoffLimits } from './backoff.js';
import { DueHeap, type Due } from './due-heap.js';
import { Fifo } from './fifo.js';

/** The limit of names due at the same time that are moved before other work gets a turn. */
const DUE_BATCH = 1000;

export interface QueueOptions extends BackoffLimits {
  readonly clock: Clock;
  /** Called when a name can be taken; must not take it synchronously. */
  readonly onReady: () => void;
  /** From 0 (inclusive) to 1 (exclusive). */
  readonly random?: () => number;
}

/** The state of a name. Times are milliseconds of the queue's clock. */
export interface QueuedName {
  readonly name: string;
  /** `waiting`: will be taken next. `delayed`: not before `dueAt`. `working`: taken. */
  readonly state: 'waiting' | 'delayed' | 'working';
  /** When this state began. */
  readonly since: number;
  /** Only for a delayed name. */
  readonly dueAt: number;
  /** The number of returns in a row without success. */
  readonly failures: number;
  /** The last failure; undefined when it did not fail. */
  readonly error: string | undefined;
}

interface Entry extends Due {
  readonly name: string;
  state: QueuedName['state'];
  since: number;
  failures: number;
  error: string | undefined;
  /** The soonest time that was asked for while the name was in work. */
  againAt: number | undefined;
}

/**
 * The names to be reconciled. Each occurs at most once, in one of three states: waiting, delayed until its time, or in work. A
 * finished name leaves nothing behind.
 *
 * Names wait in the order of the first request. No operation reads all names. The queue belongs to one thread: its methods await
 * nothing.
 */
export class RequestQueue {
  readonly #entries = new Map<string, Entry>();
  readonly #waiting = new Fifo<Entry>();
  readonly #delayed = new DueHeap<Entry>();
  readonly #working = new Set<Entry>();
  readonly #options: QueueOptions;
  readonly #random: () => number;
  #timer: { readonly at: number; readonly cancel: () => void } | undefined;
  #closed = false;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
  }

  /** The number of names that wait to be taken. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** The number of names that are delayed. */
  get delayed(): number {
    return this.#delayed.size;
  }

  /** The number of names in work. */
  get working(): number {
    return this.#working.size;
  }

  /** When the next name began to wait; undefined when none waits. */
  get oldestSince(): number | undefined {
    return this.#waiting.peek()?.since;
  }

  /**
   * Asks for a name, at once or after a delay in milliseconds. A waiting name is not added twice; the earlier of two times applies;
   * a name in work is reconciled once more afterwards. A name that waits for its next attempt after a failure is tried now. Does
   * nothing when the queue is closed.
   */
  add(name: string, delayMs = 0): void {
    if (this.#closed) return;
    const now = this.#options.clock.now();
    const dueAt = now + delayMs;
    const entry = this.#entries.get(name);
    if (entry === undefined) this.#schedule(this.#enter(name), dueAt, now);
    else if (entry.state === 'working') entry.againAt = Math.min(entry.againAt ?? dueAt, dueAt);
    else if (entry.state === 'delayed' && dueAt < entry.dueAt) {
      this.#delayed.remove(entry);
      this.#schedule(entry, dueAt, now);
    }
  }

  /** Takes the name that has waited longest; undefined when none waits. The caller must return it. */
  take(): string | undefined {
    const entry = this.#waiting.shift();
    if (entry === undefined) return undefined;
    entry.state = 'working';
    entry.since = this.#options.clock.now();
    this.#working.add(entry);
    return entry.name;
  }

  /** Returns a name with success: its failures are forgotten. With a delay (milliseconds) it is added again. */
  done(name: string, againAfterMs?: number): void {
    const entry = this.#taken(name);
    entry.failures = 0;
    entry.error = undefined;
    const now = this.#options.clock.now();
    this.#giveBack(entry, againAfterMs === undefined ? undefined : now + againAfterMs, now);
  }

  /**
   * Returns a name without success: it is added again after the back-off, or at once if it was asked for meanwhile.
   * @param error the failure; undefined when it did not fail but should be tried again
   */
  retry(name: string, error?: string): void {
    const entry = this.#taken(name);
    entry.failures++;
    entry.error = error;
    const now = this.#options.clock.now();
    this.#giveBack(entry, now + backoffMs(entry.failures, this.#options, this.#random()), now);
  }

  /** Forgets all names except those in work, and takes no more. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#waiting.clear();
    this.#delayed.clear();
    this.#entries.clear();
    for (const entry of this.#working) this.#entries.set(entry.name, entry);
  }

  /** Undefined when the name is not in the queue. */
  find(name: string): QueuedName | undefined {
    const entry = this.#entries.get(name);
    return entry && { ...entry };
  }

  /** The names in work, oldest first. */
  inWork(): QueuedName[] {
    return [...this.#working].map((entry) => ({ ...entry }));
  }

  /** The next delayed names, soonest first, at most `n`. */
  soonest(n: number): QueuedName[] {
    return this.#delayed.soonest(n).map((entry) => ({ ...entry }));
  }

  #enter(name: string): Entry {
    const entry: Entry = {
      name,
      state: 'waiting',
      since: 0,
      dueAt: 0,
      place: -1,
      failures: 0,
      error: undefined,
      againAt: undefined,
    };
    this.#entries.set(name, entry);
    return entry;
  }

  #taken(name: string): Entry {
    const entry = this.#entries.get(name);
    if (entry?.state !== 'working') throw new Error(`"${name}" was released but is not being reconciled`);
    this.#working.delete(entry);
    return entry;
  }

  #giveBack(entry: Entry, dueAt: number | undefined, now: number): void {
    const { againAt } = entry;
    entry.againAt = undefined;
    const next = againAt === undefined ? dueAt : Math.min(againAt, dueAt ?? againAt);
    if (next === undefined || this.#closed) this.#entries.delete(entry.name);
    else this.#schedule(entry, next, now);
  }

  #schedule(entry: Entry, dueAt: number, now: number): void {
    entry.since = now;
    if (dueAt > now) {
      entry.state = 'delayed';
      entry.dueAt = dueAt;
      this.#delayed.add(entry);
      this.#arm(now);
    } else {
      entry.state = 'waiting';
      this.#waiting.push(entry);
      this.#options.onReady();
    }
  }

  /** One timer for all names: it is set again only for a sooner due time. */
  #arm(now: number): void {
    const at = this.#delayed.peek()?.dueAt;
    if (at === undefined || (this.#timer !== undefined && this.#timer.at <= at)) return;
    this.#timer?.cancel();
    this.#timer = { at, cancel: this.#options.clock.setTimer(at - now, () => this.#fallDue()) };
  }

  #fallDue(): void {
    this.#timer = undefined;
    const now = this.#options.clock.now();
    for (let moved = 0; moved < DUE_BATCH; moved++) {
      const entry = this.#delayed.peek();
      if (entry === undefined || entry.dueAt > now) break;
      this.#delayed.remove(entry);
      this.#schedule(entry, now, now);
    }
    this.#arm(now);
  }
}
