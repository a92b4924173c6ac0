import { setImmediate as nextTurn } from 'node:timers/promises';
import { unavailable } from '../errors.js';
import type { Freshness } from '../store/engine.js';
import type { Store } from '../store/store.js';
import type { Table } from '../store/table.js';
import type { ChangeBatch } from '../store/log/change.js';
import { Subscription, type BacklogLimits, type Feed } from './subscription.js';
import { readStep, type LogStep } from '../store/log/log-reader.js';

export interface SubscribeOptions {
  /** A revision that the store has had: what came after it is told. */
  readonly after: number;
  /** Ends the subscription. */
  readonly signal?: AbortSignal | undefined;
}

const BACKLOG: BacklogLimits = { changes: 10_000, bytes: 8 * 1024 * 1024 };

/**
 * From the log to all who watch in this process: every commit, whoever made it, is read and decoded once and handed
 * to the subscribers of its models, in revision order. Nothing is read while nobody watches.
 */
export class WatchHub {
  /** Every subscription, with what lets go of its signal. */
  private readonly all = new Map<Subscription, () => void>();
  /** Those that have caught up, by model. */
  private readonly live = new Map<number, Set<Subscription>>();
  /** The models that a step under way reads; undefined between steps. */
  private stepModels: ReadonlySet<number> | undefined;
  /** Counts how often the last live subscriber has gone: a step that began before is of no use afterwards. */
  private generation = 0;
  /** Up to where the log was read for live subscribers; undefined while there are none. */
  private revision: number | undefined;
  private stopListening: () => void = () => undefined;
  private reading: Promise<void> | undefined;
  private isWanted = false;
  /** Reads of those who catch up. */
  private readonly catchingUp = new Set<Promise<LogStep>>();
  private isClosed = false;
  private readonly feed: Feed = {
    read: (subscription) => this.readFor(subscription),
    join: (subscription, isEnd) => this.join(subscription, isEnd),
    leave: (subscription) => this.leave(subscription),
  };

  constructor(
    private readonly store: Store,
    private readonly limits: BacklogLimits = BACKLOG,
  ) {}

  /** How many subscriptions are not closed. */
  get subscribers(): number {
    return this.all.size;
  }

  /**
   * The changes of a model after a revision. Nothing is read before the first `next`.
   * @throws ServiceError `ServiceUnavailable` when the hub is closed
   */
  subscribe({ modelId }: Pick<Table, 'modelId'>, { after, signal }: SubscribeOptions): Subscription {
    if (this.isClosed) throw unavailable('the store is being closed');
    const subscription = new Subscription(modelId, after, this.feed, this.limits);
    const end = (): void => subscription.close();
    this.all.set(subscription, () => signal?.removeEventListener('abort', end));
    if (signal?.aborted === true) end();
    else signal?.addEventListener('abort', end, { once: true });
    return subscription;
  }

  /** Ends all subscriptions. Must be awaited before the store is closed. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const subscription of [...this.all.keys()]) subscription.close();
    while (this.reading !== undefined || this.catchingUp.size > 0) {
      await Promise.allSettled([this.reading, ...this.catchingUp]);
    }
  }

  private async readFor({ modelId, receivedRevision }: Subscription): Promise<LogStep> {
    const reading = this.catchUp(receivedRevision, modelId);
    this.catchingUp.add(reading);
    try {
      return await reading;
    } finally {
      this.catchingUp.delete(reading);
    }
  }

  /** Only where a revision is not here yet must others be asked whether there is one. */
  private async catchUp(after: number, modelId: number): Promise<LogStep> {
    const isHere = (await this.store.revision('local')) >= after;
    return this.step(after, new Set([modelId]), isHere ? 'local' : 'latest');
  }

