import { ServiceError } from '../../errors.js';
import { SYSTEM_CLOCK } from '../time/clock.js';

export interface RateBudgetOptions {
  /** Most uses of a key at once. */
  readonly usesMax: number;
  /** Time until one more use is allowed, in milliseconds. */
  readonly refillMs: number;
  /** Most keys in memory; beyond it, those with the oldest uses are removed. */
  readonly keysMax?: number;
}

const KEYS_MAX = 10_000;

/** The remaining uses of each key, such as a network or a user, as a bucket that refills. */
export class RateBudget {
  readonly #options: Required<RateBudgetOptions>;
  /** The time when a key's bucket is full again, in milliseconds; the key with the latest use is last. */
  readonly #fullAt = new Map<string, number>();

  constructor(options: RateBudgetOptions) {
    this.#options = { keysMax: KEYS_MAX, ...options };
  }

  /** Number of keys in memory. */
  get size(): number {
    return this.#fullAt.size;
  }

  /**
   * Counts uses.
   * @param uses at most `usesMax`. Default: one
   * @returns undefined while the key has so many left; else the milliseconds until it has them again
   */
  spend(key: string, nowMs: number, uses = 1): number | undefined {
    const { usesMax, refillMs, keysMax } = this.#options;
    const fullAt = Math.max(nowMs, this.#fullAt.get(key) ?? 0);
    const waitMs = fullAt + (uses - usesMax) * refillMs - nowMs;
    this.#fullAt.delete(key);
    this.#fullAt.set(key, waitMs > 0 ? fullAt : fullAt + uses * refillMs);
    for (const oldest of this.#fullAt.keys()) {
      if (this.#fullAt.size <= keysMax) break;
      this.#fullAt.delete(oldest);
    }
    return waitMs > 0 ? waitMs : undefined;
  }

  /**
   * Counts uses by the clock of the system.
   * @throws ServiceError `TooManyRequests` with the message and the time to wait
   */
  take(key: string, message: string, uses = 1): void {
    const waitMs = this.spend(key, SYSTEM_CLOCK.now(), uses);
    if (waitMs === undefined) return;
    throw new ServiceError('TooManyRequests', message, { retryAfterSeconds: Math.ceil(waitMs / 1_000) });
  }
}
