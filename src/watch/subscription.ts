import { setTimeout as sleep } from 'node:timers/promises';
import { nextTurn } from '../lib/work/turn.js';
import { ServiceError } from '../errors.js';
import type { ChangeBatch } from '../store/log/change.js';
import type { LogStep } from '../store/log/log-reader.js';

/** Most changes that a subscriber may leave unread; with more, it is cut off. */
export interface BacklogLimits {
  readonly changes: number;
  readonly bytes: number;
}

/** Longest pause of a subscription at the end of the log that cannot join yet, in milliseconds. */
const PAUSE_MS_MAX = 100;

/** The hub, as a subscription uses it. */
export interface Feed {
  /** A bounded part of the log after a revision. */
  read(subscription: Subscription): Promise<LogStep>;
  /** Adds the subscription to the live ones; returns false when that is not possible yet. */
  join(subscription: Subscription, isEnd: boolean): boolean;
  leave(subscription: Subscription): void;
}

/** `woken`: no changes, but {@link Subscription.wake} was called. `ended`: no more changes will come. */
export type Taken = ChangeBatch | 'woken' | 'ended';

/**
 * The changes of one model after a revision, in revision order, each exactly once. A subscription that is behind
 * reads the log itself, at its consumer's pace; then it receives the reads that the hub shares. Must be closed, or
 * consumed to its end.
 */
export class Subscription implements AsyncIterable<ChangeBatch> {
  #queue: ChangeBatch[] = [];
  #queuedChanges = 0;
  #queuedBytes = 0;
  /** Everything up to this revision is in the queue or was taken. */
  #received: number;
  #taken: number;
  #isLive = false;
  /** Number of consecutive reads of the log without new entries. */
  #vainReads = 0;
  #needsPause = false;
  #isWoken = false;
  #isEnded = false;
  #failure: Error | undefined;
  #waiter: (() => void) | undefined;

  constructor(
    readonly modelId: number,
    after: number,
    private readonly feed: Feed,
    private readonly limits: BacklogLimits,
  ) {
    this.#received = after;
    this.#taken = after;
  }

  /** Every change of the model up to this revision was taken, so a new subscription can continue from here. */
  get position(): number {
    return this.#queue.length === 0 ? this.#received : this.#taken;
  }

  /** True when the hub reads the log for the subscription. */
  get hasCaughtUp(): boolean {
    return this.#isLive;
  }

  /** The revision up to which the log was read for the subscription. */
  get receivedRevision(): number {
    return this.#received;
  }

  /**
   * The next changes. Must not be called again before it has resolved.
   * @throws ServiceError `Expired` when the consumer was too slow, or so far behind that its revision is no longer in
   * the log
   */
  async next(): Promise<Taken> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#isEnded) return 'ended';
      if (this.#isWoken) {
        this.#isWoken = false;
        return 'woken';
      }
      const batch = this.#queue.shift();
      if (batch !== undefined) return this.#take(batch);
      if (this.#isLive) await this.#waitForMore();
      else if (this.#needsPause) await this.#pause();
      else await this.#catchUp().catch((error: unknown) => this.fail(error));
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ChangeBatch> {
    try {
      for (;;) {
        const taken = await this.next();
        if (taken === 'ended') return;
        if (taken !== 'woken') yield taken;
      }
    } finally {
      this.close();
    }
  }

  /** Makes `next` return `woken`, now or at the next call. */
  wake(): void {
    this.#isWoken = true;
    this.#resume();
  }

  /** Ends the subscription and drops changes that were not taken. May be called again. */
  close(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#drop();
  }

  fail(error: unknown): void {
    if (this.#isOver) return;
    this.#failure = error instanceof Error ? error : new Error(String(error));
    this.#drop();
  }

  /** Receives a batch that the hub has read. Only for the hub. */
  push(batch: ChangeBatch): void {
    const { changes, bytes } = this.limits;
    const isTooMuch =
      this.#queuedChanges + batch.changes.length > changes || this.#queuedBytes + batch.byteLength > bytes;
    // A single commit may exceed the limit; a consumer that keeps up takes it anyway.
    if (this.#queue.length > 0 && isTooMuch) {
      this.fail(
        new ServiceError(
          'Expired',
          `too slow: more than ${changes} changes or ${bytes} bytes were waiting; list again`,
        ),
      );
      return;
    }
    this.#enqueue(batch);
    this.#resume();
  }

  /** Records that everything up to a revision was delivered. Only for the hub. */
  advance(revision: number): void {
    if (revision > this.#received) this.#received = revision;
  }

  #enqueue(batch: ChangeBatch): void {
    this.#queue.push(batch);
    this.#queuedChanges += batch.changes.length;
    this.#queuedBytes += batch.byteLength;
    this.advance(batch.revision);
  }

  #take(batch: ChangeBatch): ChangeBatch {
    this.#queuedChanges -= batch.changes.length;
    this.#queuedBytes -= batch.byteLength;
    this.#taken = batch.revision;
    return batch;
  }

  async #catchUp(): Promise<void> {
    const received = this.#received;
    const step = await this.feed.read(this);
    if (this.#isOver) return;
    for (const batch of step.batches) this.#enqueue(batch);
    this.advance(step.until);
    this.#isLive = this.feed.join(this, step.isEnd);
    // For up to a second, readers may miss a commit that the hub has already read; then the log has nothing new.
    this.#vainReads = step.isEnd && this.#received === received ? this.#vainReads + 1 : 0;
    this.#needsPause = !this.#isLive;
  }

  /** Other work runs between two parts of the log, even when they are empty. */
  async #pause(): Promise<void> {
    this.#needsPause = false;
    if (this.#vainReads === 0) await nextTurn();
    else await sleep(Math.min(PAUSE_MS_MAX, 2 ** this.#vainReads));
  }

  get #isOver(): boolean {
    return this.#isEnded || this.#failure !== undefined;
  }

  #waitForMore(): Promise<void> {
    return new Promise((resolve) => (this.#waiter = resolve));
  }

  #resume(): void {
    const waiter = this.#waiter;
    this.#waiter = undefined;
    waiter?.();
  }

  #drop(): void {
    this.#queue = [];
    this.#queuedChanges = 0;
    this.#queuedBytes = 0;
    this.feed.leave(this);
    this.#resume();
  }
}
