import type { Clock } from '../lib/time/clock.js';

/** Events that can be written at once, such as those of a service that has just started. */
const BURST = 1_000;
/** Limits the events of a day in the change log to less than its size limit. */
const PER_SECOND = 10;

/**
 * Limits the number of event writes: without it, a controller that fails for all objects would fill the change log.
 */
export class WriteBudget {
  #left = BURST;
  #filledAtMs: number;

  constructor(private readonly clock: Pick<Clock, 'now'>) {
    this.#filledAtMs = clock.now();
  }

  /** @returns number of the requested writes that are allowed now; they count as done */
  take(wanted: number): number {
    const now = this.clock.now();
    this.#left = Math.min(BURST, this.#left + ((now - this.#filledAtMs) / 1_000) * PER_SECOND);
    this.#filledAtMs = now;
    const taken = Math.min(wanted, Math.floor(this.#left));
    this.#left -= taken;
    return taken;
  }
}
