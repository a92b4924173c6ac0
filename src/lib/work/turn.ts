import { setImmediate } from 'node:timers/promises';
import type { MaybePromise } from './maybe-promise.js';

/** Resolves in the next turn of the event loop, after everything that waited for this turn has run. */
export function nextTurn(): Promise<void> {
  return setImmediate();
}

/** Time without a break after which other long work waits, in milliseconds. */
const LONG_MS = 10;
let isLong = false;
let waiters = 0;
let lastTurn = Promise.resolve();

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

/** True after long work in this turn, or while other work waits for a turn. Work that may be long then calls {@link ownTurn}. */
export function isLongTurn(): boolean {
  return isLong || waiters > 0;
}

/**
 * Resolves in a turn of the event loop for this caller alone. So each of several requests with long work has its own turn, and
 * short requests are answered between them.
 */
export function ownTurn(): Promise<void> {
  waiters += 1;
  // One turn accepts a new connection, and the next reads its request.
  return (lastTurn = lastTurn
    .then(nextTurn)
    .then(nextTurn)
    .then(() => void (waiters -= 1)));
}

/** {@link timed}, at once or in the caller's own turn when another long piece of work has had this one. */
export function inTurn<T>(body: () => T): MaybePromise<T> {
  return isLongTurn() ? ownTurn().then(() => timed(body)) : timed(body);
}
