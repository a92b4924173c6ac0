import { createHash } from 'node:crypto';
import { afterPrefix, asBuffer, readU48 } from '../../lib/bytes.js';
import type { KeyType } from '../../model/resource.js';
import type { KeyPlace, KeyRange } from '../engine.js';

/**
 * Every key of the store begins with the byte of its family:
 *
 * | family | rest of the key | value |
 * |---|---|---|
 * | META | a name | small facts: format, head of the log, catalogue version |
 * | MODEL | model | the catalogue's record of a model (JSON) |
 * | OBJECT | model, object id | the object's record (`object-record.ts`) |
 * | NAME | model, object name | the object's id |
 * | ENTRY | index, value; object id and flags | none |
 * | COUNT | model | number of objects, next id, revision of the last change |
 * | LOG | revision | one change (`log.ts`) |
 * | LEASE | a name | the holder of a right that only one process has (`lease.ts`) |
 * | TEXT | index, row | words of texts (`text/rows.ts`) |
 */
export const FAMILY = {
  META: 1,
  MODEL: 2,
  OBJECT: 3,
  NAME: 4,
  ENTRY: 5,
  COUNT: 6,
  LOG: 7,
  LEASE: 8,
  TEXT: 9,
} as const;

export type MetaName =
  | 'format'
  | 'secret'
  | 'program'
  | 'upgrade'
  | 'head'
  | 'catalogue'
  | 'dropped'
  | 'forgotten'
  | `migration/${number}`
  | `holder/${string}`
  | `ticket/${string}`
  | `plan/${string}`
  | `webhook/${string}`
  | `deadletter/${string}`;

export function metaKey(name: MetaName): Buffer {
  return Buffer.from(`\x01${name}`, 'latin1');
}

export function leaseKey(name: string): Buffer {
  return Buffer.concat([Buffer.from([FAMILY.LEASE]), Buffer.from(name)]);
}

function numbered(family: number, id: number, rest = 0): Buffer {
  const key = Buffer.allocUnsafe(5 + rest);
  key[0] = family;
  key.writeUInt32BE(id, 1);
  return key;
}

export function getModelKey(modelId: number): Buffer {
  return numbered(FAMILY.MODEL, modelId);
}

export function modelIdIn(key: Uint8Array): number {
  return asBuffer(key).readUInt32BE(1);
}

export function countKey(modelId: number): Buffer {
  return numbered(FAMILY.COUNT, modelId);
}

/** A namespace, a slash and a name. Longer names cannot be a key, so no object can have one and a reader finds nothing. */
export const FULL_NAME_BYTES_MAX = 317;

/** The key of an object's id, by the full name of the object. */
export function nameKey(modelId: number, name: string): Buffer {
  const key = numbered(FAMILY.NAME, modelId, Buffer.byteLength(name));
  key.write(name, 5);
  return key;
}

export function nameInKey(key: Uint8Array): string {
  return asBuffer(key).toString('latin1', 5);
}

/** The bytes of the name in a key, without a copy. */
export function nameBytesInPlace({ bytes, start, end }: KeyPlace): Uint8Array {
  return bytes.subarray(start + 5, end);
}

/** @param prefix the start of the names. Default: all names */
export function getNames(modelId: number, prefix = ''): KeyRange {
  return under(nameKey(modelId, prefix));
}

export function objectKey(modelId: number, id: number): Buffer {
  const key = numbered(FAMILY.OBJECT, modelId, 6);
  key.writeUIntBE(id, 5, 6);
  return key;
}

/** The id in the key of an object that begins at `start`. */
export function idInKey(key: Uint8Array, start = 0): number {
  return readU48(key, start + 5);
}

/** Keys that begin with a prefix. */
export function under(prefix: Buffer): KeyRange {
  const end = afterPrefix(prefix);
  if (end === undefined) throw new RangeError('no key follows this prefix');
  return { start: prefix, end };
}

