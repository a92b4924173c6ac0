import { setTimeout as sleep } from 'node:timers/promises';
import { getMessage } from '../errors.js';
import { Wake } from '../lib/work/wake.js';
import type { Fence } from '../store/fence.js';
import type { Store } from '../store/store.js';
import { retryDelayMs } from './request/backoff.js';
import type { BodyMemory } from '../lib/work/body-memory.js';
import { WebhookChanges } from './changes.js';
import type { Secrets } from './credentials.js';
import { DeadLetters } from './dead-letters.js';
import { Lanes, type Queued } from './lanes.js';
import { progressIn, putProgress, readProgress, type DeliveryProgress } from './progress.js';
import type { Outcome, Sender } from './request/sender.js';
import { Tally } from './tally.js';
import { describeOutcome, isAcknowledged, WebhookTarget } from './request/target.js';
import type { Webhook } from './webhook.js';

/** Requests of one webhook at the same time. */
const CONCURRENT_MAX = 32;
/** Limits of pending deliveries and their bytes, above which no more of the log is read. Most bodies are not in memory. */
const PENDING_MAX = 1_024;
const PENDING_BYTES_MAX = 8 * 1024 * 1024;
/** The interval in which the state is stored when it has changed, in milliseconds. */
const SAVE_MS = 250;
/** The interval of reads of the log without a notice of changes, and after an error, in milliseconds. */
const READ_MS = 1_000;
/** Longest wait for running requests at the end, in milliseconds. */
const END_MS = 1_000;
const GONE = 410;
const TOO_MANY_REQUESTS = 429;

export type AttemptResult = 'delivered' | 'retried' | 'failed';

/** The dependencies of deliveries. */
export interface CourierOptions {
  readonly store: Store;
  readonly fence: Fence;
  readonly sender: Pick<Sender, 'send'>;
  /** Shared by all webhooks: for bodies from their first read on, and for those that are read again to be sent. */
  readonly memory: { readonly firstReads: BodyMemory; readonly rereads: BodyMemory };
  readonly webhook: Webhook;
  readonly secrets: Secrets;
  /** The stored state. */
  readonly progress: DeliveryProgress;
  /** Counts attempts. */
  readonly onAttempt: (result: AttemptResult) => void;
}

/** `moved`: the webhook or its stored state was replaced. `gone`: the receiver wants nothing more. */
export type CourierState = 'sending' | 'moved' | 'gone';

/** Sends the changes of one webhook, from its stored position on. */
export class Courier {
  readonly #lanes = new Lanes();
  readonly #changes: WebhookChanges;
  readonly #target: WebhookTarget;
  readonly #letters: DeadLetters;
  readonly #tally: Tally;
  readonly #wake = new Wake();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #running = new Set<Promise<void>>();
  /** Deliveries that were pending when the state was stored, with their attempts, until they are done. */
  readonly #left: Map<number, number>;
  #cursor: number;
  /** The receiver asked for less: nothing is sent until then. */
  #pause: NodeJS.Timeout | undefined;
  #state: CourierState = 'sending';
  #isStopped = false;
  /** Ends the requests. */
  readonly #ending = new AbortController();

  constructor(private readonly options: CourierOptions) {
    const { webhook, secrets, progress, store, sender, fence } = options;
    this.#changes = new WebhookChanges(store, webhook);
    this.#target = new WebhookTarget(sender, webhook.spec, secrets);
    this.#letters = new DeadLetters(store.engine, fence, webhook.metadata.uid);
    this.#tally = new Tally(progress);
    this.#left = new Map(progress.pending);
    this.#cursor = progress.position;
  }

  get state(): CourierState {
    return this.#state;
  }

  /** Number of deliveries that were read and are not done. */
  get pending(): number {
    return this.#lanes.pending;
  }

