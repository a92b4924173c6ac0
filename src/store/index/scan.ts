import type { KeyRange, KeyValue, ScanOptions, Snapshot, VisitPair } from '../engine.js';
import type { IndexRecord } from './index-record.js';
import { afterKey, getObjects, idInKey, objectKey } from './keys.js';
import type { MaybePromise } from '../../lib/work/maybe-promise.js';
import { indexRecordIn } from '../object-record.js';
import type { Table } from '../table.js';

/**
 * Most pairs of one scan; limits the memory, and the time that the event loop is blocked. Enough for the 500 objects
 * that clients of Kubernetes request at a time, and one more that shows if others follow.
 */
export const CHUNK = 512;
export type Direction = 'asc' | 'desc';

/** Pairs of a range in chunks, ascending. */
export async function* scanChunks(
  snapshot: Snapshot,
  range: KeyRange,
  limit = CHUNK,
): AsyncGenerator<KeyValue[]> {
  for (let rest = range; ;) {
    const pairs = await snapshot.scan(rest, { limit });
    if (pairs.length > 0) yield pairs;
    const last = pairs.at(-1);
    if (last === undefined || pairs.length < limit) return;
    rest = afterKey(rest, last.key);
  }
}

/**
 * Visits the pairs of a range in place, in chunks of `limit`, the first one of `first`. After each chunk it yields
 * true when pairs may follow. A callback that returns false ends a chunk.
 */
export async function* visitChunks(
  snapshot: Snapshot,
  range: KeyRange,
  { limit, reverse = false, first = limit }: ScanOptions & { readonly first?: number },
  visit: VisitPair,
): AsyncGenerator<boolean> {
  let rest = range;
  for (let most = first; ; most = limit) {
    const last = await snapshot.scanInPlace(rest, { limit: most, reverse }, visit);
    yield last !== undefined;
    if (last === undefined) return;
    rest = afterKey(rest, last);
  }
}

/**
 * Visits the records of all objects, by id. Yields the number of records, chunk by chunk.
 * @param visit receives bytes that are valid until it returns; it must not read the store
 */
export async function* scanRecords(
  snapshot: Snapshot,
  { modelId }: Table,
  visit: (id: number, record: Uint8Array) => void,
): AsyncGenerator<number> {
  let records = 0;
  const see: VisitPair = (record, { bytes, start }) => {
    records++;
    visit(idInKey(bytes, start), record);
    return true;
  };
  for await (const _ of visitChunks(snapshot, getObjects(modelId), { limit: CHUNK }, see)) {
    yield records;
    records = 0;
  }
}

/**
 * Visits the records of objects, in the order of the ids.
 * @param visit receives undefined for an object that is gone; otherwise as in {@link scanRecords}
 */
export function visitRecords(
  snapshot: Snapshot,
  { modelId }: Table,
  ids: readonly number[],
  visit: (id: number, record: Buffer | undefined) => void,
): MaybePromise<void> {
  let at = 0;
  return snapshot.visitMany(
    ids.map((id) => objectKey(modelId, id)),
    (record) => visit(ids[at++] ?? 0, record),
  );
}

/** The records in the order of the ids; undefined for an object that is gone. */
export async function readIndexRecords(
  snapshot: Snapshot,
  table: Table,
  ids: readonly number[],
): Promise<(IndexRecord | undefined)[]> {
  const records: (IndexRecord | undefined)[] = [];
  await visitRecords(snapshot, table, ids, (id, record) => {
    records.push(record && indexRecordIn(id, record));
  });
  return records;
}
