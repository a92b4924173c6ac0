import { syncBuiltinESMExports } from 'node:module';
import crypto from 'node:crypto';
import timers from 'node:timers/promises';
import zlib from 'node:zlib';
import { BEGIN_MS, running, type SimulatedProcess, type Task } from './scheduler.js';

/** Delay of the next turn of a process, in milliseconds. */
const TURN_MS = 0.01;
/** Time for the compression of a record, in milliseconds. */
const PACK_MS = 0.05;

/** A timer of a simulated process. */
class SimulatedTimer {
  #task: Task;

  constructor(
    private readonly process: SimulatedProcess,
    private readonly ms: number,
    private readonly label: string,
    private readonly call: () => void,
    private readonly repeats = false,
  ) {
    this.#task = this.#start();
  }

  #start(): Task {
    return this.process.later(this.ms, this.label, () => {
      if (this.repeats) this.#task = this.#start();
      this.call();
    });
  }

  cancel(): void {
    this.process.scheduler.cancel(this.#task);
  }

  refresh(): this {
    this.cancel();
    this.#task = this.#start();
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

type Call = (...given: unknown[]) => void;

/** A function that starts a timer, for code of simulated processes; other code keeps the given one. */
function starter(real: (call: Call, ms?: number, ...given: unknown[]) => unknown, repeats: boolean) {
  return (call: Call, ms = 0, ...given: unknown[]): unknown => {
    const process = running.getStore();
    if (process === undefined) return real(call, ms, ...given);
    return new SimulatedTimer(process, Math.max(1, ms), 'timer', () => call(...given), repeats);
  };
}

function ender(real: (timer?: NodeJS.Timeout) => void) {
  return (timer?: NodeJS.Timeout | SimulatedTimer): void =>
    timer instanceof SimulatedTimer ? timer.cancel() : real(timer);
}

/**
 * Gives code of simulated processes the time of their scheduler. All other code, such as the test runner, keeps the
 * real time.
 */
function replaceTime(): void {
  const { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval } = globalThis;
  const [now, dateNow] = [performance.now.bind(performance), Date.now.bind(Date)];
  const { setTimeout: sleep, setImmediate: nextTurn } = timers;
  const immediate = (call: Call, ...given: unknown[]): unknown => {
    const process = running.getStore();
    if (process === undefined) return setImmediate(call, ...given);
    return new SimulatedTimer(process, TURN_MS, 'turn', () => call(...given));
  };
  Object.assign(globalThis, {
    setTimeout: starter(setTimeout, false),
    setInterval: starter(setInterval, true),
    setImmediate: immediate,
    clearTimeout: ender(clearTimeout),
    clearInterval: ender(clearInterval),
  });
  Object.assign(timers, {
    setTimeout(ms?: number, value?: unknown): Promise<unknown> {
      const process = running.getStore();
      if (process === undefined) return sleep(ms, value);
      return new Promise((resolve) => process.later(Math.max(1, ms ?? 1), 'sleep', () => resolve(value)));
    },
    setImmediate(value?: unknown): Promise<unknown> {
      const process = running.getStore();
      if (process === undefined) return nextTurn(value);
      return new Promise((resolve) => process.later(TURN_MS, 'turn', () => resolve(value)));
    },
  });
  const { timeOrigin } = performance;
  Object.assign(performance, { now: () => running.getStore()?.scheduler.spend() ?? now() });
  Object.defineProperty(performance, 'timeOrigin', {
    configurable: true,
    get: () => (running.getStore() === undefined ? timeOrigin : BEGIN_MS),
  });
  Object.assign(Date, {
    now() {
      const scheduler = running.getStore()?.scheduler;
      return scheduler === undefined ? dateNow() : Math.floor(scheduler.nowMs + scheduler.wallOffsetMs);
    },
  });
}

type Pack = (bytes: Buffer, ...given: unknown[]) => unknown;

/** A function that calls back with the result of another one, for code of simulated processes. */
function packer(real: Pack, packNow: Pack) {
  return (bytes: Buffer, ...given: unknown[]): unknown => {
    const process = running.getStore();
    if (process === undefined) return real(bytes, ...given);
    const done = given.pop() as (error: null, packed: unknown) => void;
    return process.later(PACK_MS, 'has packed', () => done(null, packNow(bytes, ...given)));
  };
}

/** Replaces threads of Node.js, and its random numbers. */
function replaceOthers(): void {
  Object.assign(zlib, {
    deflateRaw: packer(zlib.deflateRaw as Pack, zlib.deflateRawSync as Pack),
    inflateRaw: packer(zlib.inflateRaw as Pack, zlib.inflateRawSync as Pack),
  });
  const { random } = Math;
  Math.random = () => running.getStore()?.scheduler.random.next() ?? random();
  const { randomUUID } = crypto;
  Object.assign(crypto, {
    randomUUID() {
      const random = running.getStore()?.scheduler.random;
      if (random === undefined) return randomUUID();
      const digits = Array.from({ length: 32 }, () => random.below(16).toString(16)).join('');
      return digits.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
    },
  });
}

replaceTime();
replaceOthers();
syncBuiltinESMExports();
