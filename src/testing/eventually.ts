import { setTimeout as sleep } from 'node:timers/promises';
import { getMessage } from '../errors.js';

/** How long a wait may take. */
export interface WaitOptions {
  /** Milliseconds, default 10,000. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;
const PAUSE_MS = 10;

/**
 * Calls a function again and again until it answers something that is true, and gives that.
 *
 * ```ts
 * const ready = await eventually(async () => {
 *   const note = await service.client.get(Note, 'first');
 *   return note.status?.phase === 'Ready' && note;
 * });
 * ```
 *
 * @param look may throw: then it counts as not true yet, so assertions can stand in it
 * @throws Error when the time is over, with what the last call threw or answered
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
