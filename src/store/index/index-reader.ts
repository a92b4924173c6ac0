import type { KeyPlace, KeyRange, Snapshot, VisitPair } from '../engine.js';
import type { TableIndex } from '../table.js';
import {
  afterKey,
  entriesStartingWith,
  entriesWith,
  entryPrefix,
  getEntries,
  idInEntry,
  isCut,
  isInRun,
  isLargestInEntry,
  isPrefixInEntry,
  isSmallestInEntry,
  prefixInEntry,
  prefixInPlace,
  rangeOfRun,
  runOfPrefix,
  VALUE_BYTES_MAX,
  valueGroup,
  valueOfRun,
} from './keys.js';
import type { Direction } from './scan.js';

/**
 * Reads indexes for lists, which do not know the form of keys: they only pass ranges, keys of values and places of
 * entries from one function to another. Entries are in the order of their values, then of the ids of their objects.
 */

/** Identifies a value of an index. Its bytes have the order of the entries. */
export type ValueKey = Buffer;

/**
 * Identifies neighbouring entries whose keys do not give their order: those of one value, or of several long values
 * that are cut at the same bytes.
 */
export type ValueGroup = Buffer;

/** An end of a range of encoded values. */
export interface ValueLimit {
  readonly value: Buffer;
  readonly inclusive: boolean;
}

// ---- ranges of entries ---------------------------------------------------------------------------------

export function allEntries({ id }: TableIndex): KeyRange {
  return getEntries(id);
}

/** The entries with a value, or of objects without one when it is undefined. */
export function entriesOfValue({ id, keyType }: TableIndex, value: Buffer | undefined): KeyRange {
  return entriesWith(id, keyType, value);
}

/** The entries of strings with a prefix; undefined when it is too long for the keys to decide. */
export function entriesWithPrefix({ id }: TableIndex, prefix: Buffer): KeyRange | undefined {
  return entriesStartingWith(id, prefix);
}

/** Like {@link entriesWithPrefix}, but includes other entries when the prefix is too long. */
export function entriesAroundPrefix({ id }: TableIndex, prefix: Buffer): KeyRange {
  return entriesStartingWith(id, prefix.subarray(0, VALUE_BYTES_MAX)) ?? getEntries(id);
}

/** The entries with values between two limits; undefined when a limit is so long that it may be cut. */
export function entriesBetween(
  index: TableIndex,
  from: ValueLimit | undefined,
  to: ValueLimit | undefined,
): KeyRange | undefined {
  if (isLong(from?.value) || isLong(to?.value)) return undefined;
  // Objects without a value come first.
  const first = entriesOfValue(index, from?.value);
  const last = to && entriesOfValue(index, to.value);
  const end = to?.inclusive === true ? last?.end : last?.start;
  return { start: from?.inclusive === true ? first.start : first.end, end: end ?? getEntries(index.id).end };
}

/** Shorter values are never cut, even if all their bytes are zero. */
const LONG_BYTES = VALUE_BYTES_MAX / 2;

function isLong(value: Buffer | undefined): boolean {
  return value !== undefined && value.length >= LONG_BYTES;
}

export function entriesIn(key: ValueKey | ValueGroup): KeyRange {
  return rangeOfRun(key);
}

/** The part of a range that begins with a group, in a direction. */
export function fromGroup(range: KeyRange, group: ValueGroup, direction: Direction): KeyRange {
  const { start, end } = rangeOfRun(group);
  return direction === 'asc' ? { start, end: range.end } : { start: range.start, end };
}

/** The part of a range that comes after a group, in a direction. */
export function beyondGroup(range: KeyRange, group: ValueGroup, direction: Direction): KeyRange {
  const { start, end } = rangeOfRun(group);
  return direction === 'asc' ? { start: end, end: range.end } : { start: range.start, end: start };
}

// ---- values --------------------------------------------------------------------------------------------

/** @param value undefined for objects without a value */
export function getValueKey({ id, keyType }: TableIndex, value: Buffer | undefined): ValueKey {
  return entryPrefix(id, keyType, value);
}

