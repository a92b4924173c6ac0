import type { Clock } from '../../lib/time/clock.js';
import { backoffMs } from '../queue/backoff.js';
import type { FollowedModel } from './followed.js';
import { formatFailure } from '../outcome.js';
import type { ChangeStream, ControllerSource } from '../source.js';
import type { WorkerScheduler } from '../queue/worker-scheduler.js';

const REOPEN_LIMITS = { minDelayMs: 100, maxDelayMs: 30_000 };

/** Receives the names and the states of the source. */
export interface EventSourceTarget {
  /** Receives a name to reconcile because it changed. */
  changed(name: string): void;
  /** Receives a name to reconcile because all are. */
  synced(name: string): void;
  /** Undefined when the target can take further names of a sync; else a promise of that. */
  room(): Promise<void> | undefined;
  /** The source starts to follow the changes. */
  syncing(): void;
  /** The source follows the changes, and the sync, if any, has ended. */
  settled(): void;
  /** The source cannot follow the changes; it tries again after this number of milliseconds. */
  broken(message: string, retryAfterMs: number): void;
}

export interface EventSourcePorts {
  readonly source: ControllerSource;
  readonly clock: Clock;
  readonly scheduler: WorkerScheduler;
}

/**
 * Follows the changes of a model for a controller. The stream is opened before the sync begins, so that changes during the sync are not
 * missed. When the stream breaks, it is opened again and all names are synced, whatever the controller's options for the start are:
 * a lost change costs only a delay.
 */
export class EventSource {
  #stream: ChangeStream | undefined;
  #isInBatch = false;

  constructor(
    private readonly followed: FollowedModel,
    private readonly ports: EventSourcePorts,
    private readonly target: EventSourceTarget,
  ) {}

  /** Every change up to this revision was delivered; undefined during a delivery, or when changes cannot be read. */
  get position(): number | undefined {
    return this.#isInBatch ? undefined : this.#stream?.position();
  }

  /** No change after this revision was delivered. */
  get newest(): number {
    return this.#stream?.position() ?? 0;
  }

  /** Ends when the signal is aborted; never throws. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.ports;
    let sync = this.followed.atStart;
    let failures = 0;
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) {
      const began = clock.now();
      try {
        await this.#follow(sync, signal);
      } catch (error) {
        if (isOver()) return;
        // Changes missed until the stream is open again may be of any object.
        sync = this.followed.afterLoss;
        failures = clock.now() - began > REOPEN_LIMITS.maxDelayMs ? 1 : failures + 1;
        const delayMs = backoffMs(failures, REOPEN_LIMITS, Math.random());
        this.target.broken(formatFailure(error), delayMs);
        await sleep(delayMs, clock, signal);
      }
    }
  }

  async #follow(sync: FollowedModel['atStart'], outer: AbortSignal): Promise<void> {
    const own = new AbortController();
    const signal = AbortSignal.any([outer, own.signal]);
    try {
      this.target.syncing();
      const stream = await this.ports.source.open(this.followed.model, signal);
      const synced = sync === undefined ? Promise.resolve() : this.#sync(sync(), signal);
      const caughtUp = synced.then(() => {
        if (!signal.aborted) this.target.settled();
      });
      await Promise.all([this.#consume(stream, signal), caughtUp]);
    } finally {
      this.#stream = undefined;
      this.#isInBatch = false;
      own.abort();
    }
  }

  async #consume(stream: ChangeStream, signal: AbortSignal): Promise<void> {
    let began = performance.now();
    this.#stream = stream;
    for await (const changes of stream.changes) {
      this.#isInBatch = true;
      for (const change of changes) {
        if (signal.aborted) return;
        for (const name of this.followed.namesOf(change)) this.target.changed(name);
        if (this.ports.scheduler.isOver(began)) began = await this.ports.scheduler.next();
      }
      this.#isInBatch = false;
    }
    if (!signal.aborted) throw new Error('the stream of changes has ended');
  }

  async #sync(names: AsyncIterable<string>, signal: AbortSignal): Promise<void> {
    const { scheduler } = this.ports;
    let began = performance.now();
    for await (const name of names) {
      const room = this.target.room();
      if (room !== undefined) await room;
      if (signal.aborted) return;
      this.target.synced(name);
      if (scheduler.isOver(began)) began = await scheduler.next();
    }
  }
}

/** Ends early when the signal is aborted. */
function sleep(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      cancel();
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const cancel = clock.setTimer(ms, wake);
    signal.addEventListener('abort', wake);
  });
}
