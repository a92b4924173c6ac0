import { ServiceError } from '../errors.js';
import { ByteWriter, readU48, u48 } from '../lib/bytes.js';
import { formatSize } from '../lib/time/duration.js';
import type { CommittedChange } from './commit-observer.js';
import type { Transaction } from './engine.js';
import { moveAllEntries } from './index/entries.js';
import { fullName } from '../model/full-name.js';
import type { ModelKind } from '../model/references/reference.js';
import { largestObject } from '../model/resource.js';
import { decodeIndexValues, type IndexValues } from './index/index-record.js';
import { countKey, logKey, nameKey, FULL_NAME_BYTES_MAX, objectKey } from './index/keys.js';
import {
  decodeLogHead,
  encodeLogEntry,
  encodeLogHead,
  keepSuperseded,
  timeAfter,
  LOG_HEAD_KEY,
  VERB_OF_TYPE,
  type ChangeType,
  type CommitStamp,
  type LogEntry,
  type LogHead,
  type WriteVerb,
} from './log/log.js';
import { damaged, decodeRecord, encodeRecord, type StoredObject, valuesIn } from './object-record.js';
import type { ObjectText, ReadyObject } from './ready-object.js';
import { referrersIn, type Incoming } from './index/referrers.js';
import type { Table } from './table.js';
import { withoutWords } from './text/write.js';

/** The number of objects of a model, the id of the next one, and the revision of the model's last change. */
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

export function encodeCount(count: ModelCount): Buffer {
  return new ByteWriter(18).u48(count.objects).u48(count.nextId).u48(count.revision).done();
}

/** The change of one object in a commit. */
export interface WrittenChange {
  readonly table: Table;
  readonly name: string;
  /** Undefined for a new object. */
  readonly old: StoredObject | undefined;
  /** Undefined for a removed object. */
  readonly next: ObjectState | undefined;
}

/** The state of an object after a change. */
export interface ObjectState {
  readonly json: Buffer;
  readonly values: IndexValues;
}

/** The requirements of a commit, in addition to the engine's transaction. */
export interface TransactionContext {
  readonly stamp: CommitStamp;
  /** Limit for the size of an object. */
  readonly objectBytesMax: number;
  current(table: Table): Table;
  /** Undefined when the store does not know the model. */
  findTable(model: ModelKind): Table | undefined;
  /** The references to objects of the table. */
  incoming(table: Table): readonly Incoming[];
  /** The error when objects of the table cannot be written now. */
  problem(table: Table): ServiceError | undefined;
  /** Receives each change. Default: nobody needs them. */
  readonly changes?: CommittedChange[] | undefined;
}

/**
 * The writes of one commit. Object, index entries, counts and log entry are written together. Every change has a
 * separate revision; those of one commit are consecutive. Must end with {@link StoreTransaction.finish}. Writes
 * return the object as JSON.
 */
export class StoreTransaction {
  onChange: ((change: WrittenChange) => void) | undefined;
  /** The verb of the request behind the next changes, for the log. Default: derived from the change. */
  verb: WriteVerb | undefined;
  /** See {@link CommittedChange.item}, for the next changes. */
  item: number | undefined;
  /** The state of the log before this commit. */
  readonly #head: LogHead;
  readonly #stamp: CommitStamp;
  #changes = 0;
  /** Growth of the log in this commit, in bytes. */
  #grownBytes = 0;
  readonly #counts = new Map<number, ModelCount>();
  readonly #written = new Set<Table>();

  constructor(
    private readonly tx: Transaction,
    private readonly context: TransactionContext,
  ) {
    this.#head = decodeLogHead(tx.get(LOG_HEAD_KEY));
    const { timeMs } = context.stamp;
    this.#stamp = { ...context.stamp, timeMs: timeAfter(this.#head, timeMs) };
  }

  /** The revision of the next change of this commit. */
  get nextRevision(): number {
    return this.lastRevision + 1;
  }

  /** The revision of the last change of the store, including those of this commit. */
  get lastRevision(): number {
    return this.#head.revision + this.#changes;
  }

  /** The revision of a model's last change before this commit. */
  revisionBefore(table: Table): number {
    return decodeCount(this.tx.get(countKey(table.modelId))).revision;
  }

