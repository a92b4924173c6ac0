import { Script } from 'node:vm';

/** The work in progress. A global, because the script can read nothing else. */
const SLOT = Symbol.for('xsvc.time-limit');
const slot = globalThis as { [SLOT]?: () => unknown };
const RUN = new Script(`globalThis[Symbol.for('xsvc.time-limit')]()`);

/** The error for code that was ended at its time limit. */
export class TimeoutError extends Error {
  constructor(readonly ms: number) {
    super(`did not return within ${ms} ms`);
  }
}

/**
 * Runs code that may not return, for example of plugins. A call costs about 80 us, so it should do many things at
 * once. When the time is over, the code stops where it is; its `finally` does not run.
 * @throws TimeoutError
 */
export function runWithTimeout<T>(ms: number, work: () => T): T {
  const outer = slot[SLOT];
  slot[SLOT] = work;
  try {
    return RUN.runInThisContext({ timeout: ms }) as T;
  } catch (error) {
    if (isTimeout(error)) throw new TimeoutError(ms);
    throw error;
  } finally {
    if (outer === undefined) delete slot[SLOT];
    else slot[SLOT] = outer;
  }
}

/** True when the running code will be ended at a time limit. */
export function isWithinTime(): boolean {
  return slot[SLOT] !== undefined;
}

/** Time limits: first for several things at once, then for a single one. */
const SOME_MS_MAX = 5_000;
const ONE_MS_MAX = 2_000;
/** Limit for things that exceed their time. After this number, the rest would hardly return either. */
const LATE_MAX = 3;

/** Runs code for many things, a few at a time. The code may not return for some of them. */
export class TimedWork {
  #left = LATE_MAX;

  /**
   * Runs the code for a few things together. When that exceeds the time limit, runs it for each one alone, to find
   * the one that never ends.
   * @param tooLong gives the result for that one, and for all that are not tried any more
   */
  each<A, B>(given: readonly A[], work: (one: A) => B, tooLong: (one: A, reason: string) => B): readonly B[] {
    if (this.#left > 0) {
      try {
        return runWithTimeout(SOME_MS_MAX, () => given.map(work));
      } catch (error) {
        if (!(error instanceof TimeoutError)) throw error;
      }
    }
    return given.map((one) => this.#one(one, work, tooLong));
  }

  #one<A, B>(one: A, work: (one: A) => B, tooLong: (one: A, reason: string) => B): B {
    if (this.#left === 0)
      return tooLong(one, `was skipped: it did not return in time for ${LATE_MAX} others`);
    try {
      return runWithTimeout(ONE_MS_MAX, () => work(one));
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
      this.#left--;
      return tooLong(one, error.message);
    }
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
