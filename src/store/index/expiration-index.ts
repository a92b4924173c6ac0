import { EXPIRATION } from '../../model/expiration.js';
import { decodeValue, encodeValue } from '../../model/key-type.js';
import type { KeyRange, Snapshot } from '../engine.js';
import type { Table, TableIndex } from '../table.js';
import { allEntries, decodeKey, entriesBetween, firstValue } from './index-reader.js';
import { idInEntry } from './keys.js';
import { CHUNK, visitChunks } from './scan.js';

/** Undefined while it is built, and for a model declared by a version of the program without expiration. */
export function expirationIndex({ indexes }: Table): TableIndex | undefined {
  return indexes.find(({ name, ready }) => name === EXPIRATION && ready);
}

export interface ExpiringId {
  readonly id: number;
  /** Identifies the object and its time among those of all models. */
  readonly entry: string;
}

/**
 * The first objects that expire at a time or before it, in the order of their times.
 * @param most the limit for their number
 * @param isLeftOut true for entries to leave out
 */
export async function readExpired(
  snapshot: Snapshot,
  index: TableIndex,
  atMs: number,
  { most, isLeftOut }: { readonly most: number; readonly isLeftOut: (entry: string) => boolean },
): Promise<readonly ExpiringId[]> {
  const found: ExpiringId[] = [];
  const chunks = visitChunks(snapshot, splitAt(index, atMs).until, { limit: CHUNK }, (_value, place) => {
    const key = Buffer.from(place.bytes.subarray(place.start, place.end));
    const entry = key.toString('latin1');
    if (!isLeftOut(entry)) found.push({ id: idInEntry(key), entry });
    return found.length < most;
  });
  for await (const _ of chunks) if (found.length === most) break;
  return found;
}

/**
 * The time at which the first object expires, in milliseconds since 1970; Infinity when none does.
 * @param afterMs earlier ones and those at this time are left out. Default: none is
 */
export async function nextExpiration(
  snapshot: Snapshot,
  index: TableIndex,
  afterMs?: number,
): Promise<number> {
  const range = afterMs === undefined ? allEntries(index) : splitAt(index, afterMs).after;
  const key = await firstValue(snapshot, range);
  const value = key && decodeKey(index, key);
  return value === undefined ? Infinity : Date.parse(String(decodeValue(index.keyType, value)));
}

function splitAt(index: TableIndex, atMs: number): { readonly until: KeyRange; readonly after: KeyRange } {
  const limit = { value: encodeValue(index.keyType, new Date(atMs).toISOString()), inclusive: true };
  const until = entriesBetween(index, undefined, limit) ?? allEntries(index);
  return { until, after: { start: until.end, end: allEntries(index).end } };
}
