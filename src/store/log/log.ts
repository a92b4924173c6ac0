import { asBuffer, ByteReader, ByteWriter, u48 } from '../../lib/bytes.js';
import type { Transaction } from '../engine.js';
import { logKey, metaKey } from '../index/keys.js';

export const CHANGE_TYPES = ['ADDED', 'MODIFIED', 'DELETED'] as const;
export type ChangeType = (typeof CHANGE_TYPES)[number];

/** The verbs of requests that change objects. */
export const WRITE_VERBS = ['create', 'update', 'patch', 'delete'] as const;
export type WriteVerb = (typeof WRITE_VERBS)[number];

/** The verb for a change without a request, or by a request without a verb. */
export const VERB_OF_TYPE: Readonly<Record<ChangeType, WriteVerb>> = {
  ADDED: 'create',
  MODIFIED: 'update',
  DELETED: 'delete',
};

/** The common data of the changes of one commit. */
export interface CommitStamp {
  /** Milliseconds since 1970. */
  readonly timeMs: number;
  /** The user who wrote; empty without authentication. */
  readonly user: string;
  /** The interface that the sender used, such as `mcp`; undefined when it was not recorded. */
  readonly via?: string | undefined;
}

/**
 * One change of one object. The log keeps the object's record only when it is no longer the stored one: a later
 * change moves it here. So a store that only grows contains every object once.
 */
export interface LogEntry {
  readonly type: ChangeType;
  /**
   * The verb of the request. An update that removes the last finalizer removes an object, and a delete may only mark
   * it.
   */
  readonly verb: WriteVerb;
  readonly modelId: number;
  /** Id of the object. */
  readonly id: number;
  /** Only with the first entry of a commit; applies to the following entries without a stamp. */
  readonly stamp: CommitStamp | undefined;
  /** Revision of the previous change of the same object; undefined for an added one. */
  readonly previous: number | undefined;
  /**
   * The object's record before the change, when the entry of the previous change is no longer in the log; otherwise
   * empty, because that entry has it.
   */
  readonly previousRecord: Buffer;
  /** Revision of the next change of the same object; undefined while it has none. */
  readonly next: number | undefined;
  /** The object's record after the change, or its last state; empty while the store itself has it. */
  readonly record: Buffer;
}

/** The revision of no change. */
const NO_REVISION = 0;
/** The first byte of an entry: two bits for the type, one for a following stamp, and three for the verb. */
const TYPE_MASK = 3;
const STAMPED = 4;
const VERB_SHIFT = 3;
/** Represents the default verb of the type. */
const NO_VERB = 0;

/**
 * Numbers have a fixed width, so that no entry is very small. LMDB splits a page by the number of its entries when
 * the new one takes less than a sixteenth of it. Large entries followed by sixteen whose total is less than one would
 * not fit into a half, and the commit would fail.
 */
export function encodeLogEntry(entry: LogEntry): Buffer {
  const { stamp, previous, previousRecord, record, next } = entry;
  const writer = new ByteWriter(64 + previousRecord.length + record.length)
    .u8(CHANGE_TYPES.indexOf(entry.type) | (stamp === undefined ? 0 : STAMPED) | verbBits(entry))
    .u32(entry.modelId)
    .u48(entry.id)
    .u48(previous ?? NO_REVISION);
  if (stamp !== undefined) writer.u48(stamp.timeMs).run(encodeAuthor(stamp));
  writer.run(previousRecord);
  if (record.length > 0) writer.u48(next ?? NO_REVISION).bytes(record);
  return writer.done();
}

export function decodeLogEntry(bytes: Buffer): LogEntry {
  const reader = new ByteReader(bytes);
  const first = reader.u8();
  const { type, verb } = decodeFirst(first);
  const modelId = reader.u32();
  const id = reader.u48();
  const previous = asRevision(reader.u48());
  const stamp = (first & STAMPED) === 0 ? undefined : decodeStamp(reader);
  const previousRecord = reader.run();
  const next = reader.atEnd ? undefined : asRevision(reader.u48());
  return { type, verb, modelId, id, stamp, previous, previousRecord, next, record: reader.rest() };
}

/** Separates the user from the interface; no name of a user contains it. */
const SEPARATOR = '\0';

