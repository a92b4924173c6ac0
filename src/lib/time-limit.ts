import { Script } from 'node:vm';

/** The work that is under way; the script can see nothing but globals. */
const SLOT = Symbol.for('xsvc.time-limit');
const slot = globalThis as { [SLOT]?: () => unknown };
const RUN = new Script(`globalThis[Symbol.for('xsvc.time-limit')]()`);

/** Code ran longer than it may, and was ended. */
export class TimeLimitPassed extends Error {
  constructor(readonly ms: number) {
    super(`did not return within ${ms} ms`);
  }
}

/**
 * Runs code that is not ours and may not return. A call costs about 80 us, so it should do many things at once.
 * Whatever the code was about to do when its time was over is not done, nor its `finally`.
 * @throws TimeLimitPassed
 */
export function withinTime<T>(ms: number, work: () => T): T {
  const outer = slot[SLOT];
  slot[SLOT] = work;
  try {
    return RUN.runInThisContext({ timeout: ms }) as T;
  } catch (error) {
    if (isTimeout(error)) throw new TimeLimitPassed(ms);
    throw error;
  } finally {
    if (outer === undefined) delete slot[SLOT];
    else slot[SLOT] = outer;
  }
}

/** Longest time for the code that works on a few objects, and on one of them. */
const BATCH_MS_MAX = 5_000;
const ONE_MS_MAX = 2_000;

/**
 * Works on a few objects in one go; when that takes too long, one by one, so that the one that never ends is known.
 * @param tooLong what comes of that one
 */
export function eachWithinTime<A, B>(
  given: readonly A[],
  work: (one: A) => B,
  tooLong: (one: A, limit: TimeLimitPassed) => B,
): readonly B[] {
  try {
    return withinTime(BATCH_MS_MAX, () => given.map(work));
  } catch (error) {
    if (!(error instanceof TimeLimitPassed)) throw error;
  }
  return given.map((one) => {
    try {
      return withinTime(ONE_MS_MAX, () => work(one));
    } catch (error) {
      if (!(error instanceof TimeLimitPassed)) throw error;
      return tooLong(one, error);
    }
  });
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
