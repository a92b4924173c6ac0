import { formatExcerpt, ServiceError, type Cause } from '../../errors.js';
import { decodeValue } from '../../model/key-type.js';
import { splitFullName } from '../../model/full-name.js';
import type { KeyRange, Transaction } from '../engine.js';
import { sameValues, type IndexValues } from './index-record.js';
import { afterKey, entriesWith, entryKey, idInEntry, objectKey } from './keys.js';
import { nameForPeople } from '../object-record.js';
import type { Table, TableIndex } from '../table.js';
import { moveText } from '../text/write.js';

/** Entries have no value: the key contains everything. */
const NOTHING = Buffer.alloc(0);

interface EntryOwner {
  /** The full name. */
  readonly name: string;
  readonly id: number;
}

/** Ids of the objects with entries in a range, in the order of the entries, as of now within a commit. */
export function* idsOfEntries(tx: Transaction, range: KeyRange): Generator<number> {
  for (let rest = range; ;) {
    const pair = tx.first(rest);
    if (pair === undefined) return;
    yield idInEntry(pair.key);
    rest = afterKey(rest, pair.key);
  }
}

/** The keys of an object's entries in an index, for its values. A text index has rows instead. */
export function entriesOfObject(index: TableIndex, id: number, values: readonly Buffer[]): Buffer[] {
  if (index.keyType === 'text') return [];
  if (values.length === 0) {
    if (index.sparse) return [];
    return [entryKey(index.id, index.keyType, undefined, { id, isSmallest: true, isLargest: true })];
  }
  const last = values.length - 1;
  return values.map((value, i) =>
    entryKey(index.id, index.keyType, value, { id, isSmallest: i === 0, isLargest: i === last }),
  );
}

/** The values of an object in all indexes of a table, before and after a change; undefined means none. */
export interface RecordMove {
  readonly before: IndexValues | undefined;
  readonly after: IndexValues | undefined;
}

/**
 * Moves an object's entries in all indexes of its table.
 * @throws ServiceError `AlreadyExists`, before any write, when another object of the namespace has one of the values in
 * a unique index
 */
export function moveAllEntries(
  tx: Transaction,
  table: Table,
  object: EntryOwner,
  { before, after }: RecordMove,
): void {
  const getValueMove = ({ id }: TableIndex): ValueMove => ({
    before: before?.get(id),
    after: after?.get(id),
  });
  for (const index of table.indexes)
    if (index.unique) refuseTakenValues(tx, table, index, { ...object, ...getValueMove(index) });
  for (const index of table.indexes) {
    if (index.keyType === 'text') moveText(tx, index.id, object.id, getValueMove(index));
    else moveEntries(tx, index, object.id, getValueMove(index));
  }
}

function refuseTakenValues(
  tx: Transaction,
  table: Table,
  index: TableIndex,
  object: EntryOwner & ValueMove,
): void {
  for (const value of object.after ?? [])
    if (object.before?.some((had) => had.equals(value)) !== true)
      refuseTaken(tx, table, index, { name: object.name, id: object.id, value });
}

/** The values of an object in an index, before and after; undefined means "not in the index". */
export interface ValueMove {
  readonly before: readonly Buffer[] | undefined;
  readonly after: readonly Buffer[] | undefined;
}

/** Moves an object's entries in one index, without a check for other objects with the values. */
export function moveEntries(
  tx: Transaction,
  index: TableIndex,
  id: number,
  { before, after }: ValueMove,
): void {
  if (before !== undefined && after !== undefined && sameValues(before, after)) return;
  const now = after === undefined ? [] : entriesOfObject(index, id, after);
  const old = before === undefined ? [] : entriesOfObject(index, id, before);
  const kept = withoutKept(tx, old, now);
  for (const key of now) if (kept?.has(formatText(key)) !== true) tx.put(key, NOTHING);
}

/** Removes old entries that are not needed any more. Returns the remaining ones, if any. */
function withoutKept(
  tx: Transaction,
  old: readonly Buffer[],
  now: readonly Buffer[],
): ReadonlySet<string> | undefined {
  if (old.length === 0) return undefined;
  const kept = new Set(now.map(formatText));
  for (const key of old) if (!kept.has(formatText(key))) tx.remove(key);
  return new Set(old.map(formatText));
}

function formatText(key: Buffer): string {
  return key.toString('latin1');
}

function refuseTaken(tx: Transaction, table: Table, index: TableIndex, claim: Claim): void {
  const other = otherHolder(tx, table, index, claim);
  if (other === undefined) return;
  const { name, value } = claim;
  const { group, kind } = table.resource;
  const cause = takenCause(table, index, { value, holder: other });
  const message = `${kind} "${formatExcerpt(name)}": ${cause.field} ${cause.message}`;
  throw new ServiceError('AlreadyExists', message, { group, kind, name, causes: [cause] });
}

/**
 * The cause for a value in a unique index that another object has.
 * @param taken the value, and the name of the other object
 */
export function takenCause(
  { resource }: Table,
  index: TableIndex,
  { value, holder }: { readonly value: Buffer; readonly holder: string },
): Cause {
  const message = `${shownValue(index, value)} ${USED_BY} ${resource.kind} "${formatExcerpt(holder)}"`;
  return { field: index.name, reason: 'FieldValueDuplicate', message };
}

const USED_BY = 'is already used by';

/** A cause of {@link takenCause} without the name of the other object; other causes stay. */
export function withoutHolder(cause: Cause): Cause {
  const at = cause.reason === 'FieldValueDuplicate' ? cause.message.lastIndexOf(USED_BY) : -1;
  return at < 0 ? cause : { ...cause, message: `${cause.message.slice(0, at)}${USED_BY} another object` };
}

/** A value that an object wants for itself. */
interface Claim extends EntryOwner {
  readonly value: Buffer;
}

/** The name of another object of the namespace with a value in an index; undefined when none has it. */
function otherHolder(
  tx: Transaction,
  table: Table,
  index: TableIndex,
  { value, id, name }: Claim,
): string | undefined {
  for (const other of idsOfEntries(tx, entriesWith(index.id, index.keyType, value))) {
    if (other === id) continue;
    const record = tx.get(objectKey(table.modelId, other));
    const holder = record === undefined ? `#${other}` : nameForPeople(other, record);
    if (isRival(holder, name)) return holder;
  }
  return undefined;
}

/** True for objects of one model that must not share a unique value: those of other namespaces may. */
export function isRival(holder: string, name: string): boolean {
  const { namespace } = splitFullName(holder);
  return namespace === undefined || namespace === splitFullName(name).namespace;
}

/** A value that two objects have in a unique index. */
export interface Duplicate {
  readonly index: string;
  readonly message: string;
}

/** The values of an object that other objects already have. */
export function getDuplicates(
  tx: Transaction,
  table: Table,
  index: TableIndex,
  { name, id, values }: EntryOwner & { readonly values: readonly Buffer[] },
): Duplicate[] {
  if (!index.unique) return [];
  return values.flatMap((value) => {
    const other = otherHolder(tx, table, index, { value, id, name });
    if (other === undefined) return [];
    return [{ index: index.name, message: `${shownValue(index, value)} of "${other}" and "${name}"` }];
  });
}

function shownValue({ keyType }: TableIndex, value: Buffer): string {
  return `"${formatExcerpt(String(decodeValue(keyType, value)))}"`;
}