function encodeAuthor({ user, via }: CommitStamp): Buffer {
  return Buffer.from(via === undefined ? user : `${user}${SEPARATOR}${via}`);
}

function decodeStamp(reader: ByteReader): CommitStamp {
  const timeMs = reader.u48();
  const [user = '', via] = reader.run().toString().split(SEPARATOR);
  return via === undefined ? { timeMs, user } : { timeMs, user, via };
}

function verbBits({ type, verb }: LogEntry): number {
  const code = verb === VERB_OF_TYPE[type] ? NO_VERB : WRITE_VERBS.indexOf(verb) + 1;
  return code << VERB_SHIFT;
}

function decodeFirst(first: number): Pick<LogEntry, 'type' | 'verb'> {
  const type = CHANGE_TYPES[first & TYPE_MASK];
  if (type === undefined) throw new RangeError('unknown change type in the log');
  const code = first >> VERB_SHIFT;
  const verb = code === NO_VERB ? VERB_OF_TYPE[type] : WRITE_VERBS[code - 1];
  if (verb === undefined) throw new RangeError('unknown verb in the log');
  return { type, verb };
}

/** True when an encoded entry is the first one of a commit. */
export function isStamped(entry: Uint8Array): boolean {
  return ((entry[0] ?? 0) & STAMPED) !== 0;
}

/** The data for following the changes of one object. */
export type EntryHead = Pick<LogEntry, 'type' | 'modelId' | 'previous'>;

/** Decodes the beginning of an encoded entry, without copies. */
export function decodeEntryHead(entry: Uint8Array): EntryHead {
  const reader = new ByteReader(asBuffer(entry));
  const { type } = decodeFirst(reader.u8());
  const modelId = reader.u32();
  reader.u48();
  return { type, modelId, previous: asRevision(reader.u48()) };
}

function asRevision(revision: number): number | undefined {
  return revision === NO_REVISION ? undefined : revision;
}

/** The state of the log; written with each change. */
export interface LogHead {
  /** Revision of the last change of the store; 0 before the first. */
  readonly revision: number;
  readonly entries: number;
  /** Changes up to this revision may be missing from the log; 0 when it is complete. */
  readonly trimmed: number;
  /** Bytes of the entries, without their keys. */
  readonly bytes: number;
  /** Time of the last commit, in milliseconds since 1970. */
  readonly timeMs: number;
}

export const LOG_HEAD_KEY = metaKey('head');
const HEAD_BYTES = 30;
const EMPTY_LOG: LogHead = { revision: 0, entries: 0, trimmed: 0, bytes: 0, timeMs: 0 };

export function decodeLogHead(bytes: Buffer | undefined): LogHead {
  if (bytes === undefined) return EMPTY_LOG;
  const reader = new ByteReader(bytes);
  return {
    revision: reader.u48(),
    entries: reader.u48(),
    trimmed: reader.u48(),
    bytes: reader.u48(),
    // Earlier builds did not store it.
    timeMs: bytes.length < HEAD_BYTES ? 0 : reader.u48(),
  };
}

export function encodeLogHead(head: LogHead): Buffer {
  const { revision, entries, trimmed, bytes, timeMs } = head;
  return new ByteWriter(HEAD_BYTES).u48(revision).u48(entries).u48(trimmed).u48(bytes).u48(timeMs).done();
}

/**
 * Adds the object's record, which the store no longer has, and the revision of the replacing change to the entry of a
 * change.
 * @returns the bytes by which the entry grew; 0 when it is no longer in the log: a trimmed entry stays trimmed
 */
export function keepSuperseded(tx: Transaction, revision: number, next: number, record: Buffer): number {
  const key = logKey(revision);
  const stored = tx.get(key);
  if (stored === undefined) return 0;
  const grown = Buffer.concat([stored, u48(next), record]);
  tx.put(key, grown);
  return grown.length - stored.length;
}

/** A clock that is further ahead was wrong. The log does not follow it. */
const AHEAD_MS_MAX = 24 * 3_600_000;

/**
 * The time of the next commit. Never before the commits of the log, although the clocks of processes differ and may
 * be set back.
 * @param nowMs current time of the clock, in milliseconds since 1970
 */
export function timeAfter({ timeMs }: LogHead, nowMs: number): number {
  return timeMs - nowMs > AHEAD_MS_MAX ? nowMs : Math.max(timeMs, nowMs);
}
