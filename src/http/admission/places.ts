import { ServiceError } from '../../errors.js';
import { SenderQueue } from './fair-queue.js';

export interface PlaceLimits {
  /** Most concurrent pieces of work of one sender. */
  readonly perSender: number;
  /** Most concurrent pieces of work of all senders. */
  readonly total: number;
  /** Most waiting pieces of work of one sender. */
  readonly waitingPerSender: number;
  /** Most waiting pieces of work of all senders. */
  readonly waitingTotal: number;
  /** Longest wait, in milliseconds. */
  readonly waitMs: number;
}

const LIMITS: PlaceLimits = {
  perSender: 8,
  total: 32,
  waitingPerSender: 64,
  waitingTotal: 512,
  waitMs: 30_000,
};

const RETRY_SECONDS = 5;

/**
 * Places for expensive work. Each piece takes memory and keeps a snapshot of the store open. Beyond a limit, work
 * waits; beyond a limit of waiting work, it is refused.
 */
export class Places {
  readonly #limits: PlaceLimits;
  readonly #taken = new Map<string, number>();
  readonly #waiting = new SenderQueue<() => void>();
  #running = 0;
  #refused = 0;

  constructor(limits: Partial<PlaceLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  get refused(): number {
    return this.#refused;
  }

  /**
   * Resolves with true when the sender has a place, which must be given back; with false when the signal was aborted
   * first.
   * @throws ServiceError `TooManyRequests`
   */
  async take(sender: string, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    if (this.#mayRun(sender)) {
      this.#count(sender, 1);
      return true;
    }
    const { waitingPerSender, waitingTotal, perSender } = this.#limits;
    if (this.#waiting.getSize(sender) >= waitingPerSender || this.#waiting.size >= waitingTotal)
      throw this.#refuse(
        `at most ${perSender} expensive requests of one sender run at the same time, and too many are waiting`,
      );
    return this.#wait(sender, signal);
  }

  giveBack(sender: string): void {
    this.#count(sender, -1);
    while (this.#running < this.#limits.total) {
      const start = this.#waiting.next((one) => this.#mayRun(one));
      if (start === undefined) return;
      start();
    }
  }

  #wait(sender: string, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.remove(sender, start);
        signal.removeEventListener('abort', cancel);
        clearTimeout(tooLong);
      };
      const start = (): void => {
        leave();
        this.#count(sender, 1);
        resolve(true);
      };
      const cancel = (): void => {
        leave();
        resolve(false);
      };
      const tooLong = setTimeout(() => {
        leave();
        reject(
          this.#refuse(`the request waited ${this.#limits.waitMs / 1000} s for other expensive requests`),
        );
      }, this.#limits.waitMs).unref();
      this.#waiting.add(sender, start);
      signal.addEventListener('abort', cancel, { once: true });
    });
  }

  #mayRun(sender: string): boolean {
    const { perSender, total } = this.#limits;
    return this.#running < total && (this.#taken.get(sender) ?? 0) < perSender;
  }

  #count(sender: string, by: 1 | -1): void {
    const taken = (this.#taken.get(sender) ?? 0) + by;
    if (taken === 0) this.#taken.delete(sender);
    else this.#taken.set(sender, taken);
    this.#running += by;
  }

  #refuse(reason: string): ServiceError {
    this.#refused++;
    return new ServiceError('TooManyRequests', `${reason}; try again later, or send cheaper requests`, {
      retryAfterSeconds: RETRY_SECONDS,
    });
  }
}