export const MODELS: KeyRange = { start: Buffer.from([FAMILY.MODEL]), end: Buffer.from([FAMILY.MODEL + 1]) };
export const LEASES: KeyRange = { start: Buffer.from([FAMILY.LEASE]), end: Buffer.from([FAMILY.LEASE + 1]) };
export const LOG: KeyRange = { start: Buffer.from([FAMILY.LOG]), end: Buffer.from([FAMILY.LOG + 1]) };

export function getObjects(modelId: number): KeyRange {
  return under(numbered(FAMILY.OBJECT, modelId));
}

export function objectsAfter(modelId: number, id: number): KeyRange {
  return afterKey(getObjects(modelId), objectKey(modelId, id));
}

export function getEntries(indexId: number): KeyRange {
  return under(numbered(FAMILY.ENTRY, indexId));
}

/** The rest of a range after a key, in the direction of the read. */
export function afterKey(range: KeyRange, key: Uint8Array): KeyRange {
  return { start: range.start, end: range.end, after: key };
}

// ---- index entries -------------------------------------------------------------------------------------

const ZERO = Buffer.from([0]);
const ABSENT = 0;
const PRESENT = 1;

/** Encoded size of values with a fixed size. Strings end with a terminator instead. */
const FIXED_BYTES: Partial<Record<KeyType, number>> = {
  boolean: 1,
  integer: 8,
  number: 8,
  long: 8,
  instant: 12,
};

/**
 * A longer encoded string is cut here, or one byte later, so that no escape is split. A hash of the whole string
 * follows, so that equality stays exact. The order of values with the same cut prefix is not the order of their keys.
 * An ordered read sorts such a run again (`isCut`, `runOf`).
 *
 * All names of objects are shorter. A larger limit would be a risk: LMDB splits a page of many entries by their
 * number when the new one takes less than a sixteenth of the page. Next to sixteen of the shortest entries, which
 * take 22 bytes each in an 8 KiB page, an entry of more than 352 bytes may then not fit into its half, and the commit
 * would fail. The longest entry of {@link VALUE_BYTES_MAX} takes 346.
 */
export const VALUE_BYTES_MAX = 288;

/** Inside a string: 0 is written as 0 ff, so a 0 without ff ends the string; 0 fe marks the cut. */
const ESCAPE = 0xff;
const SEPARATOR = 0xfe;
/**
 * The number of bytes at the end of an entry key: the object's id and two flags. Many keys share the part before, so
 * an engine may store it once. The first byte of this end is smaller than both marks. So when a value's part is the
 * prefix of a longer one, all of its keys come before those of the longer one.
 */
const ENTRY_END_BYTES = 5;
const END_OF_GROUP = Buffer.from([SEPARATOR]);

/**
 * Flags for the smallest and the largest value of the object in the index. An ordered read checks one of them to
 * return each object once.
 */
const SMALLEST = 2;
const LARGEST = 1;

/** The object of an entry, and the flags of its value. */
export interface EntryObject {
  readonly id: number;
  readonly isSmallest: boolean;
  readonly isLargest: boolean;
}

function escapeZeros(bytes: Buffer): Buffer {
  if (!bytes.includes(0)) return bytes;
  const out: number[] = [];
  for (const byte of bytes) {
    out.push(byte);
    if (byte === 0) out.push(ESCAPE);
  }
  return Buffer.from(out);
}

/** The part of an entry key for the value, including the terminator. */
function valuePart(type: KeyType, value: Uint8Array): Buffer {
  if (FIXED_BYTES[type] !== undefined) return asBuffer(value);
  const escaped = escapeZeros(asBuffer(value));
  const kept = keptBytes(escaped, 0);
  if (escaped.length <= kept) return Buffer.concat([escaped, ZERO]);
  const hash = createHash('sha256').update(value).digest();
  return Buffer.concat([escaped.subarray(0, kept), Buffer.from([0, SEPARATOR]), hash, ZERO]);
}

