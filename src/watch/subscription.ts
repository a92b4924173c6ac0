import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.js';
import type { ChangeBatch } from '../store/log/change.js';
import type { LogStep } from '../store/log/log-reader.js';

/** What a subscriber may leave untaken while changes come; who leaves more is cut off. */
export interface BacklogLimits {
  readonly changes: number;
  readonly bytes: number;
}

/** Longest pause of a subscription that stands at the end of the log and may not join yet, in milliseconds. */
const PAUSE_MS_MAX = 100;

/** What a subscription needs of the hub. */
export interface Feed {
  /** A bounded part of the log after a revision. */
  read(subscription: Subscription): Promise<LogStep>;
  /** Whether the subscription gets what comes from now on by itself. */
  join(subscription: Subscription, isEnd: boolean): boolean;
  leave(subscription: Subscription): void;
}

/** `woken`: nothing came, somebody called {@link Subscription.wake}. `ended`: nothing will come. */
export type Taken = ChangeBatch | 'woken' | 'ended';

/**
 * The changes of one model after a revision, in revision order, none left out, none twice. As long as it is behind,
 * it reads the log itself, at its consumer's pace; then it is handed what the hub reads for all. Must be closed,
 * or consumed to its end.
 */
export class Subscription implements AsyncIterable<ChangeBatch> {
  private queue: ChangeBatch[] = [];
  private queuedChanges = 0;
  private queuedBytes = 0;
  /** Everything up to this revision is in the queue or was taken. */
  private received: number;
  private taken: number;
  private isLive = false;
  /** How often the log was read in a row that had nothing new. */
  private vainReads = 0;
  private needsPause = false;
  private isWoken = false;
  private isEnded = false;
  private failure: Error | undefined;
  private waiter: (() => void) | undefined;

  constructor(
    readonly modelId: number,
    after: number,
    private readonly feed: Feed,
    private readonly limits: BacklogLimits,
  ) {
    this.received = after;
    this.taken = after;
  }

  /** Every change of the model up to this revision was taken: a good place to go on from. */
  get position(): number {
    return this.queue.length === 0 ? this.received : this.taken;
  }

  /** Whether it is handed what the hub reads, rather than reading the log itself. */
  get hasCaughtUp(): boolean {
    return this.isLive;
  }

  /** Up to where the log was read for it. */
  get receivedRevision(): number {
    return this.received;
  }

  /**
   * The next changes. Must not be called again before it has answered.
   * @throws ServiceError `Expired` when the consumer was too slow, or so far behind that the log has lost its place
   */
  async next(): Promise<Taken> {
    for (;;) {
      if (this.failure !== undefined) throw this.failure;
      if (this.isEnded) return 'ended';
      if (this.isWoken) {
        this.isWoken = false;
        return 'woken';
      }
      const batch = this.queue.shift();
      if (batch !== undefined) return this.take(batch);
      if (this.isLive) await this.waitForMore();
      else if (this.needsPause) await this.pause();
      else await this.catchUp().catch((error: unknown) => this.fail(error));
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

  /** Makes `next` answer `woken`, now or when it is called. */
  wake(): void {
    this.isWoken = true;
    this.resume();
  }

  /** Nothing comes any more; what was not taken is dropped. May be called again. */
  close(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.drop();
  }

  /** Ends it with an error. */
  fail(error: unknown): void {
    if (this.isOver) return;
    this.failure = error instanceof Error ? error : new Error(String(error));
    this.drop();
  }

  /** Hands over what the hub has read. Only for the hub. */
  push(batch: ChangeBatch): void {
    const { changes, bytes } = this.limits;
    const isTooMuch =
      this.queuedChanges + batch.changes.length > changes || this.queuedBytes + batch.byteLength > bytes;
    // A commit alone may be larger than the limit; whoever keeps up takes it all the same.
    if (this.queue.length > 0 && isTooMuch) {
      this.fail(
        new ServiceError(
          'Expired',
          `too slow: more than ${changes} changes or ${bytes} bytes were waiting; list again`,
        ),
      );
      return;
    }
    this.enqueue(batch);
    this.resume();
  }

  /** Everything up to a revision was handed over. Only for the hub. */
  advance(revision: number): void {
    if (revision > this.received) this.received = revision;
  }

  private enqueue(batch: ChangeBatch): void {
    this.queue.push(batch);
    this.queuedChanges += batch.changes.length;
    this.queuedBytes += batch.byteLength;
    this.advance(batch.revision);
  }

  private take(batch: ChangeBatch): ChangeBatch {
    this.queuedChanges -= batch.changes.length;
    this.queuedBytes -= batch.byteLength;
    this.taken = batch.revision;
    return batch;
  }

  private async catchUp(): Promise<void> {
    const { received } = this;
    const step = await this.feed.read(this);
    if (this.isOver) return;
    for (const batch of step.batches) this.enqueue(batch);
    this.advance(step.until);
    this.isLive = this.feed.join(this, step.isEnd);
    // Readers may miss a commit that the hub has read already, for as long as a second: the log has nothing new then.
    this.vainReads = step.isEnd && this.received === received ? this.vainReads + 1 : 0;
    this.needsPause = !this.isLive;
  }

  /** Others run between two parts of the log, whatever these hold. */
  private async pause(): Promise<void> {
    this.needsPause = false;
    if (this.vainReads === 0) await nextTurn();
    else await sleep(Math.min(PAUSE_MS_MAX, 2 ** this.vainReads));
  }

  private get isOver(): boolean {
    return this.isEnded || this.failure !== undefined;
  }

  private waitForMore(): Promise<void> {
    return new Promise((resolve) => (this.waiter = resolve));
  }

  private resume(): void {
    const { waiter } = this;
    this.waiter = undefined;
    waiter?.();
  }

  private drop(): void {
    this.queue = [];
    this.queuedChanges = 0;
    this.queuedBytes = 0;
    this.feed.leave(this);
    this.resume();
  }
}
