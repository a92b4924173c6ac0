import { nextTurn } from '../../lib/work/yield.js';
import { FairQueue } from './fair-queue.js';

/**
 * Lets long work go on piece by piece: one piece in each turn of the event loop, and senders one after another. So other
 * requests wait for one piece at most, however much work there is.
 */
export class Turns {
  readonly #waiting = new FairQueue<() => void>();
  #isRunning = false;

  /** Resolves when the work of a sender may go on for about a millisecond. */
  next(sender: string): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.add(sender, resolve);
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.size > 0) {
      await nextTurn();
      this.#waiting.next()?.();
    }
    this.#isRunning = false;
  }
}