/** The number of bytes kept of an escaped string from an offset. A split escape would sort before its prefix. */
function keptBytes(bytes: Buffer, offset: number): number {
  const end = offset + VALUE_BYTES_MAX;
  return bytes[end - 1] === 0 && bytes[end] === ESCAPE ? VALUE_BYTES_MAX + 1 : VALUE_BYTES_MAX;
}

/**
 * The key of an index entry up to the object's id, which all entries of one value share.
 * @param value as encoded by the key type; undefined for the entry of an object without a value
 */
export function entryPrefix(indexId: number, type: KeyType, value: Uint8Array | undefined): Buffer {
  if (value === undefined) {
    const key = numbered(FAMILY.ENTRY, indexId, 2);
    key[5] = ABSENT;
    key[6] = 0;
    return key;
  }
  const part = valuePart(type, value);
  const key = numbered(FAMILY.ENTRY, indexId, 1 + part.length);
  key[5] = PRESENT;
  part.copy(key, 6);
  return key;
}

/** The key of one object's entry. Created in one allocation, because every write creates many. */
export function entryKey(
  indexId: number,
  type: KeyType,
  value: Uint8Array | undefined,
  object: EntryObject,
): Buffer {
  const fixed = FIXED_BYTES[type] !== undefined;
  if (value === undefined || (!fixed && (value.length > VALUE_BYTES_MAX || value.includes(0)))) {
    const prefix = entryPrefix(indexId, type, value);
    const key = Buffer.allocUnsafe(prefix.length + ENTRY_END_BYTES);
    prefix.copy(key);
    return withObject(key, object);
  }
  const end = 6 + value.length;
  const key = numbered(FAMILY.ENTRY, indexId, end - 5 + (fixed ? 0 : 1) + ENTRY_END_BYTES);
  key[5] = PRESENT;
  key.set(value, 6);
  if (!fixed) key[end] = 0;
  return withObject(key, object);
}

function withObject(key: Buffer, { id, isSmallest, isLargest }: EntryObject): Buffer {
  const end = id * 4 + (isSmallest ? SMALLEST : 0) + (isLargest ? LARGEST : 0);
  key.writeUIntBE(end, key.length - ENTRY_END_BYTES, ENTRY_END_BYTES);
  return key;
}

/** All entries with exactly this value, or of objects without one. */
export function entriesWith(indexId: number, type: KeyType, value: Uint8Array | undefined): KeyRange {
  return rangeOfRun(entryPrefix(indexId, type, value));
}

/** All entries whose string begins with these bytes; undefined when the prefix is too long for the keys to decide. */
export function entriesStartingWith(indexId: number, prefix: Uint8Array): KeyRange | undefined {
  const escaped = escapeZeros(asBuffer(prefix));
  if (escaped.length > VALUE_BYTES_MAX) return undefined;
  const head = numbered(FAMILY.ENTRY, indexId, 1 + escaped.length);
  head[5] = PRESENT;
  escaped.copy(head, 6);
  return under(head);
}

export function indexInEntry(key: Buffer): number {
  return key.readUInt32BE(1);
}

/** The id of the object in an entry key that ends at `end`. */
export function idInEntry(key: Uint8Array, end = key.length): number {
  const at = (i: number): number => key[end - i] ?? 0;
  return at(5) * 0x40000000 + at(4) * 0x400000 + at(3) * 0x4000 + at(2) * 0x40 + (at(1) >> 2);
}

/** True when the value of an entry is the smallest that the object has in the index. */
export function isSmallestInEntry(key: Uint8Array, end = key.length): boolean {
  return ((key[end - 1] ?? 0) & SMALLEST) !== 0;
}

/** True when the value of an entry is the largest that the object has in the index. */
export function isLargestInEntry(key: Uint8Array, end = key.length): boolean {
  return ((key[end - 1] ?? 0) & LARGEST) !== 0;
}

