import { ServiceError } from '../errors.js';
import { ByteWriter, readU48, u48 } from '../lib/bytes.js';
import { formatSize } from '../lib/time/duration.js';
import type { Transaction } from './engine.js';
import { moveAllEntries } from './index/entries.js';
import type { ModelKind } from '../model/references/reference.js';
import { decodeIndexValues, type IndexValues } from './index/index-record.js';
import { countKey, logKey, nameKey, OBJECT_NAME_BYTES_MAX, objectKey } from './index/keys.js';
import {
  decodeLogHead,
  encodeLogEntry,
  encodeLogHead,
  keepSuperseded,
  timeAfter,
  LOG_HEAD_KEY,
  VERB_OF_TYPE,
  type CommitStamp,
  type LogEntry,
  type LogHead,
  type WriteVerb,
} from './log/log.js';
import { damaged, decodeRecord, encodeRecord, jsonIn, type StoredObject, valuesIn } from './object-record.js';
import type { ObjectText, ReadyObject } from './ready-object.js';
import { referrersIn, type Incoming } from './index/referrers.js';
import type { Table } from './table.js';

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
  readonly name: string;
  /** Undefined for a new one. */
  readonly old: StoredObject | undefined;
  /** Undefined for one that is gone. */
  readonly next: ObjectState | undefined;
}

/** What a change leaves of an object. */
export interface ObjectState {
  /** The object as JSON. */
  readonly json: Buffer;
  /** What the indexes hold of it. */
  readonly values: IndexValues;
}

/** What a commit needs besides the engine's transaction. */
export interface TransactionContext {
  readonly stamp: CommitStamp;
  /** A larger object is not stored. */
  readonly objectBytesMax: number;
  /** The table as it is now. */
  current(table: Table): Table;
  /** Undefined when the store knows no such model. */
  findTable(model: ModelKind): Table | undefined;
  /** What refers to objects of the table. */
  incoming(table: Table): readonly Incoming[];
  /** Why objects of the table cannot be written now. */
  problem(table: Table): ServiceError | undefined;
}

/**
 * The writes of one commit. Object, index entries, counts and log entry go together. Every change has a revision of
 * its own; those of one commit follow one another. Must end with {@link StoreTransaction.finish}. What is written
 * answers with the object as JSON.
 */
export class StoreTransaction {
  /** Told of each change as it is made. */
  onChange: ((change: ObjectChange) => void) | undefined;
  /** What the request asks for that the next changes are made by, for the log. Default: what becomes of the object. */
  verb: WriteVerb | undefined;
  /** Where the log stood before this commit. */
  private readonly head: LogHead;
  private readonly stamp: CommitStamp;
  private changes = 0;
  /** By which the log grows. */
  private grownBytes = 0;
  private readonly counts = new Map<number, ModelCount>();

  constructor(
    private readonly tx: Transaction,
    private readonly context: TransactionContext,
  ) {
    this.head = decodeLogHead(tx.get(LOG_HEAD_KEY));
    const { timeMs, user } = context.stamp;
    this.stamp = { timeMs: timeAfter(this.head, timeMs), user };
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
    const found = this.tx.get(nameKey(table.modelId, name));
    if (found === undefined) return undefined;
    const id = readU48(found);
    const record = this.tx.get(objectKey(table.modelId, id));
    if (record === undefined) throw damaged(table, name);
    return decodeRecord(table, id, record);
  }

  /** Undefined when the object is gone. */
  findById(table: Table, id: number): StoredObject | undefined {
    const record = this.tx.get(objectKey(table.modelId, id));
    return record && decodeRecord(table, id, record);
  }

  /** The model that a reference leads to; undefined when the store never knew it. */
  findTable(model: ModelKind): Table | undefined {
    return this.context.findTable(model);
  }

  /** What refers to objects of a model. */
  incoming(table: Table): readonly Incoming[] {
    return this.context.incoming(table);
  }

