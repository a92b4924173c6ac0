import { setTimeout as sleep } from 'node:timers/promises';
import { getMessage } from '../../errors.js';
import { LogLimit } from '../log/log-limit.js';
import type { Logger } from '../log/logger.js';
import { SYSTEM_CLOCK } from '../time/clock.js';
import { Wake } from './wake.js';

/** Time in which further changes are collected, in milliseconds. */
const GATHER_MS = 50;
/** Longest time without a run, in milliseconds. */
const AGAIN_MS = 5_000;

export interface FollowerOptions {
  readonly store: {
    /** Calls the listener after changes. @returns a function that removes it */
    onChange(listener: () => void): () => void;
  };
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** The work in a few words, for the log: "cannot …". */
  readonly purpose: string;
  /** Time in which further changes are collected, in milliseconds. Default: 50. */
  readonly gatherMs?: number;
  /** Called after each run. @returns milliseconds until the next one without a change. Default: 5 s, which is the longest */
  readonly getRestMs?: () => number;
}

/**
 * Runs a piece of work now, after changes of the store, and at intervals. The work that remains must be found in the
 * store. Ends when the signal is aborted; never throws.
 */
export async function workAfterChanges(
  { store, logger, signal, purpose, gatherMs = GATHER_MS, getRestMs = () => AGAIN_MS }: FollowerOptions,
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
    await wake.wait(Math.min(getRestMs(), AGAIN_MS));
    await sleep(gatherMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
  forget();
  signal.removeEventListener('abort', resume);
}
