import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest time that steps are taken in one go, in milliseconds. */
const GO_MS = 1;
/** Steps between two looks at the clock: a few microseconds, or milliseconds where memory is touched for the first time. */
const UNTIMED_STEPS = 256;

/** Does something for each number below a count, and lets other work run now and then. */
export async function inSteps(count: number, step: (i: number) => void): Promise<void> {
  let until = performance.now() + GO_MS;
  for (let from = 0; from < count; from += UNTIMED_STEPS) {
    const to = Math.min(from + UNTIMED_STEPS, count);
    for (let i = from; i < to; i++) step(i);
    if (performance.now() < until) continue;
    await nextTurn();
    until = performance.now() + GO_MS;
  }
}
