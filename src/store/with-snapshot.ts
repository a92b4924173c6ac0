import type { MaybePromise } from '../lib/work/maybe-promise.js';
import type { Engine, KeyRange, Snapshot } from './engine.js';

/** Runs a read on a snapshot, which is closed afterwards. */
export function withSnapshot<T>(
  engine: Pick<Engine, 'snapshot'>,
  read: (snapshot: Snapshot) => MaybePromise<T>,
): Promise<T> {
  return whileOpen(engine.snapshot(), read);
}

/** Runs a read, and closes what it reads afterwards. */
export async function whileOpen<O extends { close(): void }, T>(
  resource: O,
  read: (resource: O) => MaybePromise<T>,
): Promise<T> {
  try {
    return await read(resource);
  } finally {
    resource.close();
  }
}

export async function scanKeys(
  engine: Pick<Engine, 'snapshot'>,
  range: KeyRange,
  limit: number,
): Promise<Buffer[]> {
  const keys: Buffer[] = [];
  await withSnapshot(engine, (snapshot) =>
    snapshot.scanInPlace(range, { limit }, (_value, { bytes, start, end }) => {
      keys.push(Buffer.from(bytes.subarray(start, end)));
      return true;
    }),
  );
  return keys;
}

/** Pairs that are removed in one commit. */
const SWEPT = 256;

/** Removes the pairs of a range in small commits. */
export async function removeRange(
  engine: Pick<Engine, 'snapshot' | 'commit'>,
  range: KeyRange,
  batchSize = SWEPT,
): Promise<void> {
  for (;;) {
    const keys = await scanKeys(engine, range, batchSize);
    if (keys.length === 0) return;
    await engine.commit((tx) => {
      for (const key of keys) tx.remove(key);
    });
  }
}