/** The bytes that entries of the same value share. */
export function prefixInEntry(key: Buffer): Buffer {
  return key.subarray(0, key.length - ENTRY_END_BYTES);
}

/** A copy of {@link prefixInEntry}, for a key in place. */
export function prefixInPlace({ bytes, start, end }: KeyPlace): Buffer {
  return Buffer.from(bytes.subarray(start, end - ENTRY_END_BYTES));
}

/** True when a key in place has exactly this prefix ({@link prefixInEntry}). */
export function isPrefixInEntry({ bytes, start, end }: KeyPlace, prefix: Buffer): boolean {
  if (end - start - ENTRY_END_BYTES !== prefix.length) return false;
  // Neighbours mostly differ at the end.
  for (let i = prefix.length - 1; i >= 0; i--) if (bytes[start + i] !== prefix[i]) return false;
  return true;
}

/**
 * The encoded value of the entries in a run ({@link valueGroup}); undefined for objects without one. Not for values
 * that were cut.
 */
export function valueOfRun(run: Buffer, type: KeyType): Buffer | undefined {
  if (run[5] === ABSENT) return undefined;
  if (FIXED_BYTES[type] !== undefined) return run.subarray(6);
  const escaped = run.subarray(6, run.length - 1);
  return escaped.includes(0) ? unescapeZeros(escaped) : escaped;
}

function unescapeZeros(bytes: Buffer): Buffer {
  const out: number[] = [];
  for (let i = 0; i < bytes.length; i++) {
    out.push(bytes[i] ?? 0);
    if (bytes[i] === 0) i++;
  }
  return Buffer.from(out);
}

/** True when the entry's value was cut, see {@link VALUE_BYTES_MAX}. */
export function isCut(key: Buffer, type: KeyType): boolean {
  if (FIXED_BYTES[type] !== undefined || key.length <= 6 + VALUE_BYTES_MAX) return false;
  const end = 6 + keptBytes(key, 6);
  return key[end] === 0 && key[end + 1] === SEPARATOR;
}

/**
 * The common bytes of neighbouring entries that the keys do not order among each other: the value, or the kept part
 * of a cut value with its mark.
 */
export function valueGroup(key: Buffer, type: KeyType): Buffer {
  return runOfPrefix(prefixInEntry(key), type);
}

/** The run of entries that begin with an {@link entryPrefix}. */
export function runOfPrefix(prefix: Buffer, type: KeyType): Buffer {
  return isCut(prefix, type) ? prefix.subarray(0, 8 + keptBytes(prefix, 6)) : prefix;
}

/** True when a key in place belongs to a run ({@link valueGroup}). */
export function isInRun({ bytes, start, end }: KeyPlace, run: Buffer, type: KeyType): boolean {
  if (end - start < run.length) return false;
  // Neighbours mostly differ at the end.
  for (let i = run.length - 1; i >= 0; i--) if (bytes[start + i] !== run[i]) return false;
  if (FIXED_BYTES[type] !== undefined || run.at(-1) === SEPARATOR) return true;
  // Otherwise the string continues with an escaped zero, or was cut.
  return (bytes[start + run.length] ?? 0) < SEPARATOR;
}

/**
 * All entries of a run. An id follows a whole value. When an escape or a cut mark follows the same bytes, they belong
 * to a longer string.
 */
export function rangeOfRun(run: Buffer): KeyRange {
  return run.at(-1) === SEPARATOR ? under(run) : { start: run, end: Buffer.concat([run, END_OF_GROUP]) };
}

// ---- the change log ------------------------------------------------------------------------------------

export function logKey(revision: number): Buffer {
  const key = Buffer.allocUnsafe(7);
  key[0] = FAMILY.LOG;
  key.writeUIntBE(revision, 1, 6);
  return key;
}

export function logAfter(revision: number): KeyRange {
  return { start: logKey(revision + 1), end: LOG.end };
}

export function revisionInLogKey(key: Buffer): number {
  return readU48(key, 1);
}
