import { excerpt, ServiceError } from '../errors.js';
import { decodeValue } from '../model/key-type.js';
import type { Transaction } from './engine.js';
import { sameValues } from './index-record.js';
import { entriesWith, entryKey, idInEntry, objectKey } from './keys.js';
import { nameForPeople } from './object-record.js';
import type { Table, TableIndex } from './table.js';

/** Entries have no value: all is in the key. */
const NOTHING = Buffer.alloc(0);

/** An object that has entries. */
interface EntryOwner {
  readonly name: string;
  readonly id: number;
}

interface Entry {
  readonly key: Buffer;
  /** The encoded value; undefined for the entry of an object that has none. */
  readonly indexed: Buffer | undefined;
}

/** The entries an object has in an index when it contributes these values. */
export function entriesOfObject(index: TableIndex, id: number, values: readonly Buffer[]): Entry[] {
  if (values.length === 0) {
    if (index.sparse) return [];
    const key = entryKey(index.id, index.keyType, undefined, { id, isSmallest: true, isLargest: true });
    return [{ key, indexed: undefined }];
  }
  return values.map((indexed, i) => {
    const object = { id, isSmallest: i === 0, isLargest: i === values.length - 1 };
    return { key: entryKey(index.id, index.keyType, indexed, object), indexed };
  });
}

/**
 * Moves an object's entries in one index from one list of values to another; undefined is "not in the index".
 * @throws ServiceError `AlreadyExists` when the index is unique and another object has one of the values
 */
export function moveEntries(
  tx: Transaction,
  table: Table,
  index: TableIndex,
  object: EntryOwner,
  before: readonly Buffer[] | undefined,
  after: readonly Buffer[] | undefined,
): void {
  if (before !== undefined && after !== undefined && sameValues(before, after)) return;
  const now = after === undefined ? [] : entriesOfObject(index, object.id, after);
  const old = before === undefined ? [] : entriesOfObject(index, object.id, before);
  const kept = withoutKept(tx, old, now);
  for (const entry of now) {
    if (kept?.has(textOf(entry.key)) === true) continue;
    if (index.unique && entry.indexed !== undefined) refuseTaken(tx, table, index, object, entry.indexed);
    tx.put(entry.key, NOTHING);
  }
}

/** Removes old entries that are not wanted any more; answers with the old ones, if there are any. */
function withoutKept(
  tx: Transaction,
  old: readonly Entry[],
  now: readonly Entry[],
): ReadonlySet<string> | undefined {
  if (old.length === 0) return undefined;
  const kept = new Set(now.map((entry) => textOf(entry.key)));
  for (const entry of old) {
    if (!kept.has(textOf(entry.key))) tx.remove(entry.key);
  }
  return new Set(old.map((entry) => textOf(entry.key)));
}

function textOf(key: Buffer): string {
  return key.toString('latin1');
}

function refuseTaken(
  tx: Transaction,
  table: Table,
  index: TableIndex,
  { name, id }: EntryOwner,
  value: Buffer,
): void {
  const other = otherHolder(tx, table, index, { value, id });
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

/** The name of another object that has a value in an index; undefined when there is none. */
function otherHolder(
  tx: Transaction,
  table: Table,
  index: TableIndex,
  { value, id }: { readonly value: Buffer; readonly id: number },
): string | undefined {
  const holder = tx.first(entriesWith(index.id, index.keyType, value));
  const other = holder && idInEntry(holder.key);
  if (other === undefined || other === id) return undefined;
  const record = tx.get(objectKey(table.modelId, other));
  return record === undefined ? `#${other}` : nameForPeople(other, record);
}

/** A value that two objects have in a unique index. */
export interface Duplicate {
  readonly index: string;
  readonly message: string;
}

/** The values of an object that others have already in a unique index. */
export function duplicatesOf(
  tx: Transaction,
  table: Table,
  index: TableIndex,
  { name, id, values }: EntryOwner & { readonly values: readonly Buffer[] },
): Duplicate[] {
  if (!index.unique) return [];
  return values.flatMap((value) => {
    const other = otherHolder(tx, table, index, { value, id });
    if (other === undefined) return [];
    return [{ index: index.name, message: `${shownValue(index, value)} of "${other}" and "${name}"` }];
  });
}

function shownValue({ keyType }: TableIndex, value: Buffer): string {
  return `"${excerpt(String(decodeValue(keyType, value)))}"`;
}
