import { nextTurn } from '../lib/work/turn.js';
import { unavailable } from '../errors.js';
import type { Freshness } from '../store/engine.js';
import type { Store } from '../store/store.js';
import type { Table } from '../store/table.js';
import type { ChangeBatch } from '../store/log/change.js';
import { Subscription, type BacklogLimits, type Feed } from './subscription.js';
import { readStep, type LogStep } from '../store/log/log-reader.js';

export interface SubscribeOptions {
  /** A revision of the store; the events are those after it. */
  readonly after: number;
  /** Ends the subscription. */
  readonly signal?: AbortSignal | undefined;
}

const BACKLOG: BacklogLimits = { changes: 10_000, bytes: 8 * 1024 * 1024 };

/**
 * Distributes the log to all watchers in this process. Every commit of any process is read and decoded once, and goes
 * to the subscribers of its models in revision order. Without watchers nothing is read.
 */
export class WatchHub {
  /** Every subscription, with the function that removes its abort listener. */
  readonly #all = new Map<Subscription, () => void>();
  /** Subscriptions that have caught up, by model. */
  readonly #live = new Map<number, Set<Subscription>>();
  /** The models that the step in progress reads; undefined between steps. */
  #stepModels: ReadonlySet<number> | undefined;
  /** Increases when the last live subscriber leaves: a step that began before is discarded. */
  #generation = 0;
  /** The revision up to which the log was read for live subscribers; undefined without them. */
  #revision: number | undefined;
  #stopListening: () => void = () => undefined;
  #reading: Promise<void> | undefined;
  #isWanted = false;
  /** Reads for subscriptions that catch up. */
  readonly #catchingUp = new Set<Promise<LogStep>>();
  #isClosed = false;
  readonly #feed: Feed = {
    read: (subscription) => this.#readFor(subscription),
    join: (subscription, isEnd) => this.#join(subscription, isEnd),
    leave: (subscription) => this.#leave(subscription),
  };

  constructor(
    private readonly store: Store,
    private readonly limits: BacklogLimits = BACKLOG,
  ) {}

  /** Number of open subscriptions. */
  get subscribers(): number {
    return this.#all.size;
  }

  /**
   * Subscribes to the changes of a model after a revision. Nothing is read before the first `next`.
   * @throws ServiceError `ServiceUnavailable` when the hub is closed
   */
  subscribe({ modelId }: Pick<Table, 'modelId'>, { after, signal }: SubscribeOptions): Subscription {
    if (this.#isClosed) throw unavailable('the store is being closed');
    const subscription = new Subscription(modelId, after, this.#feed, this.limits);
    const end = (): void => subscription.close();
    this.#all.set(subscription, () => signal?.removeEventListener('abort', end));
    if (signal?.aborted === true) end();
    else signal?.addEventListener('abort', end, { once: true });
    return subscription;
  }

  /** Ends all subscriptions. Must be awaited before the store is closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const subscription of [...this.#all.keys()]) subscription.close();
    while (this.#reading !== undefined || this.#catchingUp.size > 0) {
      await Promise.allSettled([this.#reading, ...this.#catchingUp]);
    }
  }

  async #readFor({ modelId, receivedRevision }: Subscription): Promise<LogStep> {
    const reading = this.#catchUp(receivedRevision, modelId);
    this.#catchingUp.add(reading);
    try {
      return await reading;
    } finally {
      this.#catchingUp.delete(reading);
    }
  }

  /** Other processes are asked only when the revision is not in this process yet. */
  async #catchUp(after: number, modelId: number): Promise<LogStep> {
    const isHere = (await this.store.revision('local')) >= after;
    return this.#step(after, new Set([modelId]), isHere ? 'local' : 'latest');
  }

  async #step(after: number, models: ReadonlySet<number>, freshness: Freshness): Promise<LogStep> {
    return this.store.withinCurrent(async (current) => {
      // While another process opens the store, readers may miss the newest commit, although this process has read it.
      const wasRead = this.#revision !== undefined && after <= this.#revision;
      if (wasRead && (await current.view.revision()) < after)
        return { batches: [], until: after, isEnd: true };
      return await readStep(current, after, models);
    }, freshness);
  }

  #join(subscription: Subscription, isEnd: boolean): boolean {
    if (this.#revision === undefined) {
      if (!isEnd) return false;
      this.#revision = subscription.receivedRevision;
      this.#stopListening = this.store.onChange((cause) => {
        if (cause === 'commit') this.#wake();
        else this.#notifyOfModels();
      });
    } else if (subscription.receivedRevision < this.#revision) return false;
    const { modelId } = subscription;
    // The step in progress does not read this model, so its changes would be lost.
    if (this.#stepModels?.has(modelId) === false) return false;
    const others = this.#live.get(modelId);
    if (others === undefined) this.#live.set(modelId, new Set([subscription]));
    else others.add(subscription);
    // Reads commits since the subscriber's last read.
    this.#wake();
    return true;
  }

  #leave(subscription: Subscription): void {
    this.#all.get(subscription)?.();
    this.#all.delete(subscription);
    const { modelId } = subscription;
    const others = this.#live.get(modelId);
    if (others?.delete(subscription) === true && others.size === 0) this.#live.delete(modelId);
    if (this.#live.size > 0) return;
    this.#stopListening();
    this.#stopListening = () => undefined;
    if (this.#revision !== undefined) this.#generation++;
    this.#revision = undefined;
    this.#stepModels = undefined;
  }

  #wake(): void {
    this.#isWanted = true;
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
      // A wake may have come after the last check.
      if (this.#isWanted && this.#revision !== undefined) this.#wake();
    });
  }

  async #readAll(): Promise<void> {
    // The caller of `wake` is in the middle of its work; concurrent commits share one read.
    await Promise.resolve();
    while (this.#isWanted && this.#revision !== undefined) {
      this.#isWanted = false;
      try {
        await this.#readToEnd();
      } catch (error) {
        this.#failAll(error);
      }
    }
  }

  async #readToEnd(): Promise<void> {
    // Most wakes have no new commit, and reading only the revision is cheap. While another process opens the store,
    // readers may miss the newest commit for a moment.
    if ((await this.store.revision('local')) <= (this.#revision ?? 0)) return;
    while (this.#revision !== undefined) {
      const generation = this.#generation;
      const models = new Set(this.#live.keys());
      this.#stepModels = models;
      let step: LogStep;
      try {
        // Live subscribers have only revisions of this process, so an unreachable shared store does not make them
        // fail.
        step = await this.#step(this.#revision, models, 'local');
      } finally {
        if (this.#generation === generation) this.#stepModels = undefined;
      }
      // All subscribers have left meanwhile; the present ones began at another revision.
      if (this.#generation !== generation) continue;
      for (const batch of step.batches) this.#deliver(batch);
      this.#advance(step.until);
      if (step.isEnd) return;
      await nextTurn();
    }
  }

  #deliver(batch: ChangeBatch): void {
    for (const subscription of this.#live.get(batch.table.modelId) ?? []) {
      // A subscriber that caught up by itself may be ahead.
      const fresh = batch.after(subscription.receivedRevision);
      if (fresh !== undefined) subscription.push(fresh);
    }
  }

  #advance(until: number): void {
    if (this.#revision === undefined || until <= this.#revision) return;
    this.#revision = until;
    for (const subscription of this.#everyLive()) subscription.advance(until);
  }

  /** A model was removed, or its indexes are being built: each watcher checks its own model. */
  #notifyOfModels(): void {
    for (const subscription of this.#all.keys()) subscription.wake();
  }

  #failAll(error: unknown): void {
    for (const subscription of this.#everyLive()) subscription.fail(error);
  }

  #everyLive(): Subscription[] {
    return [...this.#live.values()].flatMap((subscriptions) => [...subscriptions]);
  }
}
