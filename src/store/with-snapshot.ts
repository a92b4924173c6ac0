import type { Engine, Snapshot } from './engine.js';

/** Runs a read on a snapshot, which is closed afterwards. */
export async function withSnapshot<T>(
  engine: Pick<Engine, 'snapshot'>,
  read: (snapshot: Snapshot) => T | Promise<T>,
): Promise<T> {
  const snapshot = engine.snapshot();
  try {
    return await read(snapshot);
  } finally {
    snapshot.close();
  }
}
