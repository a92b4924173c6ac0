import { Script } from 'node:vm';

/** The work that is under way; the script can see nothing but globals. */
const SLOT = Symbol.for('xsvc.time-limit');
const slot = globalThis as { [SLOT]?: () => unknown };
const RUN = new Script(`globalThis[Symbol.for('xsvc.time-limit')]()`);

/** Code ran longer than it may, and was ended. */
export class TimeoutError extends Error {
  constructor(readonly ms: number) {
    super(`did not return within ${ms} ms`);
  }
}

/**
 * Runs code that is not ours and may not return. A call costs about 80 us, so it should do many things at once.
 * Whatever the code was about to do when its time was over is not done, nor its `finally`.
 * @throws TimeLimitPassed
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

/** Whether what runs now will be ended when it takes too long. */
export function isWithinTime(): boolean {
  return slot[SLOT] !== undefined;
}

/** Longest time for code that is given a few things, and for one of them. */
const SOME_MS_MAX = 5_000;
const ONE_MS_MAX = 2_000;
/** Things that may take too long. After so many, the code would hardly return for the rest. */
const LATE_MAX = 3;

/** Has code work on many things, a few at a time, though it may not return for some of them. */
export class TimedWork {
  #left = LATE_MAX;

  /**
   * Works on a few things in one go; when that takes too long, on one after the other, so that the one that never ends
   * is known.
   * @param tooLong what comes of that one, and of all that are not tried any more
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
