/** Time as it is passed in, so that tests can make it pass. */
export interface Clock {
  /** Milliseconds since 1970; never goes back. */
  now(): number;
  /** Calls once, `ms` from now; negative is now. Returns what takes the call back, any number of times. */
  setTimer(ms: number, call: () => void): () => void;
}

/** What `setTimeout` can wait at most; more would be taken for 1 ms. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;

/** The machine's clock. A timer keeps the process alive until it is called or taken back. */
export const SYSTEM_CLOCK: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  setTimer(ms, call) {
    let timer: NodeJS.Timeout;
    const wait = (left: number): void => {
      const step = Math.min(left, TIMEOUT_MS_MAX);
      timer = setTimeout(() => (step < left ? wait(left - step) : call()), step);
    };
    wait(Math.max(0, ms));
    return () => clearTimeout(timer);
  },
};

/**
 * Now, by the machine's clock or by how long the process runs, whichever is earlier, in milliseconds since 1970. For what
 * cannot be undone: a clock that jumps ahead must not make things old.
 */
export function earliestNow(): number {
  return Math.min(Date.now(), SYSTEM_CLOCK.now());
}

/** The later of both. For what must not be valid again when a clock is set back. */
export function latestNow(): number {
  return Math.max(Date.now(), SYSTEM_CLOCK.now());
}
