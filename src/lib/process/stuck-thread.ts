/**
 * Threads of this process that may wait forever. `process.exit` waits for them, so only a signal ends a process that
 * has one.
 */
let count = 0;

/** Reports that a thread will not end by itself. */
export function noteStuckThread(): void {
  count += 1;
}

export function hasStuckThread(): boolean {
  return count > 0;
}
