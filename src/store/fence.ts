import { AsyncLocalStorage } from 'node:async_hooks';
import type { Transaction } from './engine.js';

/** Keeps what works under a lease from writing after the lease was lost. */
export interface Fence {
  /** Rises with each change of the holder. */
  readonly token: number;
  /** Runs first in every commit. @throws ServiceError `Conflict` when the lease is another's */
  guard(tx: Transaction): void;
}

const fences = new AsyncLocalStorage<Fence | undefined>();

/** Runs something whose commits, and those of all that it calls and waits for, are made only while the fence holds. */
export function runFenced<T>(fence: Fence, run: () => T): T {
  return fences.run(fence, run);
}

/** Runs something that goes on for others than its caller: the caller's fence is not its own. */
export function runUnfenced<T>(run: () => T): T {
  return fences.getStore() === undefined ? run() : fences.run(undefined, run);
}

/** The fence that the caller runs in. */
export function currentFence(): Fence | undefined {
  return fences.getStore();
}
