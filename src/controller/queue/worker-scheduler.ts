import { nextTurn } from '../../lib/work/turn.js';

/** The limit for all controllers together in one turn of the event loop, in milliseconds. */
const TURN_MS = 4;
/** The minimum for one worker, in milliseconds. */
const SLICE_MS_MIN = 0.25;

/**
 * Shares the event loop between workers and the rest of the service. Otherwise work that never awaits anything would block requests
 * and other controllers.
 */
export class WorkerScheduler {
  #workers = 0;

  /** Runs a worker; it counts for the division of time. */
  async work(worker: () => Promise<void>): Promise<void> {
    this.#workers++;
    try {
      await worker();
    } finally {
      this.#workers--;
    }
  }

  /** Lets all other work have a turn. Returns when the new slice began, for {@link isOver}. */
  async next(): Promise<number> {
    await nextTurn();
    return performance.now();
  }

  /** True when a worker whose slice began at this time must let others have a turn. */
  isOver(began: number): boolean {
    return performance.now() - began > Math.max(SLICE_MS_MIN, TURN_MS / this.#workers);
  }
}
