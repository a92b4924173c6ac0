import { badRequest, ServiceError } from '../../errors.js';
import { readU48 } from '../../lib/bytes.js';
import type { Work } from '../../lib/work/work.js';
import { Yielder } from '../../lib/work/yield.js';
import { logKey, nameKey, FULL_NAME_BYTES_MAX, objectKey } from '../index/keys.js';
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

/** An earlier change of an object. */
export interface PastChange {
  readonly revision: number;
  readonly type: ChangeType;
  readonly verb: WriteVerb;
  readonly stamp: CommitStamp;
  /** The object as JSON after the change; for a deleted one, its last state. */
  readonly json: Buffer;
  /** The object before; undefined for an added one. The same buffer as that of the earlier change. */
  readonly previousJson: Buffer | undefined;
}

/** Changes of the objects with a name, newest first. Includes earlier objects with the name. */
export interface PastChanges {
  readonly changes: readonly PastChange[];
  /** The revision to continue after; undefined when the log has no more. */
  readonly continue: number | undefined;
}

export interface PastOptions {
  /** Greatest number of changes. */
  readonly limit: number;
  /** Limit for the bytes of objects; the change that exceeds it is the last. */
  readonly bytesMax: number;
  /** The last change that was read before. */
  readonly after?: number | undefined;
}

/** The state of an object at a revision. */
export interface PastObject {
  /** The revision of the change that led to it. */
  readonly revision: number;
  readonly json: Buffer;
}

/** The first revision whose change is in the log. */
export function oldestIn({ trimmed }: LogHead): number {
  return trimmed + 1;
}

type Opened = Pick<ObjectPast, 'table' | 'name' | 'head' | 'work'>;

/**
 * Reads the log of the objects with a name. The changes of one object form a chain from its last one, because each
 * names the previous one. For a removed object, the last change is searched in the log.
 */
export class ObjectPast {
  readonly table: Table;
  readonly name: string;
  readonly head: LogHead;
  readonly work: Work | undefined;
  /** The record of the current object with the name; undefined when none has it. */
  readonly #live: Buffer | undefined;
  readonly #liveId: number | undefined;
  readonly #yielder: Yielder;
  #commit: StampedCommit | undefined;
  /** The state before the change that was read last. */
  #before: PastObject | undefined;

  private constructor(
    private readonly view: ReadView,
    { table, name, head, work }: Opened,
    live?: { readonly id: number; readonly record: Buffer },
  ) {
    this.table = table;
    this.name = name;
    this.head = head;
    this.work = work;
    this.#live = live?.record;
    this.#liveId = live?.id;
    this.#yielder = new Yielder(work);
  }

  /**
   * @param work ends reading early, and counts log entries
   * @throws ServiceError `InternalError` when the object is damaged
   */
  static async open(view: ReadView, table: Table, name: string, work?: Work): Promise<ObjectPast> {
    const head = await view.logHead();
    const id = await findId(view, table, name);
    const opened = { table, name, head, work };
    if (id === undefined) return new ObjectPast(view, opened);
    const live = await view.snapshot.get(objectKey(table.modelId, id));
    if (live === undefined) throw damaged(table, name);
    const { record } = decodeRecord(table, id, live);
    return new ObjectPast(view, opened, { id, record });
  }

  get isLive(): boolean {
    return this.#live !== undefined;
  }

