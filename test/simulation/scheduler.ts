import { AsyncLocalStorage } from 'node:async_hooks';
import type { Random } from '../helpers/seed.js';

/** Something that a process does later. */
export interface Task {
  readonly process: SimulatedProcess;
  readonly label: string;
  readonly run: () => void;
  atMs: number;
  order: number;
}

/** The process whose code runs now; undefined outside of simulations. */
export const running = new AsyncLocalStorage<SimulatedProcess>();

/** Passes control to the event loop of Node.js: all microtasks run before. */
const passTurn = globalThis.setImmediate;
/** The wall clock at the beginning, in milliseconds since 1970. */
export const BEGIN_MS = Date.UTC(2030, 0);
/** More reads of the store in one step are an endless loop. */
const READS_MAX = 20_000;

/** A process of the simulation. A stopped one does nothing until it continues; a dead one does nothing any more. */
export class SimulatedProcess {
  state: 'running' | 'stopped' | 'dead' = 'running';
  readonly held: Task[] = [];
  /** The last time at which it was stopped. */
  stoppedUntilMs = -1;

  constructor(
    readonly name: string,
    readonly scheduler: Scheduler,
  ) {}

  later(ms: number, label: string, run: () => void): Task {
    return this.scheduler.add(ms, { process: this, label, run, atMs: 0, order: 0 });
  }

  goOn(): void {
    if (this.state !== 'stopped') return;
    this.state = 'running';
    this.stoppedUntilMs = this.scheduler.nowMs;
    for (const task of this.held.splice(0)) this.scheduler.add(0, task);
  }
}

/** Owns the time and all asynchrony of a simulation: one task runs after another, in an order that the seed gives. */
export class Scheduler {
  /** The monotonic clock, in milliseconds. */
  nowMs = 1_000;
  /** The difference to the wall clock. */
  wallOffsetMs = BEGIN_MS;
  steps = 0;
  failure: Error | undefined;
  /** Ascending by time. */
  readonly #tasks: Task[] = [];
  #order = 0;
  #reads = 0;

  constructor(
    readonly random: Random,
    private readonly onTrace: ((line: string) => void) | undefined,
  ) {}

  add(ms: number, task: Task): Task {
    task.atMs = this.nowMs + Math.max(0, ms);
    task.order = this.#order++;
    let [low, high] = [0, this.#tasks.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#tasks[middle]?.atMs ?? Infinity) <= task.atMs) low = middle + 1;
      else high = middle;
    }
    this.#tasks.splice(low, 0, task);
    return task;
  }

  cancel(task: Task): void {
    for (const tasks of [this.#tasks, task.process.held]) {
      const at = tasks.indexOf(task);
      if (at >= 0) tasks.splice(at, 1);
    }
  }

  /** Time that code takes. */
  spend(): number {
    this.nowMs += this.random.chance(0.02) ? 1.2 : 0.002;
    return this.nowMs;
  }

  /** Notes a read of the store. @throws Error in an endless loop, which would otherwise block the simulation */
  noteRead(): void {
    if (++this.#reads <= READS_MAX) return;
    this.failure ??= new Error(`a step of ${running.getStore()?.name ?? ''} reads without end`);
    throw this.failure;
  }

  trace(text: string): void {
    this.onTrace?.(`${this.steps} ${this.nowMs.toFixed(3)} ${text}`);
  }

  /** Runs tasks until the work is done. @throws Error when it is not done within the steps */
  async run(isDone: () => boolean, stepsMax: number): Promise<void> {
    const last = this.steps + stepsMax;
    while (!isDone()) {
      if (this.failure !== undefined) throw this.failure;
      const task = this.#tasks.shift();
      if (task === undefined) throw new Error('requests wait, and no process has anything to do');
      if (task.process.state === 'stopped') task.process.held.push(task);
      if (task.process.state !== 'running') continue;
      if (this.steps++ === last) throw new Error(`the work is not done within ${stepsMax} steps`);
      this.nowMs = Math.max(this.nowMs, task.atMs);
      this.trace(`${task.process.name} ${task.label}`);
      this.#reads = 0;
      running.run(task.process, task.run);
      await new Promise((resolve) => void passTurn(resolve));
    }
    if (this.failure !== undefined) throw this.failure;
  }
}
