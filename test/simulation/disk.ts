import type { Random } from '../helpers/seed.js';
import { Archive } from './archive.js';
import type { SimulatedEngine } from './engine.js';
import { Pairs } from './pairs.js';
import type { SimulatedProcess } from './scheduler.js';

export interface DiskOptions {
  /** A fault: commits are visible and answered before they are durable. */
  readonly answersEarly?: boolean;
  /** The number of last changes that the log of the store keeps. */
  readonly changesMin?: number;
}

/** A disk with one store on it, which several processes have open, with the rules of LMDB. */
export class Disk {
  /** The newest commit that survives a power cut. */
  durable = new Pairs();
  /** The commit that readers get. */
  visible = this.durable;
  readonly archive: Archive;
  isFull = false;
  flushMs = 1;
  readonly engines = new Set<SimulatedEngine>();
  #previous = this.durable;
  /** The commit that is being written. */
  #writing: Pairs | undefined;
  #holder: SimulatedProcess | undefined;
  readonly #queue: { readonly process: SimulatedProcess; readonly resolve: () => void }[] = [];
  /** The last time when readers missed an answered commit. */
  #missedMs = -1;
  #isPassedOver = false;
  readonly answersEarly: boolean;

  constructor(
    private readonly random: Random,
    { answersEarly = false, changesMin = 0 }: DiskOptions = {},
  ) {
    this.answersEarly = answersEarly;
    this.archive = new Archive(changesMin);
  }

  /** Waits for the lock of writers. */
  lock(process: SimulatedProcess): Promise<void> {
    return new Promise((resolve) => {
      this.#queue.push({ process, resolve });
      this.#grant();
    });
  }

  /** The process that has the lock of writers. */
  get holder(): SimulatedProcess | undefined {
    return this.#holder;
  }

  unlock(process: SimulatedProcess): void {
    if (this.#holder === process) this.#holder = undefined;
    this.#grant();
  }

  #grant(): void {
    const next = this.#holder === undefined ? this.#queue.shift() : undefined;
    if (next === undefined) return;
    this.#holder = next.process;
    next.process.later(this.random.next() * 0.3, 'has the lock', next.resolve);
  }

  beginWrite(pairs: Pairs): void {
    this.#writing = pairs;
  }

  /** The commit is on disk. */
  store(pairs: Pairs): void {
    this.archive.note(this.durable, pairs);
    this.#previous = this.durable;
    this.durable = pairs;
    this.#writing = undefined;
  }

  /** Readers get the older commit until a writer repairs that. */
  passOver(nowMs: number): void {
    if (this.visible !== this.durable || this.#writing !== undefined || this.answersEarly) return;
    this.visible = this.#previous;
    this.#isPassedOver = true;
    this.#missedMs = nowMs;
  }

  /** Under the lock of writers. @returns true when readers had an older commit than the newest */
  repair(nowMs: number): boolean {
    if (this.visible === this.durable || this.answersEarly) return false;
    this.restart(nowMs);
    return true;
  }

  /** True when readers may have missed an answered commit since a time. */
  wasBehindSince(ms: number): boolean {
    return this.#isPassedOver || this.#missedMs >= ms;
  }

  /** Removes what a dead process leaves: its lock, and the commit that it was writing, which may be complete. */
  forget(process: SimulatedProcess): void {
    for (const engine of this.engines) if (engine.process === process) this.engines.delete(engine);
    for (let i = this.#queue.length - 1; i >= 0; i--)
      if (this.#queue[i]?.process === process) this.#queue.splice(i, 1);
    if (this.#holder !== process) return;
    if (this.#writing !== undefined && this.random.chance(0.5)) this.store(this.#writing);
    this.#writing = undefined;
    this.unlock(process);
  }

  /** Replaces the contents, for a reader. */
  show(pairs: Pairs): void {
    this.durable = pairs;
    this.visible = pairs;
  }

  /** Ends all faults that last. */
  heal(): void {
    this.isFull = false;
    this.flushMs = 1;
  }

  /** The memory is lost, after all processes. */
  restart(nowMs: number): void {
    this.visible = this.durable;
    // The answer of an earlier read may still come.
    if (this.#isPassedOver) this.#missedMs = nowMs;
    this.#isPassedOver = false;
  }
}
