import { ServiceError } from '../../errors.js';
import { asBuffer } from '../../lib/bytes.js';
import type { Work } from '../../lib/work/work.js';
import { Yielder } from '../../lib/work/yield.js';
import type { Snapshot } from '../engine.js';
import { logKey, objectKey, revisionInLogKey } from '../index/keys.js';
import { decodeRecord, nameIn } from '../object-record.js';
import type { ReadView } from '../read-view.js';
import type { Table } from '../table.js';
import { type CommitStamp, decodeEntryHead, decodeLogEntry, type LogEntry, type LogHead } from './log.js';
import { readStamp, type StampedCommit } from './log-reader.js';
import { oldestIn, type PastChange } from './object-past.js';

export interface ModelPastChange extends PastChange {
  readonly name: string;
}

/** Changes of a model's objects, newest first. */
export interface ModelPastChanges {
  readonly changes: readonly ModelPastChange[];
  /** The revision before which to continue; undefined when there are no more. */
  readonly continue: number | undefined;
}

export interface ModelPastOptions {
  /** Greatest number of changes. */
  readonly limit: number;
  /** Limit for the bytes of objects; the change that exceeds it is the last. */
  readonly bytesMax: number;
  /** Only changes before this revision. */
  readonly before?: number | undefined;
  /** Only changes from this time on, in milliseconds since 1970. */
  readonly sinceMs?: number | undefined;
  /** Only changes of this user. */
  readonly user?: string | undefined;
}

/** Entries that one answer looks at: mostly only their first bytes. */
const LOOKED_MAX = 50_000;
/** Entries read without a break. */
const CHUNK = 1_000;
/** A chunk ends after the entry that exceeds this number of bytes of the model's entries. */
const CHUNK_BYTES = 1024 * 1024;

interface Found {
  readonly revision: number;
  readonly entry: LogEntry;
}

interface Chunk {
  /** Entries of the model, newest first. */
  readonly found: readonly Found[];
  readonly looked: number;
  /** The oldest entry that was looked at; undefined when there was none. */
  readonly last: number | undefined;
}

/** Reads the log of one model backwards. */
export class ModelPast {
  readonly #yielder: Yielder;
  #commit: StampedCommit | undefined;

  /** @param work ends reading early, and counts log entries */
  constructor(
    private readonly view: ReadView,
    readonly table: Table,
    readonly head: LogHead,
    private readonly work?: Work,
  ) {
    this.#yielder = new Yielder(work);
  }

  /** @throws ServiceError `Expired` when `before` is no longer in the log, `InternalError` for a damaged object */
  async read(options: ModelPastOptions): Promise<ModelPastChanges> {
    const { limit, bytesMax, sinceMs = -Infinity, user } = options;
    const changes: ModelPastChange[] = [];
    let bytes = 0;
    let looked = 0;
    let before = this.#start(options.before);
    while (looked < LOOKED_MAX) {
      const chunk = await this.#chunkBefore(before);
      looked += chunk.looked;
      for (const { revision, entry } of chunk.found) {
        const stamp = await this.#stampOf(revision);
        if (stamp.timeMs < sinceMs) return { changes, continue: undefined };
        if (user !== undefined && stamp.user !== user) continue;
        if (changes.length >= limit || bytes >= bytesMax)
          return { changes, continue: changes.at(-1)?.revision };
        const change = await this.#change(revision, entry, stamp);
        changes.push(change);
        bytes += change.json.length + (change.previousJson?.length ?? 0);
        if (this.#yielder.isDue) await this.#yielder.take();
      }
      if (chunk.last === undefined || chunk.last <= oldestIn(this.head))
        return { changes, continue: undefined };
      if ((await this.#stampOf(chunk.last)).timeMs < sinceMs) return { changes, continue: undefined };
      before = chunk.last;
    }
    return { changes, continue: before };
  }

  /** Time of the oldest change in the log, in milliseconds since 1970; undefined when it is not known. */
  async oldestMs(): Promise<number | undefined> {
    const { timeMs } = await this.#stampOf(oldestIn(this.head));
    return timeMs === 0 ? undefined : timeMs;
  }

  #start(before = this.head.revision + 1): number {
    if (before >= oldestIn(this.head)) return before;
    throw new ServiceError(
      'Expired',
      'the log no longer has the following changes; start again without continue',
    );
  }

  async #chunkBefore(before: number): Promise<Chunk> {
    const found: Found[] = [];
    let looked = 0;
    let bytes = 0;
    let last: number | undefined;
    const range = { start: logKey(oldestIn(this.head)), end: logKey(before) };
    await this.view.snapshot.scanInPlace(
      range,
      { limit: CHUNK, reverse: true },
      (value, { bytes: key, start }) => {
        looked++;
        last = revisionInLogKey(asBuffer(key.subarray(start)));
        if (decodeEntryHead(value).modelId !== this.table.modelId) return true;
        found.push({ revision: last, entry: decodeLogEntry(copied(value)) });
        bytes += value.length;
        return bytes < CHUNK_BYTES;
      },
    );
    this.work?.addEntries(looked);
    if (this.#yielder.isDue) await this.#yielder.take();
    return { found, looked, last };
  }

  async #change(revision: number, entry: LogEntry, stamp: CommitStamp): Promise<ModelPastChange> {
    const { type, verb, id, previous, previousRecord } = entry;
    const { snapshot } = this.view;
    const record =
      entry.record.length > 0
        ? entry.record
        : ((await snapshot.get(objectKey(this.table.modelId, id))) ?? NONE);
    const json = decodeRecord(this.table, id, record).bytes;
    const change = { revision, type, verb, stamp, json, name: nameIn(record) };
    if (previous === undefined) return { ...change, previousJson: undefined };
    const earlier = previousRecord.length > 0 ? previousRecord : await recordAt(snapshot, previous);
    return { ...change, previousJson: decodeRecord(this.table, id, earlier).bytes };
  }

  /** Changes of one commit share a stamp. */
  async #stampOf(revision: number): Promise<CommitStamp> {
    if (this.#commit === undefined || revision < this.#commit.first)
      this.#commit = await readStamp(this.view.snapshot, revision);
    return this.#commit.stamp;
  }
}

/** A visited value is valid only during the visit, and its memory may be longer than it is. */
function copied(value: Uint8Array): Buffer {
  return Buffer.from(value.subarray(0, value.length));
}

const NONE = Buffer.alloc(0);

async function recordAt(snapshot: Snapshot, revision: number): Promise<Buffer> {
  const entry = await snapshot.get(logKey(revision));
  return entry === undefined ? NONE : decodeLogEntry(entry).record;
}