  /**
   * @throws ServiceError `BadRequest` when `after` is not such a change, `Expired` when it is no longer in the log
   */
  async read({ limit, bytesMax, after }: PastOptions): Promise<PastChanges> {
    const changes: PastChange[] = [];
    let bytes = 0;
    let last: number | undefined;
    let at = after === undefined ? await this.#newest() : await this.#beforeChange(after);
    let entry = at === undefined ? undefined : await this.#entryAt(at);
    while (at !== undefined && entry !== undefined) {
      if (changes.length >= limit || bytes >= bytesMax) return { changes, continue: last };
      const earlier = entry.previous === undefined ? undefined : await this.#entryAt(entry.previous);
      const change = await this.#getChange(at, entry, earlier);
      changes.push(change);
      bytes += change.json.length;
      last = at;
      if (this.#yielder.isDue) await this.#yielder.take();
      at = await this.#changeBefore(at, entry);
      entry = at === entry.previous || at === undefined ? earlier : await this.#entryAt(at);
    }
    return { changes, continue: undefined };
  }

  /**
   * The state of the object when the store was at a revision; undefined when it did not exist.
   * @throws ServiceError `BadRequest` for a future revision, `Expired` for one that is no longer in the log
   */
  async at(revision: number): Promise<PastObject | undefined> {
    const { head, name } = this;
    const live = this.#live;
    if (revision > head.revision)
      throw badRequest(`resourceVersion ${revision} is in the future: the store is at ${head.revision}`);
    if (live !== undefined && revisionIn(live) === revision) return this.#stateIn(live, this.#liveId);
    if (revision < oldestIn(head))
      throw new ServiceError(
        'Expired',
        `the state of "${name}" at resourceVersion ${revision} is no longer available: the log begins with ${oldestIn(head)}`,
      );
    if (live !== undefined && revisionIn(live) < revision) return this.#stateIn(live, this.#liveId);
    let at = await this.#newest();
    while (at !== undefined && at > revision) {
      const { type, previous } = await this.#headAt(at);
      if (type !== 'ADDED' && previous !== undefined && previous <= revision)
        return this.#stateBefore(at, previous);
      at = await this.#changeBefore(at, { type, previous });
      if (this.#yielder.isDue) await this.#yielder.take();
    }
    // The remaining case: the change that removed the object of that time, or no change.
    return undefined;
  }

  /** The last change of the name in the log. */
  async #newest(): Promise<number | undefined> {
    if (this.#live === undefined) return this.#removalBefore(this.head.revision + 1);
    const revision = revisionIn(this.#live);
    return revision < oldestIn(this.head) ? undefined : revision;
  }

  /** The change before a given one: of the same object, or the removal of its predecessor. */
  #changeBefore(
    revision: number,
    { type, previous }: Pick<EntryHead, 'type' | 'previous'>,
  ): Promise<number | undefined> | number | undefined {
    if (type === 'ADDED') return this.#removalBefore(revision);
    return previous === undefined || previous < oldestIn(this.head) ? undefined : previous;
  }

  async #beforeChange(after: number): Promise<number | undefined> {
    if (after < oldestIn(this.head))
      throw new ServiceError(
        'Expired',
        'the log no longer has the following changes; start again without continue',
      );
    const entry = await this.#entryAt(after);
    if (entry === undefined || !this.#isOfName(entry))
      throw badRequest('continue: not a token of the history of this object');
    return this.#changeBefore(after, entry);
  }

  #isOfName({ id, modelId, record }: LogEntry): boolean {
    if (modelId !== this.table.modelId) return false;
    return record.length > 0 ? nameIn(record) === this.name : id === this.#liveId;
  }

  /**
   * The last change before a revision that removed an object with the name. Searches the log backwards, except when
   * no object of the model was ever removed.
   */
  async #removalBefore(revision: number): Promise<number | undefined> {
    const oldest = oldestIn(this.head);
    const { objects, nextId } = await this.view.count(this.table);
    if (revision <= oldest || objects === nextId - 1) return undefined;
    // Entries may exist before the first valid one.
    return lastRemoval(this.view, { start: logKey(oldest), end: logKey(revision) }, this);
  }

  async #getChange(revision: number, entry: LogEntry, earlier: LogEntry | undefined): Promise<PastChange> {
    const { type, verb, id, previous, previousRecord } = entry;
    const known =
      this.#before?.revision === revision ? this.#before : this.#stateIn(this.#getRecord(entry), id);
    const stamp = await this.#getStamp(revision);
    const change = { revision, type, verb, stamp, json: known.json };
    if (previous === undefined) return { ...change, previousJson: undefined };
    this.#before = this.#stateIn(previousRecord.length > 0 ? previousRecord : (earlier?.record ?? NONE), id);
    return { ...change, previousJson: this.#before.json };
  }

  async #stateBefore(revision: number, previous: number): Promise<PastObject> {
    const entry = await this.#entryAt(revision);
    const earlier = entry?.previousRecord.length === 0 ? await this.#entryAt(previous) : undefined;
    return this.#stateIn(earlier?.record ?? entry?.previousRecord ?? NONE, entry?.id);
  }

  /** @throws ServiceError `InternalError` when the record is damaged */
  #stateIn(record: Buffer, id = 0): PastObject {
    const { revision, bytes } = decodeRecord(this.table, id, record);
    return { revision, json: bytes };
  }

  /** The record after a change: from the log or, for the last change, from the store. */
  #getRecord({ id, record }: LogEntry): Buffer {
    if (record.length > 0 || id !== this.#liveId) return record;
    return this.#live ?? record;
  }

  /** Undefined when the log does not have it. */
  async #entryAt(revision: number): Promise<LogEntry | undefined> {
    this.work?.addEntries(1);
    const entry = await this.view.snapshot.get(logKey(revision));
    return entry && decodeLogEntry(entry);
  }

  /** The data of a change that following the chain needs, without a copy of the object. */
  async #headAt(revision: number): Promise<EntryHead> {
    let head: EntryHead | undefined;
    this.work?.addEntries(1);
    await this.view.snapshot.visitMany([logKey(revision)], (value) => {
      head = value && decodeEntryHead(value);
    });
    if (head === undefined) throw damaged(this.table, this.name);
    return head;
  }

  /** Changes of one commit share a stamp, so the result for one is kept for the earlier ones. */
  async #getStamp(revision: number): Promise<CommitStamp> {
    if (this.#commit === undefined || revision < this.#commit.first)
      this.#commit = await readStamp(this.view.snapshot, revision);
    return this.#commit.stamp;
  }
}

const NONE = Buffer.alloc(0);

async function findId(view: ReadView, table: Table, name: string): Promise<number | undefined> {
  if (Buffer.byteLength(name) > FULL_NAME_BYTES_MAX) return undefined;
  const found = await view.snapshot.get(nameKey(table.modelId, name));
  return found && readU48(found);
}
