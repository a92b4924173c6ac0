/**
 * Threads of this process that wait for something which may never come. `process.exit` waits for them, so a process that
 * has one is to be ended by a signal.
 */
let count = 0;

/** A thread will not end by itself. */
export function noteStuckThread(): void {
  count += 1;
}

export function hasStuckThread(): boolean {
  return count > 0;
}
