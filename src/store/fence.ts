import { AsyncLocalStorage } from 'node:async_hooks';
import { isThenable } from '../lib/work/maybe-promise.js';
import type { Transaction } from './engine.js';

/** Prevents writes of work under a lease after the lease was lost, and names the work. */
export interface Fence {
  /** Increases with each change of the holder. */
  readonly token: number;
  /** The user of the work's writes, for the log. Default: that of the writer. */
  readonly user?: string;
  /** Runs first in every commit. @throws ServiceError `Conflict` when another process has the lease */
  guard(tx: Transaction): void;
}

const fences = new AsyncLocalStorage<Fence | undefined>();

let underWay = 0;

/**
 * Runs a function under a fence. All commits of the function, and of everything that it calls and awaits, check the
 * fence.
 */
export function runFenced<T>(fence: Fence, run: () => T): T | Promise<Awaited<T>> {
  underWay += 1;
  let answer: T;
  try {
    answer = fences.run(fence, run);
  } catch (error) {
    ended();
    throw error;
  }
  // A thenable may start its work at each call of `then`: it is called once.
  if (isThenable(answer)) return Promise.resolve(answer).finally(ended);
  ended();
  return answer;
}

/** Active async storage more than doubles the cost of every promise of the process, including those of reads. */
function ended(): void {
  underWay -= 1;
  if (underWay === 0) fences.disable();
}

/** Runs a function on behalf of several callers, without the fence of the current one. */
export function runUnfenced<T>(run: () => T): T {
  return fences.getStore() === undefined ? run() : fences.run(undefined, run);
}

export function currentFence(): Fence | undefined {
  return fences.getStore();
}
