/** The largest random part of the wait, so that names that failed together do not return together. */
const JITTER = 0.2;

export interface BackoffLimits {
  readonly minDelayMs: number;
  readonly maxDelayMs: number;
}

/**
 * The wait in milliseconds after a number of failures in a row (from 1): the least delay, doubled with each further failure, plus a
 * random part, at most the greatest delay.
 * @param random from 0 to 1
 */
export function backoffMs(failures: number, limits: BackoffLimits, random: number): number {
  const doubled = limits.minDelayMs * 2 ** (failures - 1);
  return Math.min(limits.maxDelayMs, doubled * (1 + JITTER * random));
}
