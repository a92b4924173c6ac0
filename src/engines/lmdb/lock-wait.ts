/** Interval between two calls of {@link LockWait.tick}. */
export const TICK_MS = 250;

/**
 * Measures how long transactions wait for LMDB's lock of writers. LMDB has no time limit for that, and a process may
 * stop while it holds the lock.
 */
export class LockWait {
  #waiting = 0;
  #waitedMs = 0;
  #tickedAt = 0;
  #problem: string | undefined;

  /**
   * @param waitMsMax time of waiting after which it is a problem
   * @param describe describes the problem; called once for each
   */
  constructor(
    private readonly waitMsMax: number,
    private readonly describe: () => string,
  ) {}

  /** The problem when transactions have waited too long; otherwise undefined. */
  get problem(): string | undefined {
    return this.#problem;
  }

  get isWaiting(): boolean {
    return this.#waiting > 0;
  }

  /**
   * Records that a transaction requests the lock.
   * @returns a function to call when it has the lock, or does not need it any more; may be called again
   */
  begin(): () => void {
    if (this.#waiting++ === 0) this.#restart();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#waiting--;
      this.#restart();
    };
  }

  /** @returns the problem when it has just occurred */
  tick(): string | undefined {
    // The time in which this process itself was stopped or busy does not count.
    const now = performance.now();
    this.#waitedMs += Math.min(now - this.#tickedAt, 2 * TICK_MS);
    this.#tickedAt = now;
    if (!this.isWaiting || this.#problem !== undefined || this.#waitedMs < this.waitMsMax) return undefined;
    this.#problem = this.describe();
    return this.#problem;
  }

  #restart(): void {
    this.#waitedMs = 0;
    this.#tickedAt = performance.now();
    this.#problem = undefined;
  }
}
