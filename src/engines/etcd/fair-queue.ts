import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EtcdContext } from './context.js';
import type { StoreKeys } from './keys.js';
import { put, range, readBy, remove, getKey } from './requests.js';

/** Time without progress after which the first process loses its turn: it may be dead or stopped. */
const STILL_MS = 2_000;
/** Longest wait for a turn. After it, a process continues without one. */
const WAIT_MS = 10_000;
/** Interval of the checks; up to the same time is added at random. */
const LOOK_MS = 5;

/**
 * A queue of processes that want to write. Processes in the queue do not conflict with each other. It is not needed
 * for correctness: appends are exact because they compare the head.
 */
export class FairQueue {
  constructor(
    private readonly context: EtcdContext,
    private readonly keys: StoreKeys,
  ) {}

  /** Waits in the queue. @returns the key of the turn, which is removed at its end */
  async take(): Promise<Buffer> {
    const own = this.keys.turn(randomUUID());
    let first = await this.#first(put(own, ''));
    const until = performance.now() + WAIT_MS;
    let since = performance.now();
    // An empty queue means that others have removed the entry of this process.
    while (first !== undefined && !first.equals(own) && performance.now() < until) {
      await sleep(LOOK_MS + Math.random() * LOOK_MS);
      const before = first;
      const isStill = performance.now() - since > STILL_MS;
      first = await this.#first(...(isStill ? [remove({ start: before })] : []));
      if (first?.equals(before) !== true) since = performance.now();
    }
    return own;
  }

  /** Ends a turn. */
  async pass(turn: Buffer): Promise<void> {
    await this.context.txn({ success: [remove({ start: turn })] });
  }

  /** The key of the first turn, after some operations. */
  async #first(...operations: object[]): Promise<Buffer | undefined> {
    const first = range(this.keys.turns, { limit: 1, sort_order: 'ASCEND', sort_target: 'CREATE' });
    const answer = await this.context.txn({ success: [...operations, first] });
    const [pair] = readBy(answer, operations.length).kvs ?? [];
    return pair && getKey(pair);
  }
}
