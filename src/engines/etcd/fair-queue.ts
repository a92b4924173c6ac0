import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RetryPolicy } from '../replicated/retry-policy.js';
import type { EtcdClient } from './client.js';
import type { StoreKeys } from './keys.js';
import { put, range, readBy, remove, getKey } from './requests.js';

/** Who has the turn and does nothing for so long is passed over: it may be dead, or stand still. */
const STILL_MS = 2_000;
/** Who has waited for so long goes on without a turn. */
const WAIT_MS = 10_000;
/** Between two looks; as much again is added at random. */
const LOOK_MS = 5;

/**
 * A queue of processes that want to write. Those who keep to it are not in each other's way. It is a courtesy: what makes
 * appends exact is that they compare the head.
 */
export class FairQueue {
  constructor(
    private readonly client: EtcdClient,
    private readonly keys: StoreKeys,
    private readonly reach: RetryPolicy,
  ) {}

  /** Waits in the queue. @returns the key of the turn, which is removed when it is over */
  async take(): Promise<Buffer> {
    const own = this.keys.turn(randomUUID());
    let first = await this.reach.persist(async () => {
      const success = [put(own, ''), this.#firstOf()];
      return firstIn(readBy(await this.client.txn({ success }), 1));
    });
    const until = performance.now() + WAIT_MS;
    let since = performance.now();
    // An empty queue: the others have passed this process over.
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

  /** Gives up a turn. */
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
