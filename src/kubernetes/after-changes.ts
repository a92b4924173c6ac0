import { setTimeout as sleep } from 'node:timers/promises';
import { getMessage } from '../errors.js';
import { LogLimit } from '../lib/log/log-limit.js';
import type { Logger } from '../lib/log/logger.js';
import { SYSTEM_CLOCK } from '../lib/time/clock.js';
import { Wake } from '../owners/wake.js';
import type { Store } from '../store/store.js';

/** Time in which further changes are collected, in milliseconds. */
const GATHER_MS = 50;
/** Longest time without a run, in milliseconds. */
const AGAIN_MS = 5_000;

export interface FollowerOptions {
  readonly store: Store;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** The work in a few words, for the log: "cannot …". */
  readonly purpose: string;
}

/**
 * Runs a piece of work now, after changes of the store, and at intervals. The work that remains must be found in the
 * store. Ends when the signal is aborted; never throws.
 */
export async function workAfterChanges(
  { store, logger, signal, purpose }: FollowerOptions,
  work: () => Promise<void>,
): Promise<void> {
  const problems = new LogLimit(SYSTEM_CLOCK, 1);
  const wake = new Wake();
  const resume = (): void => wake.wake();
  const isOver = (): boolean => signal.aborted;
  const forget = store.onChange(resume);
  signal.addEventListener('abort', resume);
  while (!isOver()) {
    try {
      await work();
    } catch (error) {
      if (!isOver()) problems.write(() => logger.warn(`cannot ${purpose}: ${getMessage(error)}`));
    }
    await wake.wait(AGAIN_MS);
    await sleep(GATHER_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
  forget();
  signal.removeEventListener('abort', resume);
}