  /** See {@link referrersIn}. */
  referrers(incoming: Incoming, name: string, after?: number): Generator<number> {
    return referrersIn(this.tx, incoming, name, after);
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
    const count = this.getCount(table);
    this.counts.set(table.modelId, {
      objects: count.objects + 1,
      nextId: count.nextId + 1,
      revision: this.nextRevision,
    });
    this.tx.put(nameKey(table.modelId, metadata.name), u48(count.nextId));
    return this.write(object, count.nextId, undefined, this.context.objectBytesMax);
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
    const { id } = old;
    const unmigrated = table.unmigrated();
    if (unmigrated !== undefined) throw unmigrated;
    const count = this.getCount(table);
    const revision = this.nextRevision;
    this.counts.set(table.modelId, { ...count, objects: count.objects - 1, revision });
    const before = decodeIndexValues(valuesIn(old.record));
    moveAllEntries(this.tx, table, { name, id }, { before, after: undefined });
    this.tx.remove(nameKey(table.modelId, name));
    this.tx.remove(objectKey(table.modelId, id));
    const record = encodeRecord({ revision, name, values: NO_VALUES, json: last.json(String(revision)) });
    this.log({ type: 'DELETED', modelId: table.modelId, id }, old, record);
    this.onChange?.({ table, name, old, next: undefined });
    return jsonIn(record);
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
    const { timeMs } = this.stamp;
    const head = { revision, entries: entries + this.changes, trimmed, bytes: this.logBytes, timeMs };
    this.tx.put(LOG_HEAD_KEY, encodeLogHead(head));
    for (const [modelId, count] of this.counts) this.tx.put(countKey(modelId), encodeCount(count));
  }

  private getCount(table: Table): ModelCount {
    return this.counts.get(table.modelId) ?? decodeCount(this.tx.get(countKey(table.modelId)));
  }

  private change(object: ReadyObject, old: StoredObject, bytesMax: number): Buffer {
    const { table } = object;
    this.counts.set(table.modelId, { ...this.getCount(table), revision: this.nextRevision });
    return this.write(object, old.id, old, bytesMax);
  }

  private write(object: ReadyObject, id: number, old: StoredObject | undefined, bytesMax: number): Buffer {
    const { table, metadata } = object;
    const { name } = metadata;
    const problem = this.context.problem(table);
    if (problem !== undefined) throw problem;
    const revision = this.nextRevision;
    const values = object.values(String(revision));
    const record = encodeRecord({ revision, name, values, json: object.json(String(revision)) });
    const json = jsonIn(record);
    if (json.length > bytesMax) throw tooLarge(table, name, json.length, bytesMax);
    const before = old && decodeIndexValues(valuesIn(old.record));
    moveAllEntries(this.tx, table, { name, id }, { before, after: values });
    this.tx.put(objectKey(table.modelId, id), record);
    this.log({ type: old === undefined ? 'ADDED' : 'MODIFIED', modelId: table.modelId, id }, old, EMPTY);
    this.onChange?.({ table, name, old, next: { json, values } });
    return json;
  }

  /** @param record what the log must hold of the object afterwards */
  private log(
    what: Pick<LogEntry, 'type' | 'modelId' | 'id'>,
    old: StoredObject | undefined,
    record: Buffer,
  ): void {
    const revision = this.nextRevision;
    const kept = old === undefined ? 0 : keepSuperseded(this.tx, old.revision, revision, old.record);
    const bytes = encodeLogEntry({
      ...what,
      verb: this.verb ?? VERB_OF_TYPE[what.type],
      stamp: this.changes === 0 ? this.stamp : undefined,
      previous: old?.revision,
      previousRecord: old === undefined || kept > 0 ? EMPTY : old.record,
      next: undefined,
      record,
    });
    this.tx.put(logKey(revision), bytes);
    this.grownBytes += kept + bytes.length;
    this.changes++;
  }
}

const NO_VALUES: IndexValues = new Map();
const EMPTY = Buffer.alloc(0);

function tooLarge({ resource }: Table, name: string, bytes: number, bytesMax: number): ServiceError {
  const { group, kind } = resource;
  return new ServiceError(
    'RequestEntityTooLarge',
    `${kind} "${name}" would have ${bytes} bytes, more than ${formatSize(bytesMax)}; ` +
      'make it smaller, or raise maxObject (--max-object)',
    { group, kind, name },
  );
}