  /** The state to store. */
  get progress(): DeliveryProgress {
    const { epoch, cursor } = this.options.progress;
    const { first } = this.#lanes;
    const unread = [...this.#left].filter(([revision]) => revision > this.#cursor);
    return {
      epoch,
      position: first === undefined ? this.#cursor : first - 1,
      cursor: Math.max(cursor, this.#cursor),
      pending: [...this.#lanes.entries(), ...unread],
      ...this.#tally.state,
    };
  }

  /** Ends after {@link stop}, and when the state is no longer `sending`; never throws. */
  async run(): Promise<void> {
    const forget = this.options.store.onChange(() => this.#wake.wake());
    const saving = this.#saveRegularly();
    while (!this.#isOver()) {
      const isMore = this.#hasRoom() && (await this.#attempt(() => this.#read())) === true;
      this.#pump();
      if (!isMore || !this.#hasRoom()) await this.#wake.wait(READ_MS);
    }
    forget();
    for (const timer of this.#timers) clearTimeout(timer);
    const { memory } = this.options;
    const { signal } = this.#ending;
    const rest = sleep(END_MS, undefined, { ref: false, signal }).catch(() => undefined);
    await Promise.race([Promise.all(this.#running), rest]);
    this.#ending.abort();
    memory.rereads.stopWaiting(this);
    await Promise.all(this.#running);
    memory.firstReads.release(this);
    await saving;
    await this.#attempt(() => this.#save());
  }

  /** @param isGone true to end what is being sent at once, because nobody wants to know the result */
  stop(isGone = false): void {
    this.#isStopped = true;
    if (isGone) this.#ending.abort();
    this.#wake.wake();
  }

  #isOver(): boolean {
    return this.#isStopped || this.#state !== 'sending';
  }

  #hasRoom(): boolean {
    return this.#lanes.size < PENDING_MAX && this.#lanes.bytes < PENDING_BYTES_MAX;
  }

  /** Undefined after an error, which the status shows. */
  async #attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#tally.error(getMessage(error));
      return undefined;
    }
  }

  /** Reads dead letters that must be sent again, then the log. @returns true when there is more now */
  async #read(): Promise<boolean> {
    const letters = await this.#letters.readAgain();
    for (const letter of letters) this.#lanes.add(letter);
    if (letters.length > 0) return true;
    const read = await this.#changes.read(this.#cursor);
    if (read === undefined) return this.#move();
    const { deliveries, until, isEnd, lostUntil } = read;
    if (lostUntil !== undefined) {
      this.#tally.error(
        `the changes after revision ${this.#cursor} up to ${lostUntil} were removed from the log before they were sent`,
      );
    }
    for (const delivery of deliveries) {
      const attempts = this.#left.get(delivery.revision);
      // It was delivered before the state was stored.
      if (attempts === undefined && delivery.revision <= this.options.progress.cursor) continue;
      if (!this.options.memory.firstReads.tryTake(this, delivery.bytes)) delivery.body = undefined;
      this.#lanes.add({ ...delivery, attempts: attempts ?? 0, isAgain: false });
    }
    if (until !== this.#cursor) this.#tally.isDirty = true;
    this.#cursor = until;
    return !isEnd;
  }

  /** The webhook, or its stored state, was replaced. */
  #move(): false {
    this.#state = 'moved';
    this.#wake.wake();
    return false;
  }

  #pump(): void {
    while (!this.#isOver() && this.#pause === undefined && this.#running.size < CONCURRENT_MAX) {
      const delivery = this.#lanes.next();
      if (delivery === undefined) return;
      const sending = this.#deliver(delivery).then(() => {
        this.#running.delete(sending);
        this.#pump();
      });
      this.#running.add(sending);
    }
  }

  /** Never throws. */
  async #deliver(delivery: Queued): Promise<void> {
    const { firstReads, rereads } = this.options.memory;
    const memory = delivery.body === undefined ? rereads : firstReads;
    if (memory === rereads && !(await rereads.take(this, delivery.bytes))) return;
    try {
      const body = this.#isOver() ? undefined : (delivery.body ?? (await this.#readBody(delivery)));
      if (body !== undefined) await this.#send(delivery, body);
    } catch (error) {
      this.#retry(delivery, { error: getMessage(error) });
    } finally {
      delivery.body = undefined;
      memory.release(this, delivery.bytes);
    }
  }