export function getValueGroup(index: TableIndex, value: Buffer | undefined): ValueGroup {
  return runOfPrefix(getValueKey(index, value), index.keyType);
}

/** True when the value is cut, so that only the index records of its objects have it. */
export function isCutValue({ keyType }: TableIndex, key: ValueKey | ValueGroup): boolean {
  return isCut(key, keyType);
}

/** The encoded value, unless it is cut; undefined for objects without one. */
export function decodeKey({ keyType }: TableIndex, key: ValueKey | ValueGroup): Buffer | undefined {
  return valueOfRun(key, keyType);
}

/** True when the range has the value, or a part of the entries of its group. */
export function isInRange(key: ValueKey, { start, end }: KeyRange): boolean {
  return key.compare(start) >= 0 && key.compare(end) < 0;
}

const INDEX_BYTES = 5;

/** A text for the value, distinct within its index. */
export function keyToText(key: ValueKey): string {
  return key.toString('latin1', INDEX_BYTES);
}

/** The inverse of {@link keyToText}. */
export function keyFromText({ id }: TableIndex, text: string): ValueKey {
  return Buffer.concat([getEntries(id).start, Buffer.from(text, 'latin1')]);
}

// ---- entries in place ----------------------------------------------------------------------------------

export function entryId({ bytes, end }: KeyPlace): number {
  return idInEntry(bytes, end);
}

/** True for the one entry of an object by which an ordered read returns it. */
export function placesObject({ bytes, end }: KeyPlace, direction: Direction): boolean {
  return direction === 'asc' ? isSmallestInEntry(bytes, end) : isLargestInEntry(bytes, end);
}

/** The value of an entry: `before`, the one of the entry before, when it is the same. */
export function valueAt(place: KeyPlace, before: ValueKey | undefined): ValueKey {
  return before !== undefined && isPrefixInEntry(place, before) ? before : prefixInPlace(place);
}

/** The group of an entry: `before`, the one of the entry before, when it is the same. */
export function groupAt(
  { keyType }: TableIndex,
  place: KeyPlace,
  before: ValueGroup | undefined,
): ValueGroup {
  if (before !== undefined && isInRun(place, before, keyType)) return before;
  return valueGroup(Buffer.from(place.bytes.subarray(place.start, place.end)), keyType);
}

// ---- reads ---------------------------------------------------------------------------------------------

/** Ids in one read: they take less time than other entries. */
export const IDS_CHUNK = 4_000;

/** Ranges in one read: each takes as long as many entries. */
const RANGES_CHUNK = 64;

/** Calls back with the id of each entry of the ranges. Yields the number of entries, chunk by chunk. */
export async function* visitIds(
  snapshot: Snapshot,
  ranges: readonly KeyRange[],
  visit: (id: number) => void,
): AsyncGenerator<number> {
  let entries = 0;
  const see: VisitPair = (_value, { bytes, end }) => {
    visit(idInEntry(bytes, end));
    entries++;
    return true;
  };
  for (const [i, range] of ranges.entries()) {
    for (let rest: KeyRange | undefined = range; rest !== undefined;) {
      const read = snapshot.scanInPlace(rest, { limit: IDS_CHUNK }, see);
      // To wait for what is there would take as long as the read.
      const last = read instanceof Promise ? await read : read;
      rest = last && afterKey(rest, last);
      if (rest === undefined && entries < IDS_CHUNK && (i + 1) % RANGES_CHUNK !== 0) continue;
      yield entries;
      entries = 0;
    }
  }
  yield entries;
}

export async function firstIds(snapshot: Snapshot, range: KeyRange, most: number): Promise<number[]> {
  const ids: number[] = [];
  await snapshot.scanInPlace(range, { limit: most }, (_value, { bytes, end }) => {
    ids.push(idInEntry(bytes, end));
    return true;
  });
  return ids;
}

/** The value of the first entry of a range, in a direction; undefined when the range is empty. */
export async function firstValue(
  snapshot: Snapshot,
  range: KeyRange,
  direction: Direction = 'asc',
): Promise<ValueKey | undefined> {
  const [first] = await snapshot.scan(range, { limit: 1, reverse: direction === 'desc' });
  return first && prefixInEntry(first.key);
}
