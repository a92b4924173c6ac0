import { nextTurn } from '../../lib/work/turn.js';
import { SenderQueue } from './fair-queue.js';

/**
 * Runs long work piece by piece: one piece in each turn of the event loop, with senders in rotation. So other
 * requests wait for at most one piece, independent of the amount of work.
 */
export class Turns {
  readonly #waiting = new SenderQueue<() => void>();
  #isRunning = false;

  /** Resolves when the sender's work may continue for about a millisecond. */
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
