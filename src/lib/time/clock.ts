/** The source of time. A parameter, so that tests can control it. */
export interface Clock {
  /** Milliseconds since 1970; never decreases. */
  now(): number;
  /**
   * Calls once after `ms` milliseconds; a negative delay is zero. Returns a function that cancels the call, any
   * number of times.
   */
  setTimer(ms: number, call: () => void): () => void;
}

/** Longest delay of `setTimeout`, which would use 1 ms for a longer one. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;

/** The machine's clock. A timer keeps the process alive until it fires or is cancelled. */
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
 * The current time by the machine's clock or by the running time of the process, whichever is earlier, in
 * milliseconds since 1970. For irreversible actions: a clock that jumps ahead must not make things old.
 */
export function earliestNow(): number {
  return Math.min(Date.now(), SYSTEM_CLOCK.now());
}

/** The later of both. For things that must not become valid again when a clock is set back. */
export function latestNow(): number {
  return Math.max(Date.now(), SYSTEM_CLOCK.now());
}