  /** Reads a body again. Undefined when there is nothing to send any more. */
  async #readBody(delivery: Queued): Promise<Buffer | undefined> {
    const { revision, isAgain } = delivery;
    const readResult = isAgain
      ? { deliveries: [{ body: await this.#letters.bodyOf(revision) }] }
      : await this.#changes.read(revision - 1, 0);
    const body = readResult?.deliveries[0]?.body;
    if (readResult === undefined) this.#move();
    else if (body === undefined) {
      this.#tally.error(`the change ${revision} was removed before it was sent`);
      this.#finish(delivery);
    }
    return body;
  }

  async #send(delivery: Queued, body: Buffer): Promise<void> {
    const { signal } = this.#ending;
    const outcome = await this.#target.send(delivery.id, body, signal);
    if (signal.aborted && !isAcknowledged(outcome)) return;
    this.#tally.attempted();
    if (!isAcknowledged(outcome)) return this.#refused(delivery, body, outcome);
    if (delivery.isAgain) await this.#letters.remove(delivery.revision);
    this.options.onAttempt('delivered');
    this.#tally.delivered();
    this.#finish(delivery);
  }

  async #refused(delivery: Queued, body: Buffer, outcome: Outcome): Promise<void> {
    this.#tally.error(describeOutcome(outcome));
    if (outcome.status === GONE) {
      this.#state = 'gone';
      this.#wake.wake();
      return;
    }
    delivery.attempts += 1;
    if (delivery.attempts < this.options.webhook.spec.maxAttempts) this.#retry(delivery, outcome);
    else await this.#giveUp(delivery, body, describeOutcome(outcome));
  }

  #retry(delivery: Queued, outcome: Outcome): void {
    this.options.onAttempt('retried');
    const retryAfterMs = outcome.status === undefined ? undefined : outcome.retryAfterMs;
    const delayMs = retryDelayMs(delivery.attempts, retryAfterMs);
    if (outcome.status === TOO_MANY_REQUESTS) this.#pauseAll(delayMs);
    this.#after(delayMs, () => {
      this.#lanes.again(delivery);
      this.#pump();
    });
  }

  /** The receiver means all requests. */
  #pauseAll(ms: number): void {
    this.#pause ??= this.#after(ms, () => {
      this.#pause = undefined;
      this.#pump();
    });
  }

  async #giveUp(delivery: Queued, body: Buffer, reason: string): Promise<void> {
    await this.#letters.put(delivery, body, reason);
    this.options.onAttempt('failed');
    if (!delivery.isAgain) this.#tally.failed();
    this.#finish(delivery);
  }

  #finish(delivery: Queued): void {
    const hadRoom = this.#hasRoom();
    this.#lanes.done(delivery);
    if (!delivery.isAgain) this.#left.delete(delivery.revision);
    if (!hadRoom && this.#hasRoom()) this.#wake.wake();
  }

  #after(ms: number, work: () => void): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (!this.#isOver()) work();
    }, ms).unref();
    this.#timers.add(timer);
    return timer;
  }

  async #saveRegularly(): Promise<void> {
    while (!this.#isOver()) {
      await sleep(SAVE_MS, undefined, { ref: false });
      if (!this.#isOver()) await this.#attempt(() => this.#save());
    }
  }

  /** Stores the state, unless another one was stored meanwhile: deliveries begin again from that one. */
  async #save(): Promise<void> {
    const { webhook, store } = this.options;
    const { uid } = webhook.metadata;
    const { progress } = this;
    const isMine = this.#tally.isDirty
      ? await this.#put(uid, progress)
      : (await readProgress(store.engine, uid, 'local'))?.epoch === progress.epoch;
    if (!isMine) this.#move();
  }

  /** @returns false when another state is stored */
  async #put(uid: string, progress: DeliveryProgress): Promise<boolean> {
    const { store, fence } = this.options;
    this.#tally.isDirty = false;
    try {
      return await store.engine.commit((tx) => {
        fence.guard(tx);
        if (progressIn(tx, uid)?.epoch !== progress.epoch) return false;
        putProgress(tx, uid, progress);
        return true;
      });
    } catch (error) {
      this.#tally.isDirty = true;
      throw error;
    }
  }
}
