import { decodeRecord } from './log-record.js';
import type { SharedLog } from './shared-log.js';

/** Bytes of stored records that are folded at once. */
const FOLD_BYTES = 4 * 1024 * 1024;

/**
 * Brings the checkpoint to the end of the log, in steps of bounded size. Reads the log instead of a replica, which
 * may be ahead. Ends when another process does the same. Old records are removed even without new ones.
 */
export async function foldLog(log: SharedLog): Promise<void> {
  for (;;) {
    const from = await log.checkpointAt();
    const tail = await log.tail(from, FOLD_BYTES);
    // Another process has folded and trimmed since.
    if (tail.kind !== 'records') return;
    const to = tail.records.at(-1);
    if (to === undefined) return log.trim(from);
    const net = new Map<string, Buffer | undefined>();
    for (const { writes } of tail.records)
      for (const { key, value } of await decodeRecord(writes)) net.set(key.toString('latin1'), value);
    if (!(await log.advanceCheckpoint(from, to, net)) || tail.isEnd) return;
  }
}