  private async step(after: number, models: ReadonlySet<number>, freshness: Freshness): Promise<LogStep> {
    const current = await this.store.readCurrent(freshness);
    try {
      // While another process opens the store, readers may miss the newest commit, which was read here before.
      const wasRead = this.revision !== undefined && after <= this.revision;
      if (wasRead && (await current.view.revision()) < after)
        return { batches: [], until: after, isEnd: true };
      return await readStep(current, after, models);
    } finally {
      current.view.close();
    }
  }

  private join(subscription: Subscription, isEnd: boolean): boolean {
    if (this.revision === undefined) {
      if (!isEnd) return false;
      this.revision = subscription.receivedRevision;
      this.stopListening = this.store.onChange((cause) => {
        if (cause === 'commit') this.wake();
        else this.tellOfModels();
      });
    } else if (subscription.receivedRevision < this.revision) return false;
    const { modelId } = subscription;
    // The step under way does not read this model; what it passes over would be lost.
    if (this.stepModels?.has(modelId) === false) return false;
    const others = this.live.get(modelId);
    if (others === undefined) this.live.set(modelId, new Set([subscription]));
    else others.add(subscription);
    // What was committed since the subscriber's last look.
    this.wake();
    return true;
  }

  private leave(subscription: Subscription): void {
    this.all.get(subscription)?.();
    this.all.delete(subscription);
    const { modelId } = subscription;
    const others = this.live.get(modelId);
    if (others?.delete(subscription) === true && others.size === 0) this.live.delete(modelId);
    if (this.live.size > 0) return;
    this.stopListening();
    this.stopListening = () => undefined;
    if (this.revision !== undefined) this.generation++;
    this.revision = undefined;
    this.stepModels = undefined;
  }

  private wake(): void {
    this.isWanted = true;
    this.reading ??= this.readAll().finally(() => {
      this.reading = undefined;
      // Somebody may have come between the last look and now.
      if (this.isWanted && this.revision !== undefined) this.wake();
    });
  }

  private async readAll(): Promise<void> {
    // Who wakes is in the middle of something; those who commit together wake together.
    await Promise.resolve();
    while (this.isWanted && this.revision !== undefined) {
      this.isWanted = false;
      try {
        await this.readToEnd();
      } catch (error) {
        this.failAll(error);
      }
    }
  }

  private async readToEnd(): Promise<void> {
    // Most wakes have no cause; asking for the revision alone costs next to nothing.
    // While another process opens the store, readers may miss the newest commit for a moment.
    if ((await this.store.revision('local')) <= (this.revision ?? 0)) return;
    while (this.revision !== undefined) {
      const { generation } = this;
      const models = new Set(this.live.keys());
      this.stepModels = models;
      let step: LogStep;
      try {
        // What they were told of is here: they need not fail where a shared store cannot be reached.
        step = await this.step(this.revision, models, 'local');
      } finally {
        if (this.generation === generation) this.stepModels = undefined;
      }
      // Meanwhile all have left, and those who are here now began elsewhere.
      if (this.generation !== generation) continue;
      for (const batch of step.batches) this.deliver(batch);
      this.advance(step.until);
      if (step.isEnd) return;
      await nextTurn();
    }
  }

  private deliver(batch: ChangeBatch): void {
    for (const subscription of this.live.get(batch.table.modelId) ?? []) {
      // Whoever caught up by itself may be ahead.
      const fresh = batch.after(subscription.receivedRevision);
      if (fresh !== undefined) subscription.push(fresh);
    }
  }

  private advance(until: number): void {
    if (this.revision === undefined || until <= this.revision) return;
    this.revision = until;
    for (const subscription of this.everyLive()) subscription.advance(until);
  }

  /** A model may have been taken away, or its indexes are being built: who watches looks for itself. */
  private tellOfModels(): void {
    for (const subscription of this.all.keys()) subscription.wake();
  }

  private failAll(error: unknown): void {
    for (const subscription of this.everyLive()) subscription.fail(error);
  }

  private everyLive(): Subscription[] {
    return [...this.live.values()].flatMap((subscriptions) => [...subscriptions]);
  }
}
