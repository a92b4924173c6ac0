import { excerpt, ServiceError } from '../errors.js';
import { readU48 } from '../lib/bytes.js';
import { decodeValue } from '../model/key-type.js';
import type { Transaction } from './engine.js';
import { sameValues } from './index-record.js';
import { entriesWith, entryKey, nameInEntry } from './keys.js';
import type { Table, TableIndex } from './table.js';

/**
 * The value of an index entry: the object's id in 46 bits; the two highest bits say whether the entry is the
 * object's smallest and its largest in this index. A walk in order takes each object once by looking at one.
 */
const SMALLEST = 0x80;
const LARGEST = 0x40;

function entryValue(id: number, smallest: boolean, largest: boolean): Buffer {
  const out = Buffer.allocUnsafe(6);
  out.writeUIntBE(id, 0, 6);
  out[0] = (out[0] ?? 0) | (smallest ? SMALLEST : 0) | (largest ? LARGEST : 0);
  return out;
}

export function isSmallest(value: Uint8Array): boolean {
  return ((value[0] ?? 0) & SMALLEST) !== 0;
}

export function isLargest(value: Uint8Array): boolean {
  return ((value[0] ?? 0) & LARGEST) !== 0;
}

export function idInEntry(value: Uint8Array): number {
  return readU48(value) % 0x400000000000;
}

interface Entry {
  readonly key: Buffer;
  readonly value: Buffer;
  /** The encoded value; undefined for the entry of an object that has none. */
  readonly indexed: Buffer | undefined;
}

/** The entries an object has in an index when it contributes these values. */
export function entriesOfObject(
  index: TableIndex,
  name: string,
  id: number,
  values: readonly Buffer[],
): Entry[] {
  if (values.length === 0) {
    if (index.sparse) return [];
    const key = entryKey(index.id, index.keyType, undefined, name);
    return [{ key, value: entryValue(id, true, true), indexed: undefined }];
  }
  return values.map((indexed, i) => ({
    key: entryKey(index.id, index.keyType, indexed, name),
    value: entryValue(id, i === 0, i === values.length - 1),
    indexed,
  }));
}

/**
 * Moves an object's entries in one index from one list of values to another; undefined is "not in the index".
 * @throws ServiceError `AlreadyExists` when the index is unique and another object has one of the values
 */
export function moveEntries(
  tx: Transaction,
  table: Table,
  index: TableIndex,
  object: { readonly name: string; readonly id: number },
  before: readonly Buffer[] | undefined,
  after: readonly Buffer[] | undefined,
): void {
  if (before !== undefined && after !== undefined && sameValues(before, after)) return;
  const now = after === undefined ? [] : entriesOfObject(index, object.name, object.id, after);
  const old = before === undefined ? [] : entriesOfObject(index, object.name, object.id, before);
  const stored = withoutKept(tx, old, now);
  for (const entry of now) {
    if (stored?.get(textOf(entry.key))?.equals(entry.value) === true) continue;
    if (index.unique && entry.indexed !== undefined)
      refuseTaken(tx, table, index, object.name, entry.indexed);
    tx.put(entry.key, entry.value);
  }
}

/** Removes old entries that are not wanted any more; answers with the old ones by key, if there are any. */
function withoutKept(
  tx: Transaction,
  old: readonly Entry[],
  now: readonly Entry[],
): Map<string, Buffer> | undefined {
  if (old.length === 0) return undefined;
  const kept = new Set(now.map((entry) => textOf(entry.key)));
  for (const entry of old) {
    if (!kept.has(textOf(entry.key))) tx.remove(entry.key);
  }
  return new Map(old.map((entry) => [textOf(entry.key), entry.value]));
}

function textOf(key: Buffer): string {
  return key.toString('latin1');
}

function refuseTaken(tx: Transaction, table: Table, index: TableIndex, name: string, value: Buffer): void {
  const other = otherHolder(tx, index, name, value);
  if (other === undefined) return;
  const { group, kind } = table.resource;
  const message = `${shownValue(index, value)} is already used by ${kind} "${excerpt(other)}"`;
  throw new ServiceError('AlreadyExists', `${kind} "${excerpt(name)}": ${index.name} ${message}`, {
    group,
    kind,
    name,
    causes: [{ field: index.name, reason: 'FieldValueDuplicate', message }],
  });
}

/** Another object that has a value in an index; undefined when there is none. */
function otherHolder(tx: Transaction, index: TableIndex, name: string, value: Buffer): string | undefined {
  const holder = tx.first(entriesWith(index.id, index.keyType, value));
  const other = holder && nameInEntry(holder.key, index.keyType);
  return other === name ? undefined : other;
}

/** A value that two objects have in a unique index. */
export interface Duplicate {
  readonly index: string;
  readonly message: string;
}

/** The values of an object that others have already in a unique index. */
export function duplicatesOf(
  tx: Transaction,
  index: TableIndex,
  name: string,
  values: readonly Buffer[],
): Duplicate[] {
  if (!index.unique) return [];
  return values.flatMap((value) => {
    const other = otherHolder(tx, index, name, value);
    if (other === undefined) return [];
    return [{ index: index.name, message: `${shownValue(index, value)} of "${other}" and "${name}"` }];
  });
}

function shownValue({ keyType }: TableIndex, value: Buffer): string {
  return `"${excerpt(String(decodeValue(keyType, value)))}"`;
}
