import { badRequest, ServiceError } from '../../errors.js';
import { readU48 } from '../../lib/bytes.js';
import type { Work } from '../../lib/work/work.js';
import { Yielder } from '../../lib/work/yield.js';
import { logKey, nameKey, OBJECT_NAME_BYTES_MAX, objectKey } from '../index/keys.js';
import {
  type ChangeType,
  type CommitStamp,
  decodeEntryHead,
  decodeLogEntry,
  type EntryHead,
  type LogEntry,
  type LogHead,
  type WriteVerb,
} from './log.js';
import { readStamp, type StampedCommit } from './log-reader.js';
import { damaged, decodeRecord, nameIn, revisionIn } from '../object-record.js';
import { lastRemoval } from './last-removal.js';
import type { ReadView } from '../read-view.js';
import type { Table } from '../table.js';

/** A change of an object, as it was once. */
export interface PastChange {
  readonly revision: number;
  readonly type: ChangeType;
  readonly verb: WriteVerb;
  readonly stamp: CommitStamp;
  /** The object as JSON after the change; of a deleted one, as it was left. */
  readonly json: Buffer;
  /** The object before; undefined for an added one. The same buffer as that of the change before. */
  readonly previousJson: Buffer | undefined;
}

/** Changes of the object of a name, newest first; also those of objects that had the name before. */
export interface PastChanges {
  readonly changes: readonly PastChange[];
  /** The revision to go on after; undefined when the log has no more. */
  readonly continue: number | undefined;
}

export interface PastOptions {
  /** At most so many. */
  readonly limit: number;
  /** No more after so many bytes of objects. */
  readonly bytesMax: number;
  /** The last change that was read before. */
  readonly after?: number | undefined;
}

/** The state of an object at some revision. */
export interface PastObject {
  /** Of the change that led to it. */
  readonly revision: number;
  readonly json: Buffer;
}

/** The first revision whose change the log has. */
export function oldestIn({ trimmed }: LogHead): number {
  return trimmed + 1;
}

/**
 * Reads what the log has of the objects that had a name. The changes of one object are found from its last one on, for
 * each names the one before; the last one of an object that is gone is looked for in the log.
 */
export class ObjectPast {
  private readonly breaks: Yielder;
  private commit: StampedCommit | undefined;
  /** The state before the change that was read last. */
  private before: PastObject | undefined;

  private constructor(
    private readonly view: ReadView,
    readonly table: Table,
    readonly name: string,
    readonly head: LogHead,
    /** The record of the object that has the name now; undefined when none has. */
    private readonly live: Buffer | undefined,
    private readonly liveId: number | undefined,
    readonly work: Work | undefined,
  ) {
    this.breaks = new Yielder(work);
  }

  /**
   * @param work ends reading early, and counts log entries
   * @throws ServiceError `InternalError` when the object is damaged
   */
  static async open(view: ReadView, table: Table, name: string, work?: Work): Promise<ObjectPast> {
    const head = await view.logHead();
    const id = await findId(view, table, name);
    if (id === undefined) return new ObjectPast(view, table, name, head, undefined, undefined, work);
    const live = await view.snapshot.get(objectKey(table.modelId, id));
    if (live === undefined) throw damaged(table, name);
    const { record } = decodeRecord(table, id, live);
    return new ObjectPast(view, table, name, head, record, id, work);
  }

  get isLive(): boolean {
    return this.live !== undefined;
  }

  /** @throws ServiceError `BadRequest` for a place to go on from that is none, `Expired` for one that is gone */
  async read({ limit, bytesMax, after }: PastOptions): Promise<PastChanges> {
    const changes: PastChange[] = [];
    let bytes = 0;
    let last: number | undefined;
    let at = after === undefined ? await this.newest() : await this.beforeChange(after);
    let entry = at === undefined ? undefined : await this.entryAt(at);
    while (at !== undefined && entry !== undefined) {
      if (changes.length >= limit || bytes >= bytesMax) return { changes, continue: last };
      const earlier = entry.previous === undefined ? undefined : await this.entryAt(entry.previous);
      const change = await this.getChange(at, entry, earlier);
      changes.push(change);
      bytes += change.json.length;
      last = at;
      if (this.breaks.isDue) await this.breaks.take();
      at = await this.changeBefore(at, entry);
      entry = at === entry.previous || at === undefined ? earlier : await this.entryAt(at);
    }
    return { changes, continue: undefined };
  }

  /**
   * The object as it was when the store was at a revision; undefined when there was none.
   * @throws ServiceError `BadRequest` for a revision that is to come, `Expired` for one that the log no longer tells of
   */
  async at(revision: number): Promise<PastObject | undefined> {
    const { head, live, name } = this;
    if (revision > head.revision)
      throw badRequest(`resourceVersion ${revision} is in the future: the store is at ${head.revision}`);
    if (live !== undefined && revisionIn(live) === revision) return this.stateIn(live, this.liveId);
    if (revision < oldestIn(head))
      throw new ServiceError(
        'Expired',
        `the state of "${name}" at resourceVersion ${revision} is no longer available: the log begins with ${oldestIn(head)}`,
      );
    if (live !== undefined && revisionIn(live) < revision) return this.stateIn(live, this.liveId);
    let at = await this.newest();
    while (at !== undefined && at > revision) {
      const { type, previous } = await this.headAt(at);
      if (type !== 'ADDED' && previous !== undefined && previous <= revision)
        return this.stateBefore(at, previous);
      at = await this.changeBefore(at, { type, previous });
      if (this.breaks.isDue) await this.breaks.take();
    }
    // What is left is the change that removed the object of that time, or nothing.
    return undefined;
  }

