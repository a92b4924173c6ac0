import type { KeyRange, KeyValue, Snapshot } from '../engine.js';
import type { IndexRecord } from './index-record.js';
import { afterKey, objectKey, rangeOfRun } from './keys.js';
import { indexRecordIn } from '../object-record.js';
import type { Table } from '../table.js';

/**
 * Most pairs of one scan; limits the memory, and the time that the event loop is blocked. Enough for the 500 objects
 * that clients of Kubernetes request at a time, and one more that shows if others follow.
 */
export const CHUNK = 512;
export type Direction = 'asc' | 'desc';

/**
 * Pairs of a range in chunks, in the direction. `first` is the size of the first chunk, for callers that need few.
 */
export async function* scanChunks(
  snapshot: Snapshot,
  range: KeyRange,
  direction: Direction = 'asc',
  first: number = CHUNK,
): AsyncGenerator<KeyValue[]> {
  let rest = range;
  for (let limit = Math.min(first, CHUNK); ; limit = CHUNK) {
    const pairs = await snapshot.scan(rest, { limit, reverse: direction === 'desc' });
    if (pairs.length > 0) yield pairs;
    const last = pairs.at(-1);
    if (last === undefined || pairs.length < limit) return;
    rest = afterKey(rest, last.key);
  }
}

/** The part of a range that begins with a run. */
export function fromRun(range: KeyRange, run: Buffer, direction: Direction): KeyRange {
  const { start, end } = rangeOfRun(run);
  return direction === 'asc' ? { start, end: range.end } : { start: range.start, end };
}

/** The part of a range that comes after a run. */
export function beyondRun(range: KeyRange, run: Buffer, direction: Direction): KeyRange {
  const { start, end } = rangeOfRun(run);
  return direction === 'asc' ? { start: end, end: range.end } : { start: range.start, end: start };
}

/** The records in the order of the ids; undefined for an object that is gone. */
export async function readIndexRecords(
  snapshot: Snapshot,
  { modelId }: Table,
  ids: readonly number[],
): Promise<(IndexRecord | undefined)[]> {
  const records: (IndexRecord | undefined)[] = [];
  const keys = ids.map((id) => objectKey(modelId, id));
  await snapshot.visitMany(keys, (record) => {
    records.push(record && indexRecordIn(ids[records.length] ?? 0, record));
  });
  return records;
}
