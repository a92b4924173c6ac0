import { setImmediate } from 'node:timers/promises';

/** Resolves in the next turn of the event loop, after everything that waited for this turn has run. */
export function nextTurn(): Promise<void> {
  return setImmediate();
}

/** Time without a break after which other long work waits, in milliseconds. */
const LONG_MS = 10;
let isLong = false;
let waiting = 0;
let last = Promise.resolve();

/** Runs code that has no breaks. After a long one, {@link ownTurn} is needed. */
export function timed<T>(body: () => T): T {
  const began = performance.now();
  try {
    return body();
  } finally {
    if (!isLong && performance.now() - began > LONG_MS) {
      isLong = true;
      void nextTurn().then(() => (isLong = false));
    }
  }
}

/** True after long work in this turn, and while others wait for it: work that may be long then calls {@link ownTurn}. */
export function isLongTurn(): boolean {
  return isLong || waiting > 0;
}

/**
 * Resolves in a turn in which nobody else continues who waited. Of several requests with long work, each has a turn then, and
 * short requests are answered between them.
 */
export function ownTurn(): Promise<void> {
  waiting += 1;
  return (last = last.then(nextTurn).then(() => void (waiting -= 1)));
}