  /** The last change of the name that the log has. */
  private async newest(): Promise<number | undefined> {
    if (this.live === undefined) return this.removalBefore(this.head.revision + 1);
    const revision = revisionIn(this.live);
    return revision < oldestIn(this.head) ? undefined : revision;
  }

  /** The change before one of them: of the same object, or the one that removed its predecessor. */
  private changeBefore(
    revision: number,
    { type, previous }: Pick<EntryHead, 'type' | 'previous'>,
  ): Promise<number | undefined> | number | undefined {
    if (type === 'ADDED') return this.removalBefore(revision);
    return previous === undefined || previous < oldestIn(this.head) ? undefined : previous;
  }

  private async beforeChange(after: number): Promise<number | undefined> {
    if (after < oldestIn(this.head))
      throw new ServiceError(
        'Expired',
        'the log no longer has the following changes; start again without continue',
      );
    const entry = await this.entryAt(after);
    if (entry === undefined || !this.isOfName(entry))
      throw badRequest('continue: not a token of the history of this object');
    return this.changeBefore(after, entry);
  }

  private isOfName({ id, modelId, record }: LogEntry): boolean {
    if (modelId !== this.table.modelId) return false;
    return record.length > 0 ? nameIn(record) === this.name : id === this.liveId;
  }

  /**
   * The last change before a revision that removed an object of the name. The log is read backwards until there is one,
   * unless no object of the model was ever removed.
   */
  private async removalBefore(revision: number): Promise<number | undefined> {
    const oldest = oldestIn(this.head);
    const { objects, nextId } = await this.view.count(this.table);
    if (revision <= oldest || objects === nextId - 1) return undefined;
    // There may be entries before the first one that counts.
    return lastRemoval(this.view, { start: logKey(oldest), end: logKey(revision) }, this);
  }

  private async getChange(
    revision: number,
    entry: LogEntry,
    earlier: LogEntry | undefined,
  ): Promise<PastChange> {
    const { type, verb, id, previous, previousRecord } = entry;
    const known = this.before?.revision === revision ? this.before : this.stateIn(this.getRecord(entry), id);
    const stamp = await this.getStamp(revision);
    const change = { revision, type, verb, stamp, json: known.json };
    if (previous === undefined) return { ...change, previousJson: undefined };
    this.before = this.stateIn(previousRecord.length > 0 ? previousRecord : (earlier?.record ?? NONE), id);
    return { ...change, previousJson: this.before.json };
  }

  private async stateBefore(revision: number, previous: number): Promise<PastObject> {
    const entry = await this.entryAt(revision);
    const earlier = entry?.previousRecord.length === 0 ? await this.entryAt(previous) : undefined;
    return this.stateIn(earlier?.record ?? entry?.previousRecord ?? NONE, entry?.id);
  }

  /** @throws ServiceError `InternalError` when the record is not as it was written */
  private stateIn(record: Buffer, id = 0): PastObject {
    const { revision, bytes } = decodeRecord(this.table, id, record);
    return { revision, json: bytes };
  }

  /** The record after a change: in the log or, of the last change, in the store. */
  private getRecord({ id, record }: LogEntry): Buffer {
    if (record.length > 0 || id !== this.liveId) return record;
    return this.live ?? record;
  }

  /** Undefined when the log does not have it. */
  private async entryAt(revision: number): Promise<LogEntry | undefined> {
    this.work?.addEntries(1);
    const entry = await this.view.snapshot.get(logKey(revision));
    return entry && decodeLogEntry(entry);
  }

  /** What a walk needs of a change, without a copy of the object in it. */
  private async headAt(revision: number): Promise<EntryHead> {
    let head: EntryHead | undefined;
    this.work?.addEntries(1);
    await this.view.snapshot.visitMany([logKey(revision)], (value) => {
      head = value && decodeEntryHead(value);
    });
    if (head === undefined) throw damaged(this.table, this.name);
    return head;
  }

  /** Changes of one commit share it, so what one of them found is kept for those before. */
  private async getStamp(revision: number): Promise<CommitStamp> {
    if (this.commit === undefined || revision < this.commit.first)
      this.commit = await readStamp(this.view.snapshot, revision);
    return this.commit.stamp;
  }
}

const NONE = Buffer.alloc(0);

async function findId(view: ReadView, table: Table, name: string): Promise<number | undefined> {
  if (Buffer.byteLength(name) > OBJECT_NAME_BYTES_MAX) return undefined;
  const found = await view.snapshot.get(nameKey(table.modelId, name));
  return found && readU48(found);
}
