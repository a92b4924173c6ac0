import type { ExtensionObject } from '../../model/object.js';
import type { ChangeType } from './log.js';
import type { IndexRecord } from '../index/index-record.js';
import {
  fullLength,
  indexRecordIn,
  jsonIn,
  nameIn,
  parseObject,
  type RecordModel,
} from '../object-record.js';
import type { Table } from '../table.js';

/** One change of one object, for controllers and filters. */
export interface ChangeEvent {
  readonly type: ChangeType;
  /** The store's revision of the change, which no other change has. */
  readonly revision: number;
  readonly name: string;
  /**
   * The object after the change, in the version it was stored in; for a deleted one, its last state. Shared: it must
   * not be changed.
   */
  object(): ExtensionObject;
  /** The object before the change, in the version it was stored in; undefined for an added one. Shared as well. */
  previousObject(): ExtensionObject | undefined;
}

/** An event for a watch: the change itself, or its effect under a selector. */
export interface ObjectEvent {
  readonly type: ChangeType;
  /** The revision of the change; for an object that existed before the watch, of its last change. */
  readonly revision: number;
  /**
   * The object as JSON in UTF-8, in the version it was stored in, or that of the watch. Its
   * `metadata.resourceVersion` is the revision of the change.
   */
  readonly bytes: Buffer;
}

/** A change as read from the log. Created once for all watches. */
export interface LoggedChange {
  readonly type: ChangeType;
  readonly revision: number;
  /** Id of the object. */
  readonly id: number;
  /** The object's record after the change; for a deleted object, its last state. */
  readonly record: Buffer;
  /** Its record before the change; undefined for an added object. */
  readonly previousRecord: Buffer | undefined;
  /** Time of the change, in milliseconds since 1970. */
  readonly timeMs: number;
}

/** A change with its derived data. Each part is computed once, on first use. */
export class Change implements ChangeEvent {
  readonly type: ChangeType;
  readonly revision: number;
  readonly name: string;
  /** In milliseconds since 1970. */
  readonly timeMs: number;
  #parsed: ExtensionObject | undefined;
  #parsedBefore: ExtensionObject | undefined;
  #decoded: IndexRecord | undefined;
  #decodedBefore: IndexRecord | undefined;
  #bytes: Buffer | undefined;
  readonly #events: Partial<Record<ChangeType, ObjectEvent>> = {};

  constructor(
    private readonly model: RecordModel,
    private readonly logged: LoggedChange,
  ) {
    this.type = logged.type;
    this.revision = logged.revision;
    this.name = nameIn(logged.record);
    this.timeMs = logged.timeMs;
  }

  /** The object after the change as JSON; for a deleted one, its last state. */
  json(): Buffer {
    return (this.#bytes ??= jsonIn(this.model, this.logged.record));
  }

  /** Approximate memory of the change, in bytes. */
  get byteLength(): number {
    const { record, previousRecord } = this.logged;
    return fullLength(record) + (previousRecord === undefined ? 0 : fullLength(previousRecord));
  }

  object(): ExtensionObject {
    return (this.#parsed ??= parseObject(this.json()));
  }

  previousObject(): ExtensionObject | undefined {
    if (this.#parsedBefore !== undefined) return this.#parsedBefore;
    const json = this.previousJson();
    return (this.#parsedBefore = json && parseObject(json));
  }

  /** The object before the change as JSON, in the version it was stored in; undefined for an added one. */
  previousJson(): Buffer | undefined {
    const { previousRecord } = this.logged;
    return previousRecord && jsonIn(this.model, previousRecord);
  }

  /** The values of the object in the indexes after the change; undefined when the object is gone. */
  record(): IndexRecord | undefined {
    if (this.type === 'DELETED') return undefined;
    return (this.#decoded ??= indexRecordIn(this.logged.id, this.logged.record));
  }

  /** The values of the object in the indexes before the change; undefined for a new object. */
  previousRecord(): IndexRecord | undefined {
    const { id, previousRecord } = this.logged;
    return previousRecord && (this.#decodedBefore ??= indexRecordIn(id, previousRecord));
  }

  /**
   * The event for watches to which the change is an addition, a modification or a removal; the same for all of them.
   * For a watch that the object leaves, the event contains the earlier state, with the revision of the change.
   */
  as(type: ChangeType): ObjectEvent {
    return (this.#events[type] ??= { type, revision: this.revision, bytes: this.#bytesFor(type) });
  }

  #bytesFor(type: ChangeType): Buffer {
    const isLeft = type === 'DELETED' && this.type !== 'DELETED';
    const before = isLeft ? this.previousObject() : undefined;
    if (before === undefined) return this.json();
    const metadata = { ...before.metadata, resourceVersion: String(this.revision) };
    return Buffer.from(JSON.stringify({ ...before, metadata }));
  }
}

/** Changes of one model, in revision order. They are sent together. */
export class ChangeBatch {
  /** The revision of the last change. */
  readonly revision: number;
  readonly byteLength: number;
  readonly #eventsByCondition = new Map<string, readonly ObjectEvent[]>();

  /**
   * @param table the model as known when the log was read
   * @param changes at least one
   * @param madeAtMs time of the first change, in milliseconds since 1970
   */
  constructor(
    readonly table: Table,
    readonly changes: readonly Change[],
    readonly madeAtMs: number,
  ) {
    this.revision = changes.at(-1)?.revision ?? 0;
    this.byteLength = changes.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** The events for all watches with the same condition, computed on first use. */
  eventsFor(condition: string, make: () => readonly ObjectEvent[]): readonly ObjectEvent[] {
    const known = this.#eventsByCondition.get(condition);
    if (known !== undefined) return known;
    const events = make();
    this.#eventsByCondition.set(condition, events);
    return events;
  }

  /** These changes, followed by others. */
  and({ changes }: ChangeBatch): ChangeBatch {
    return new ChangeBatch(this.table, [...this.changes, ...changes], this.madeAtMs);
  }

  /** The changes after a revision; undefined when there are none. */
  after(revision: number): ChangeBatch | undefined {
    const first = this.changes.findIndex((change) => change.revision > revision);
    if (first <= 0) return first === 0 ? this : undefined;
    return new ChangeBatch(this.table, this.changes.slice(first), this.madeAtMs);
  }
}
