import { ByteWriter, readU48 } from '../lib/bytes.js';
import type { ExtensionObject } from '../model/object.js';
import type { Transaction } from './engine.js';
import { moveEntries } from './entries.js';
import { decodeIndexRecord, encodeIndexRecord, type IndexRecord } from './index-record.js';
import { countKey, indexRecordKey, logKey, nameKey, OBJECT_NAME_BYTES_MAX, objectKey } from './keys.js';
import {
  type ChangeType,
  decodeLogHead,
  encodeLogEntry,
  encodeLogHead,
  keepSuperseded,
  LOG_HEAD_KEY,
  type LogHead,
} from './log.js';
import { contributedValues, type Table } from './table.js';

/** An object's record: the revision of its last change, then its JSON. */
export interface StoredObject {
  readonly revision: number;
  /** The object as JSON in UTF-8. */
  readonly bytes: Buffer;
}

export function decodeObject(record: Buffer): StoredObject {
  return { revision: readU48(record), bytes: record.subarray(6) };
}

function encodeObject(revision: number, object: ExtensionObject): Buffer {
  const json = JSON.stringify(object);
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
  /** Undefined for one that is gone. */
  readonly next: ExtensionObject | undefined;
}

/**
 * The writes of one commit. Object, index entries, counts and log entry go together. Every change has a revision of
 * its own; those of one commit follow one another. Must end with {@link StoreTransaction.finish}.
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
    private readonly timeMs: number,
    private readonly current: (table: Table) => Table,
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

  /** Stores a new object. The caller has made sure, with {@link find}, that there is none of its name. */
  insert(table: Table, object: ExtensionObject): void {
    const count = this.countOf(table);
    this.counts.set(table.modelId, {
      objects: count.objects + 1,
      nextId: count.nextId + 1,
      revision: this.nextRevision,
    });
    this.tx.put(nameKey(table.modelId, count.nextId), Buffer.from(object.metadata.name));
    this.write(table, 'ADDED', object, count.nextId, undefined, EMPTY);
    this.onChange?.({ table, old: undefined, next: object });
  }

  /** Stores the next state of an object. */
  replace(table: Table, old: StoredObject, object: ExtensionObject): void {
    const row = this.recordOf(table, object.metadata.name);
    this.counts.set(table.modelId, { ...this.countOf(table), revision: this.nextRevision });
    this.write(table, 'MODIFIED', object, row.id, row, this.supersede(row, old));
    this.onChange?.({ table, old, next: object });
  }

  /** Removes an object. `last` is the state it is left in, with `nextRevision`. */
  remove(table: Table, old: StoredObject, last: ExtensionObject): void {
    const fresh = this.current(table);
    const name = last.metadata.name;
    const row = this.recordOf(fresh, name);
    const count = this.countOf(fresh);
    this.counts.set(fresh.modelId, { ...count, objects: count.objects - 1, revision: this.nextRevision });
    const kept = this.supersede(row, old);
    for (const index of fresh.indexes) {
      moveEntries(this.tx, fresh, index, { name, id: row.id }, row.values.get(index.id), undefined);
    }
    this.tx.remove(nameKey(fresh.modelId, row.id));
    this.tx.remove(indexRecordKey(fresh.modelId, name));
    this.tx.remove(objectKey(fresh.modelId, name));
    this.log('DELETED', fresh, name, row, kept, Buffer.from(JSON.stringify(last)));
    this.onChange?.({ table, old, next: undefined });
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
      throw new Error(`row of ${table.resource.kind} "${name}" is missing; run \`xsvc check\``);
    return decodeIndexRecord(bytes);
  }

  private write(
    table: Table,
    type: ChangeType,
    object: ExtensionObject,
    id: number,
    before: IndexRecord | undefined,
    previousObject: Buffer,
  ): void {
    const fresh = this.current(table);
    const problem = fresh.problem();
    if (problem !== undefined) throw problem;
    const name = object.metadata.name;
    const values = new Map<number, readonly Buffer[]>();
    for (const index of fresh.indexes) {
      const now = index.declared === undefined ? [] : contributedValues(index.declared, object);
      values.set(index.id, now);
      moveEntries(this.tx, fresh, index, { name, id }, before?.values.get(index.id), now);
    }
    const revision = this.nextRevision;
    const row: IndexRecord = { id, revision, values };
    this.tx.put(objectKey(fresh.modelId, name), encodeObject(revision, object));
    this.tx.put(indexRecordKey(fresh.modelId, name), encodeIndexRecord(row));
    this.log(type, fresh, name, before, previousObject, EMPTY);
  }

  private log(
    type: ChangeType,
    table: Table,
    name: string,
    before: IndexRecord | undefined,
    previousObject: Buffer,
    object: Buffer,
  ): void {
    const entry = {
      type,
      modelId: table.modelId,
      name,
      timeMs: this.timeMs,
      previousRecord: before === undefined ? EMPTY : encodeIndexRecord(before),
      previousObject,
      next: undefined,
      object,
    };
    const bytes = encodeLogEntry(entry);
    this.tx.put(logKey(this.nextRevision), bytes);
    this.grownBytes += bytes.length;
    this.changes++;
  }
}

const EMPTY = Buffer.alloc(0);
