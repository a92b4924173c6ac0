import { setImmediate as nextTurn } from 'node:timers/promises';

/** What the controllers together may take of one turn of the event loop, in milliseconds. */
const TURN_MS = 4;
/** What one worker may take at least. */
const SLICE_MS_MIN = 0.25;

/**
 * Shares the event loop between workers and the rest of the service. Work that never waits for anything would
 * otherwise keep requests from being answered, and other controllers from working.
 */
export class WorkerScheduler {
  #workers = 0;

  /** Runs a worker, which counts among those who share. */
  async work(worker: () => Promise<void>): Promise<void> {
    this.#workers++;
    try {
      await worker();
    } finally {
      this.#workers--;
    }
  }

  /** Lets everything else have its turn. Returns when the new slice began, for {@link isOver}. */
  async next(): Promise<number> {
    await nextTurn();
    return performance.now();
  }

  /** Whether a worker that began then must let others have their turn. */
  isOver(began: number): boolean {
    return performance.now() - began > Math.max(SLICE_MS_MIN, TURN_MS / this.#workers);
  }
}
