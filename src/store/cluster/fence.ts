import { AsyncLocalStorage } from 'node:async_hooks';
import { isThenable } from '../../lib/work/maybe-promise.js';
import type { Transaction } from '../engine.js';

/** Keeps what works under a lease from writing after the lease was lost. */
export interface Fence {
  /** Rises with each change of the holder. */
  readonly token: number;
  /** Runs first in every commit. @throws ServiceError `Conflict` when the lease is another's */
  guard(tx: Transaction): void;
}

const fences = new AsyncLocalStorage<Fence | undefined>();

let underWay = 0;

/** Runs something whose commits, and those of all that it calls and waits for, are made only while the fence holds. */
export function runFenced<T>(fence: Fence, run: () => T): T | Promise<Awaited<T>> {
  underWay += 1;
  let answer: T;
  try {
    answer = fences.run(fence, run);
  } catch (error) {
    ended();
    throw error;
  }
  // A thenable may begin its work anew whenever it is asked: it is asked once.
  if (isThenable(answer)) return Promise.resolve(answer).finally(ended);
  ended();
  return answer;
}

/** While the storage is in use, every promise of the process costs more than twice as much, those of reads too. */
function ended(): void {
  underWay -= 1;
  if (underWay === 0) fences.disable();
}

/** Runs something that goes on for others than its caller: the caller's fence is not its own. */
export function runUnfenced<T>(run: () => T): T {
  return fences.getStore() === undefined ? run() : fences.run(undefined, run);
}

/** The fence that the caller runs in. */
export function currentFence(): Fence | undefined {
  return fences.getStore();
}
