import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RetryPolicy } from '../replicated/retry-policy.js';
import type { EtcdClient } from './client.js';
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
    private readonly client: EtcdClient,
    private readonly keys: StoreKeys,
    private readonly reach: RetryPolicy,
  ) {}

  /** Waits in the queue. @returns the key of the turn, which is removed at its end */
  async take(): Promise<Buffer> {
    const own = this.keys.turn(randomUUID());
    let first = await this.reach.persist(async () => {
      const success = [put(own, ''), this.#firstOf()];
      return firstIn(readBy(await this.client.txn({ success }), 1));
    });
    const until = performance.now() + WAIT_MS;
    let since = performance.now();
    // An empty queue means that others have removed the entry of this process.
    while (first !== undefined && !first.equals(own) && performance.now() < until) {
      await sleep(LOOK_MS + Math.random() * LOOK_MS);
      const before = first;
      const isStill = performance.now() - since > STILL_MS;
      first = await this.reach.persist(async () => {
        const success = [...(isStill ? [remove({ start: before })] : []), this.#firstOf()];
        return firstIn(readBy(await this.client.txn({ success }), success.length - 1));
      });
      if (first?.equals(before) !== true) since = performance.now();
    }
    return own;
  }

  /** Ends a turn. */
  async pass(turn: Buffer): Promise<void> {
    await this.reach.persist(() => this.client.txn({ success: [remove({ start: turn })] }));
  }

  #firstOf(): object {
    return range(this.keys.turns, { limit: 1, sort_order: 'ASCEND', sort_target: 'CREATE' });
  }
}

function firstIn({ kvs = [] }: ReturnType<typeof readBy>): Buffer | undefined {
  const [pair] = kvs;
  return pair && getKey(pair);
}