  /** Undefined when the object does not exist. */
  find(table: Table, name: string): StoredObject | undefined {
    if (Buffer.byteLength(name) > FULL_NAME_BYTES_MAX) return undefined;
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

  /** The target model of a reference; undefined when the store never knew it. */
  findTable(model: ModelKind): Table | undefined {
    return this.context.findTable(model);
  }

  /** The references to objects of a model. */
  incoming(table: Table): readonly Incoming[] {
    return this.context.incoming(table);
  }

  /** See {@link referrersIn}. */
  referrers(incoming: Incoming, name: string, after?: number): Generator<number> {
    return referrersIn(this.tx, incoming, name, after);
  }

  /** The table as of this commit. Objects must be prepared for it. */
  current(table: Table): Table {
    return this.context.current(table);
  }

  /**
   * Stores a new object. The caller has checked with {@link find} that its name is free.
   * @throws ServiceError `RequestEntityTooLarge`
   */
  insert(object: ReadyObject): Buffer {
    const { table } = object;
    const count = this.#getCount(table);
    this.#counts.set(table.modelId, {
      objects: count.objects + 1,
      nextId: count.nextId + 1,
      revision: this.nextRevision,
    });
    this.tx.put(nameKey(table.modelId, fullName(table.resource, object.metadata)), u48(count.nextId));
    return this.#write(object, count.nextId, undefined, this.#bytesMax(table));
  }

  /**
   * Stores the next state of an object.
   * @throws ServiceError `RequestEntityTooLarge` when it is too large, and larger than before
   */
  replace(object: ReadyObject, old: StoredObject): Buffer {
    return this.#change(object, old, Math.max(this.#bytesMax(object.table), old.bytes.length));
  }

  /** Stores an object that is marked as deleted, whatever its size. */
  mark(object: ReadyObject, old: StoredObject): Buffer {
    return this.#change(object, old, Infinity);
  }

  /** Removes an object. `last` is its final state. */
  remove(table: Table, last: ObjectText, old: StoredObject): Buffer {
    const name = fullName(table.resource, last.metadata);
    const { id } = old;
    const unmigrated = table.unmigrated();
    if (unmigrated !== undefined) throw unmigrated;
    const count = this.#getCount(table);
    const revision = this.nextRevision;
    this.#counts.set(table.modelId, { ...count, objects: count.objects - 1, revision });
    const before = decodeIndexValues(valuesIn(old.record));
    moveAllEntries(this.tx, table, { name, id }, { before, after: undefined });
    this.tx.remove(nameKey(table.modelId, name));
    this.tx.remove(objectKey(table.modelId, id));
    // Not compressed, so that readers of the log need no model.
    const json = Buffer.from(last.json(String(revision)));
    const record = encodeRecord({ revision, name, values: NO_VALUES, json });
    this.#log({ type: 'DELETED', modelId: table.modelId, id }, old, record);
    this.#report({ table, name, old, next: undefined }, 'DELETED');
    return json;
  }

  /** The models whose objects were stored, with their counts. */
  writtenTables(): readonly { readonly table: Table; readonly count: ModelCount }[] {
    return [...this.#written].map((table) => ({ table, count: this.#getCount(table) }));
  }

  /** The size of the log after this commit, in bytes. */
  get logBytes(): number {
    return this.#head.bytes + this.#grownBytes;
  }

  /** The number of changes, when the commit wrote objects of a model with a text index; otherwise 0. */
  textChanges(): number {
    for (const { textIndex } of this.#written) if (textIndex !== undefined) return this.#changes;
    return 0;
  }

  /** Writes the data of the commit as a whole. */
  finish(): void {
    if (this.#changes === 0) return;
    const { entries, trimmed } = this.#head;
    const revision = this.lastRevision;
    const { timeMs } = this.#stamp;
    const head = { revision, entries: entries + this.#changes, trimmed, bytes: this.logBytes, timeMs };
    this.tx.put(LOG_HEAD_KEY, encodeLogHead(head));
    for (const [modelId, count] of this.#counts) this.tx.put(countKey(modelId), encodeCount(count));
  }

  #bytesMax({ resource }: Table): number {
    return largestObject(resource, this.context.objectBytesMax);
  }

  #getCount(table: Table): ModelCount {
    return this.#counts.get(table.modelId) ?? decodeCount(this.tx.get(countKey(table.modelId)));
  }

  #change(object: ReadyObject, old: StoredObject, bytesMax: number): Buffer {
    const { table } = object;
    this.#counts.set(table.modelId, { ...this.#getCount(table), revision: this.nextRevision });
    return this.#write(object, old.id, old, bytesMax);
  }

  #write(object: ReadyObject, id: number, old: StoredObject | undefined, bytesMax: number): Buffer {
    const { table, metadata } = object;
    const name = fullName(table.resource, metadata);
    const problem = this.context.problem(table);
    if (problem !== undefined) throw problem;
    const revision = this.nextRevision;
    const values = object.values(String(revision));
    const json = Buffer.from(object.json(String(revision)));
    if (json.length > bytesMax) throw tooLarge(table, name, json.length, bytesMax);
    const before = old && decodeIndexValues(valuesIn(old.record));
    moveAllEntries(this.tx, table, { name, id }, { before, after: values });
    const content = { revision, name, values: withoutWords(values, table.textIndex?.id), json };
    const record = encodeRecord(content, table.dictionaries);
    this.tx.put(objectKey(table.modelId, id), record);
    this.#written.add(table);
    const type = old === undefined ? 'ADDED' : 'MODIFIED';
    this.#log({ type, modelId: table.modelId, id }, old, EMPTY);
    this.#report({ table, name, old, next: { json, values } }, type);
    return json;
  }

  #report(change: WrittenChange, type: ChangeType): void {
    this.onChange?.(change);
    this.context.changes?.push({
      resource: change.table.resource,
      name: change.name,
      verb: (this.item === undefined ? undefined : this.verb) ?? VERB_OF_TYPE[type],
      revision: this.lastRevision,
      item: this.item,
    });
  }

  /** @param record the record that the log must keep of the object */
  #log(what: Pick<LogEntry, 'type' | 'modelId' | 'id'>, old: StoredObject | undefined, record: Buffer): void {
    const revision = this.nextRevision;
    const kept = old === undefined ? 0 : keepSuperseded(this.tx, old.revision, revision, old.record);
    const bytes = encodeLogEntry({
      ...what,
      verb: this.verb ?? VERB_OF_TYPE[what.type],
      stamp: this.#changes === 0 ? this.#stamp : undefined,
      previous: old?.revision,
      previousRecord: old === undefined || kept > 0 ? EMPTY : old.record,
      next: undefined,
      record,
    });
    this.tx.put(logKey(revision), bytes);
    this.#grownBytes += kept + bytes.length;
    this.#changes++;
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
