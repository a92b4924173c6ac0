const FIRST_MS = 1_000;
const LONGEST_MS = 5 * 60_000;
/** Longest time that a receiver may ask for, in milliseconds. */
const RETRY_AFTER_MS_MAX = 60 * 60_000;
/** Part of the delay that may be added, so that many webhooks do not send at the same time. */
const JITTER = 0.5;

/**
 * The time until the next attempt, in milliseconds.
 * @param attempts those that failed
 * @param retryAfterMs the time that the receiver asked for
 */
export function retryDelayMs(attempts: number, retryAfterMs = 0, random = Math.random()): number {
  const doubled = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempts - 1, 16));
  return Math.max(doubled * (1 + JITTER * random), Math.min(retryAfterMs, RETRY_AFTER_MS_MAX));
}

/** The value of the header `Retry-After` in milliseconds: seconds, or a date. Undefined for another text. */
export function readRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\s*\d{1,9}\s*$/.test(value)) return Number(value) * 1_000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
