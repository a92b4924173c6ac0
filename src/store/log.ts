import { ByteReader, ByteWriter, u48 } from '../lib/bytes.js';
import type { Transaction } from './engine.js';
import { logKey, metaKey } from './keys.js';

export const CHANGE_TYPES = ['ADDED', 'MODIFIED', 'DELETED'] as const;
export type ChangeType = (typeof CHANGE_TYPES)[number];

/**
 * One change of one object. The log keeps the object's bytes only when they are no longer the stored ones:
 * a later change moves them here. So a store that only grows holds every object once.
 */
export interface LogEntry {
  readonly type: ChangeType;
  readonly modelId: number;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly timeMs: number;
  /** The encoded index record before the change; empty for an added object. */
  readonly previousRecord: Buffer;
  /**
   * The object before the change, when the entry of the change that led to it is no longer in the log; else empty,
   * for that entry has it.
   */
  readonly previousObject: Buffer;
  /**
   * Revision of the next change of the same object; undefined while there is none. Its entry tells the index record
   * after this change.
   */
  readonly next: number | undefined;
  /** The object after the change, or as it was left; empty while the store itself has it. */
  readonly object: Buffer;
}

export function encodeLogEntry(entry: LogEntry): Buffer {
  const { previousRecord, previousObject, object, next } = entry;
  const writer = new ByteWriter(80 + previousRecord.length + previousObject.length + object.length)
    .u8(CHANGE_TYPES.indexOf(entry.type))
    .u32(entry.modelId)
    .run(Buffer.from(entry.name))
    .u48(entry.timeMs)
    .run(previousRecord)
    .run(previousObject);
  if (object.length > 0) writer.u48(next ?? NO_REVISION).bytes(object);
  return writer.done();
}

/** No change has it. */
const NO_REVISION = 0;

export function decodeLogEntry(bytes: Buffer): LogEntry {
  const reader = new ByteReader(bytes);
  const type = CHANGE_TYPES[reader.u8()];
  if (type === undefined) throw new RangeError('unknown change type in the log');
  const modelId = reader.u32();
  const name = reader.run().toString();
  const timeMs = reader.u48();
  const previousRecord = reader.run();
  const previousObject = reader.run();
  const known = { type, modelId, name, timeMs, previousRecord, previousObject };
  if (reader.atEnd) return { ...known, next: undefined, object: reader.rest() };
  const next = reader.u48();
  return { ...known, next: next === NO_REVISION ? undefined : next, object: reader.rest() };
}

/** Where the log stands; written with each change. */
export interface LogHead {
  /** Revision of the last change of the store; 0 before the first. */
  readonly revision: number;
  /** Entries that the log has. */
  readonly entries: number;
  /** Changes up to this revision may be missing from the log; 0 when it is complete. */
  readonly trimmed: number;
}

export const LOG_HEAD_KEY = metaKey('head');
const EMPTY_LOG: LogHead = { revision: 0, entries: 0, trimmed: 0 };

export function decodeLogHead(bytes: Buffer | undefined): LogHead {
  if (bytes === undefined) return EMPTY_LOG;
  const reader = new ByteReader(bytes);
  return { revision: reader.u48(), entries: reader.u48(), trimmed: reader.u48() };
}

export function encodeLogHead(head: LogHead): Buffer {
  return new ByteWriter(18).u48(head.revision).u48(head.entries).u48(head.trimmed).done();
}

/**
 * Gives the entry of a change the object's bytes, now that the store no longer has them, and the revision of the
 * change that replaced them.
 * @returns whether the entry is still in the log; a trimmed entry stays trimmed
 */
export function keepSuperseded(tx: Transaction, revision: number, next: number, object: Buffer): boolean {
  const key = logKey(revision);
  const stored = tx.get(key);
  if (stored === undefined) return false;
  tx.put(key, Buffer.concat([stored, u48(next), object]));
  return true;
}
