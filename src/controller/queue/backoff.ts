/** Of the wait, up to so much is added at random, so that names that failed together do not come back together. */
const JITTER = 0.2;

export interface BackoffLimits {
  readonly minDelayMs: number;
  readonly maxDelayMs: number;
}

/**
 * How long to wait after so many failures in a row (from 1), in milliseconds: the least delay, doubled with each
 * further failure, some of it at random, never more than the greatest.
 * @param random from 0 to 1
 */
export function backoffMs(failures: number, limits: BackoffLimits, random: number): number {
  const doubled = limits.minDelayMs * 2 ** (failures - 1);
  return Math.min(limits.maxDelayMs, doubled * (1 + JITTER * random));
}
