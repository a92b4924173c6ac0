import { setTimeout as sleep } from 'node:timers/promises';
import { getMessage } from '../errors.js';

/** The options of a wait. */
export interface WaitOptions {
  /** Milliseconds, default 10,000. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;
const PAUSE_MS = 10;

/**
 * Calls a function repeatedly until it returns a truthy value, and returns that value.
 *
 * ```ts
 * const ready = await eventually(async () => {
 *   const note = await service.client.get(Note, 'first');
 *   return note.status?.phase === 'Ready' && note;
 * });
 * ```
 *
 * @param look may throw: that counts as not true yet, so it may contain assertions
 * @throws Error when the time is over, with the error or the result of the last call
 */
export async function eventually<T>(
  look: () => T | Promise<T>,
  { timeoutMs = TIMEOUT_MS }: WaitOptions = {},
): Promise<Exclude<T, false | null | undefined>> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    let last: string;
    let cause: unknown;
    try {
      const answer = await look();
      if (isThere(answer)) return answer;
      last = `the last answer was ${String(answer)}`;
    } catch (error) {
      cause = error;
      last = getMessage(error);
    }
    if (performance.now() >= until)
      throw new Error(`the condition was not met within ${timeoutMs} ms: ${last}`, { cause });
    await sleep(PAUSE_MS);
  }
}

function isThere<T>(answer: T): answer is Exclude<T, false | null | undefined> {
  return answer !== false && answer !== null && answer !== undefined;
}
