import { ServiceError } from '../errors.js';
import { ByteWriter, readU48 } from '../lib/bytes.js';
import { formatSize } from '../lib/duration.js';
import type { ExtensionObject } from '../model/object.js';
import type { Transaction } from './engine.js';
import { moveEntries } from './entries.js';
import { countKey, logKey, nameKey, OBJECT_NAME_BYTES_MAX, objectKey, indexRecordKey } from './keys.js';
import {
  decodeLogHead,
  encodeLogEntry,
  encodeLogHead,
  keepSuperseded,
  LOG_HEAD_KEY,
  type ChangeType,
  type LogHead,
} from './log.js';
import type { ObjectText, ReadyObject } from './ready-object.js';
import { decodeIndexRecord, encodeIndexRecord, type IndexRecord } from './index-record.js';
import type { Table } from './table.js';

/** An object's record: the revision of its last change, then its JSON. */
export interface StoredObject {
  readonly revision: number;
  /** The object as JSON in UTF-8. */
  readonly bytes: Buffer;
}

export function decodeObject(record: Buffer): StoredObject {
  return { revision: readU48(record), bytes: record.subarray(6) };
}

function encodeObject(revision: number, json: string): Buffer {
  // Measuring the text first would cost as much again as writing it.
  const room =
    json.length * UTF8_BYTES_MAX > SCRATCH.length
      ? Buffer.allocUnsafe(json.length * UTF8_BYTES_MAX)
      : SCRATCH;
  const length = room.write(json);
  const out = Buffer.allocUnsafe(6 + length);
  out.writeUIntBE(revision, 0, 6);
  room.copy(out, 6, 0, length);
  return out;
}

/** UTF-8 bytes that one UTF-16 unit can take. */
const UTF8_BYTES_MAX = 3;
const SCRATCH = Buffer.allocUnsafeSlow(64 * 1024);

export function parseObject(bytes: Uint8Array): ExtensionObject {
  return JSON.parse(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(),
  ) as ExtensionObject;
}

/** How many objects a model has, the next object's id, and the revision of the model's last change. */
export interface ModelCount {
  readonly objects: number;
  readonly nextId: number;
  readonly revision: number;
}

export const NO_OBJECTS: ModelCount = { objects: 0, nextId: 1, revision: 0 };

export function decodeCount(bytes: Buffer | undefined): ModelCount {
  if (bytes === undefined) return NO_OBJECTS;
  return { objects: readU48(bytes, 0), nextId: readU48(bytes, 6), revision: readU48(bytes, 12) };
}

function encodeCount(count: ModelCount): Buffer {
  return new ByteWriter(18).u48(count.objects).u48(count.nextId).u48(count.revision).done();
}

/** What a commit does to one object. */
export interface ObjectChange {
  readonly table: Table;
  /** Undefined for a new one. */
  readonly old: StoredObject | undefined;
  /** The object as JSON; undefined for one that is gone. */
  readonly next: Buffer | undefined;
}

/** What a commit needs besides the engine's transaction. */
export interface TransactionContext {
  /** When the commit is, in milliseconds since 1970. */
  readonly timeMs: number;
  /** A larger object is not stored. */
  readonly objectBytesMax: number;
  /** The table as it is now. */
  current(table: Table): Table;
}

/**
 * The writes of one commit. Object, index entries, counts and log entry go together. Every change has a revision of
 * its own; those of one commit follow one another. Must end with {@link StoreTransaction.finish}. What is written
 * answers with the object as JSON.
 */
export class StoreTransaction {
  /** Told of each change as it is made. */
  onChange: ((change: ObjectChange) => void) | undefined;
  /** Where the log stood before this commit. */
  private readonly head: LogHead;
  private changes = 0;
  /** By which the log grows. */
  private grownBytes = 0;
  private readonly counts = new Map<number, ModelCount>();

  constructor(
    private readonly tx: Transaction,
    private readonly context: TransactionContext,
  ) {
    this.head = decodeLogHead(tx.get(LOG_HEAD_KEY));
  }

  /** The revision that the next change of this commit will have. */
  get nextRevision(): number {
    return this.lastRevision + 1;
  }

  /** The revision of the last change of the store, those of this commit included. */
  get lastRevision(): number {
    return this.head.revision + this.changes;
  }

  /** Of the last change of a model before this commit. */
  revisionBefore(table: Table): number {
    return decodeCount(this.tx.get(countKey(table.modelId))).revision;
  }

  /** Undefined when there is no such object. */
  find(table: Table, name: string): StoredObject | undefined {
    if (Buffer.byteLength(name) > OBJECT_NAME_BYTES_MAX) return undefined;
    const record = this.tx.get(objectKey(table.modelId, name));
    return record === undefined ? undefined : decodeObject(record);
  }

  /** The table as it is in this commit: objects must be made ready for it. */
  current(table: Table): Table {
    return this.context.current(table);
  }

  /**
   * Stores a new object. The caller has made sure, with {@link find}, that there is none of its name.
   * @throws ServiceError `RequestEntityTooLarge`
   */
  insert(object: ReadyObject): Buffer {
    const { table, metadata } = object;
    const count = this.countOf(table);
    this.counts.set(table.modelId, {
      objects: count.objects + 1,
      nextId: count.nextId + 1,
      revision: this.nextRevision,
    });
    this.tx.put(nameKey(table.modelId, count.nextId), Buffer.from(metadata.name));
    const change = { type: 'ADDED', id: count.nextId, before: undefined, previousObject: EMPTY } as const;
    const json = this.write(object, change, this.context.objectBytesMax);
    this.onChange?.({ table, old: undefined, next: json });
    return json;
  }

