import { setImmediate } from 'node:timers/promises';

/** Resolves in the next turn of the event loop, after everything that waited for this turn has run. */
export function nextTurn(): Promise<void> {
  return setImmediate();
}
