import type { MaybePromise } from '../lib/work/maybe-promise.js';
import type { Engine, Snapshot } from './engine.js';

/** Runs a read on a snapshot, which is closed afterwards. */
export function withSnapshot<T>(
  engine: Pick<Engine, 'snapshot'>,
  read: (snapshot: Snapshot) => MaybePromise<T>,
): Promise<T> {
  return whileOpen(engine.snapshot(), read);
}

/** Runs a read, and closes what it reads afterwards. */
export async function whileOpen<O extends { close(): void }, T>(
  open: O,
  read: (open: O) => MaybePromise<T>,
): Promise<T> {
  try {
    return await read(open);
  } finally {
    open.close();
  }
}
