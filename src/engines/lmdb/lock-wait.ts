/** How often {@link LockWait.tick} is to be called. */
export const TICK_MS = 250;

/**
 * Follows how long transactions wait for LMDB's lock of writers. LMDB knows no deadline for that, and a process may be
 * stopped while it holds the lock.
 */
export class LockWait {
  #waiting = 0;
  #waitedMs = 0;
  #tickedAt = 0;
  #problem: string | undefined;

  /**
   * @param waitMsMax that are waited before it is a problem
   * @param describe what the problem is; called once for each
   */
  constructor(
    private readonly waitMsMax: number,
    private readonly describe: () => string,
  ) {}

  /** Why transactions have waited for too long; undefined while they have not. */
  get problem(): string | undefined {
    return this.#problem;
  }

  get isWaiting(): boolean {
    return this.#waiting > 0;
  }

  /**
   * A transaction asks for the lock.
   * @returns to be called when it has the lock, or needs it no more; may be called again
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

  /** @returns the problem when it has come up just now */
  tick(): string | undefined {
    // A process that was stopped itself, or busy, has waited no longer than it ran.
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