  /**
   * Stores the next state of an object.
   * @throws ServiceError `RequestEntityTooLarge` when it is too large, and larger than it was
   */
  replace(object: ReadyObject, old: StoredObject): Buffer {
    return this.change(object, old, Math.max(this.context.objectBytesMax, old.bytes.length));
  }

  /** Stores an object that was declared deleted, whatever its size. */
  mark(object: ReadyObject, old: StoredObject): Buffer {
    return this.change(object, old, Infinity);
  }

  /** Removes an object. `last` is the state it is left in. */
  remove(table: Table, last: ObjectText, old: StoredObject): Buffer {
    const { name } = last.metadata;
    const row = this.recordOf(table, name);
    const count = this.countOf(table);
    this.counts.set(table.modelId, { ...count, objects: count.objects - 1, revision: this.nextRevision });
    const previousObject = this.supersede(row, old);
    for (const index of table.indexes) {
      moveEntries(this.tx, table, index, { name, id: row.id }, row.values.get(index.id), undefined);
    }
    this.tx.remove(nameKey(table.modelId, row.id));
    this.tx.remove(indexRecordKey(table.modelId, name));
    this.tx.remove(objectKey(table.modelId, name));
    const object = Buffer.from(last.json(String(this.nextRevision)));
    const change = { type: 'DELETED', id: row.id, before: row, previousObject } as const;
    this.log(table, name, change, object);
    this.onChange?.({ table, old, next: undefined });
    return object;
  }

  /** Moves the bytes of an object that is about to change into the log. @returns what its new entry must hold of them */
  private supersede(row: IndexRecord, old: StoredObject): Buffer {
    const grown = keepSuperseded(this.tx, row.revision, this.nextRevision, old.bytes);
    this.grownBytes += grown;
    return grown > 0 ? EMPTY : old.bytes;
  }

  /** What the log takes after this commit. */
  get logBytes(): number {
    return this.head.bytes + this.grownBytes;
  }

  /** Writes what belongs to the commit as a whole. */
  finish(): void {
    if (this.changes === 0) return;
    const { entries, trimmed } = this.head;
    const revision = this.lastRevision;
    const head = { revision, entries: entries + this.changes, trimmed, bytes: this.logBytes };
    this.tx.put(LOG_HEAD_KEY, encodeLogHead(head));
    for (const [modelId, count] of this.counts) this.tx.put(countKey(modelId), encodeCount(count));
  }

  private countOf(table: Table): ModelCount {
    return this.counts.get(table.modelId) ?? decodeCount(this.tx.get(countKey(table.modelId)));
  }

  private recordOf(table: Table, name: string): IndexRecord {
    const bytes = this.tx.get(indexRecordKey(table.modelId, name));
    if (bytes === undefined)
      throw new Error(`index record of ${table.resource.kind} "${name}" is missing; run \`xsvc check\``);
    return decodeIndexRecord(bytes);
  }

  private change(object: ReadyObject, old: StoredObject, bytesMax: number): Buffer {
    const { table, metadata } = object;
    const before = this.recordOf(table, metadata.name);
    this.counts.set(table.modelId, { ...this.countOf(table), revision: this.nextRevision });
    const previousObject = this.supersede(before, old);
    const json = this.write(object, { type: 'MODIFIED', id: before.id, before, previousObject }, bytesMax);
    this.onChange?.({ table, old, next: json });
    return json;
  }

  private write(object: ReadyObject, change: Change, bytesMax: number): Buffer {
    const { table, metadata } = object;
    const problem = table.problem();
    if (problem !== undefined) throw problem;
    const { name } = metadata;
    const { id, before } = change;
    const revision = this.nextRevision;
    const record = encodeObject(revision, object.json(String(revision)));
    const { bytes } = decodeObject(record);
    if (bytes.length > bytesMax) throw tooLarge(table, name, bytes.length, bytesMax);
    const values = object.values(String(revision));
    for (const index of table.indexes) {
      moveEntries(this.tx, table, index, { name, id }, before?.values.get(index.id), values.get(index.id));
    }
    this.tx.put(objectKey(table.modelId, name), record);
    this.tx.put(indexRecordKey(table.modelId, name), encodeIndexRecord({ id, revision, values }));
    this.log(table, name, change, EMPTY);
    return bytes;
  }

  private log({ modelId }: Table, name: string, change: Change, object: Buffer): void {
    const { type, before, previousObject } = change;
    const previousRecord = before === undefined ? EMPTY : encodeIndexRecord(before);
    const { timeMs } = this.context;
    const entry = { type, modelId, name, timeMs, previousRecord, previousObject, next: undefined, object };
    const bytes = encodeLogEntry(entry);
    this.tx.put(logKey(this.nextRevision), bytes);
    this.grownBytes += bytes.length;
    this.changes++;
  }
}

/** One change of one object. */
interface Change {
  readonly type: ChangeType;
  /** Of the object. */
  readonly id: number;
  /** What the indexes held of it; undefined for a new one. */
  readonly before: IndexRecord | undefined;
  /** What the log must hold of the object before. */
  readonly previousObject: Buffer;
}

const EMPTY = Buffer.alloc(0);

function tooLarge({ resource }: Table, name: string, bytes: number, bytesMax: number): ServiceError {
  const { group, kind } = resource;
  return new ServiceError(
    'RequestEntityTooLarge',
    `${kind} "${name}" would be an object of ${bytes} bytes, more than ${formatSize(bytesMax)}; ` +
      'make it smaller, or allow larger ones with maxObject (--max-object)',
    { group, kind, name },
  );
}
