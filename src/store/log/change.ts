import type { ExtensionObject } from '../../model/object.js';
import type { ChangeType } from './log.js';
import type { IndexRecord } from '../index/index-record.js';
import { indexRecordIn, jsonIn, nameIn, parseObject } from '../object-record.js';
import type { Table } from '../table.js';

/** One change of one object, as whoever reconciles or filters wants to see it. */
export interface ChangeEvent {
  readonly type: ChangeType;
  /** Of the store; no other change has it. */
  readonly revision: number;
  readonly name: string;
  /**
   * The object after the change, in the version it was stored in; of a deleted one the state it was left in. Shared: it
   * must not be changed.
   */
  object(): ExtensionObject;
  /** The object before the change, in the version it was stored in; undefined for an added one. Shared as well. */
  previousObject(): ExtensionObject | undefined;
}

/** What a watcher is told: like the change itself, or seen through a selector. */
export interface ObjectEvent {
  readonly type: ChangeType;
  /** Of the change; of an object that was there before, of its last change. */
  readonly revision: number;
  /** The object as JSON in UTF-8, in the version it was stored in, or that of a watch. Its `metadata.resourceVersion` is the revision of the change. */
  readonly bytes: Buffer;
}

/** Everything the log tells of a change. Made once for all who watch. */
export interface LoggedChange {
  readonly type: ChangeType;
  readonly revision: number;
  /** Of the object. */
  readonly id: number;
  /** The object's record after the change; of a deleted object, as it was left. */
  readonly record: Buffer;
  /** Its record before the change; undefined for an added object. */
  readonly previousRecord: Buffer | undefined;
}

/** A change with what is worked out of it, each part once, when somebody first asks. */
export class Change implements ChangeEvent {
  readonly type: ChangeType;
  readonly revision: number;
  readonly name: string;
  private parsed: ExtensionObject | undefined;
  private parsedBefore: ExtensionObject | undefined;
  private decoded: IndexRecord | undefined;
  private decodedBefore: IndexRecord | undefined;
  private readonly bytes: Buffer;
  private readonly told: Partial<Record<ChangeType, ObjectEvent>> = {};

  constructor(private readonly logged: LoggedChange) {
    this.type = logged.type;
    this.revision = logged.revision;
    this.name = nameIn(logged.record);
    this.bytes = jsonIn(logged.record);
  }

  /** About what the change takes in memory. */
  get byteLength(): number {
    return this.logged.record.length + (this.logged.previousRecord?.length ?? 0);
  }

  object(): ExtensionObject {
    return (this.parsed ??= parseObject(this.bytes));
  }

  previousObject(): ExtensionObject | undefined {
    const { previousRecord } = this.logged;
    if (previousRecord === undefined) return undefined;
    return (this.parsedBefore ??= parseObject(jsonIn(previousRecord)));
  }

  /** What the indexes held of the object afterwards; undefined when it is gone. */
  record(): IndexRecord | undefined {
    if (this.type === 'DELETED') return undefined;
    return (this.decoded ??= indexRecordIn(this.logged.id, this.logged.record));
  }

  /** What the indexes held of the object before; undefined when there was none. */
  previousRecord(): IndexRecord | undefined {
    const { id, previousRecord } = this.logged;
    return previousRecord && (this.decodedBefore ??= indexRecordIn(id, previousRecord));
  }

  /**
   * The change for those to whom it is an addition, a modification or a removal; the same for all of them.
   * For whom the object goes out of sight, it is the object as they knew it, at the revision of the change.
   */
  as(type: ChangeType): ObjectEvent {
    return (this.told[type] ??= { type, revision: this.revision, bytes: this.bytesFor(type) });
  }

  private bytesFor(type: ChangeType): Buffer {
    const before = this.previousObject();
    if (type !== 'DELETED' || this.type === 'DELETED' || before === undefined) return this.bytes;
    const metadata = { ...before.metadata, resourceVersion: String(this.revision) };
    return Buffer.from(JSON.stringify({ ...before, metadata }));
  }
}

/** Changes of one model, in revision order. They are told together. */
export class ChangeBatch {
  /** Of the last change. */
  readonly revision: number;
  readonly byteLength: number;
  /** By condition. */
  private readonly told = new Map<string, readonly ObjectEvent[]>();

  /**
   * @param table the model as it was known when the log was read
   * @param changes at least one
   * @param madeAtMs when the first of them was made, in milliseconds since 1970
   */
  constructor(
    readonly table: Table,
    readonly changes: readonly Change[],
    readonly madeAtMs: number,
  ) {
    this.revision = changes.at(-1)?.revision ?? 0;
    this.byteLength = changes.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** What all who watch with the same condition are told, worked out when the first of them asks. */
  eventsFor(condition: string, make: () => readonly ObjectEvent[]): readonly ObjectEvent[] {
    const known = this.told.get(condition);
    if (known !== undefined) return known;
    const events = make();
    this.told.set(condition, events);
    return events;
  }

  /** These changes, and those that follow them. */
  and({ changes }: ChangeBatch): ChangeBatch {
    return new ChangeBatch(this.table, [...this.changes, ...changes], this.madeAtMs);
  }

  /** Those of the changes that came after a revision; undefined when there are none. */
  after(revision: number): ChangeBatch | undefined {
    const first = this.changes.findIndex((change) => change.revision > revision);
    if (first <= 0) return first === 0 ? this : undefined;
    return new ChangeBatch(this.table, this.changes.slice(first), this.madeAtMs);
  }
}
