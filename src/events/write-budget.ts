import type { Clock } from '../lib/time/clock.js';

/** So many events are written at once, such as those of a service that has just started. */
const BURST = 1_000;
/** What a day of them adds to the change log stays below what the log may take. */
const PER_SECOND = 10;

/** How many events may be written: without a bound, a controller that fails for all objects would fill the change log. */
export class WriteBudget {
  #left = BURST;
  #filledAtMs: number;

  constructor(private readonly clock: Pick<Clock, 'now'>) {
    this.#filledAtMs = clock.now();
  }

  /** @returns how many of so many writes may be made now; they count as made */
  take(wanted: number): number {
    const now = this.clock.now();
    this.#left = Math.min(BURST, this.#left + ((now - this.#filledAtMs) / 1_000) * PER_SECOND);
    this.#filledAtMs = now;
    const taken = Math.min(wanted, Math.floor(this.#left));
    this.#left -= taken;
    return taken;
  }
}
