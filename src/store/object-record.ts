import { crc32 } from 'node:zlib';
import { ServiceError } from '../errors.js';
import { ByteReader, ByteWriter, readU48 } from '../lib/bytes.js';
import type { ExtensionObject } from '../model/object.js';
import type { Resource } from '../model/resource.js';
import {
  decodeIndexValues,
  encodeIndexValues,
  type IndexRecord,
  type IndexValues,
} from './index/index-record.js';

/**
 * An object's record: the CRC-32 of the rest (4 bytes), the revision of its last change (6 bytes), its name, its
 * index values (`index-record.ts`), each after its length, and its JSON.
 */
export interface StoredObject {
  /** Number of the object within its model; never reused. */
  readonly id: number;
  /** The revision of its last change. */
  readonly revision: number;
  /** The object as JSON in UTF-8. */
  readonly bytes: Buffer;
  /** The whole record, as stored. */
  readonly record: Buffer;
}

const REVISION_AT = 4;
const NAME_AT = 10;
/** Greatest number of UTF-8 bytes of one UTF-16 unit. */
const UTF8_BYTES_MAX = 3;
/** Greatest size of checksum, revision and two lengths. */
const HEAD_BYTES_MAX = 30;
const SCRATCH = Buffer.allocUnsafeSlow(64 * 1024);

export interface RecordContent {
  readonly revision: number;
  readonly name: string;
  readonly values: IndexValues;
  /** The object as JSON: text, or UTF-8. */
  readonly json: string | Buffer;
}

export function encodeRecord({ revision, name, values, json }: RecordContent): Buffer {
  const encoded = encodeIndexValues(values);
  const head = new ByteWriter(HEAD_BYTES_MAX + name.length + encoded.length)
    .u32(0)
    .u48(revision)
    .run(Buffer.from(name, 'latin1'))
    .run(encoded)
    .done();
  // Measuring the text first would cost as much as writing it.
  const most = head.length + json.length * UTF8_BYTES_MAX;
  const room = most > SCRATCH.length ? Buffer.allocUnsafe(most) : SCRATCH;
  head.copy(room);
  const length =
    head.length + (typeof json === 'string' ? room.write(json, head.length) : json.copy(room, head.length));
  room.writeUInt32BE(crc32(room.subarray(REVISION_AT, length)));
  return Buffer.from(room.subarray(0, length));
}

/** True when a record is undamaged. */
export function isSound(record: Buffer): boolean {
  return record.length > NAME_AT && record.readUInt32BE() === crc32(record.subarray(REVISION_AT));
}

/** The model of a record, for messages. */
interface Owner {
  readonly resource: Pick<Resource, 'group' | 'kind'>;
}

/** The error for a damaged record. */
export function damaged({ resource: { group, kind } }: Owner, name: string): ServiceError {
  const message = `the stored record of ${kind} "${name}" is damaged; run \`xsvc check\`, and restore a backup`;
  return new ServiceError('InternalError', message, { group, kind, name });
}

/** @throws ServiceError `InternalError` when the record is damaged */
export function decodeRecord(owner: Owner, id: number, record: Buffer): StoredObject {
  if (!isSound(record)) throw damaged(owner, nameForPeople(id, record));
  return { id, revision: revisionIn(record), bytes: jsonIn(record), record };
}

/** The name in a record that may be damaged, otherwise its id. For messages. */
export function nameForPeople(id: number, record: Buffer): string {
  try {
    const name = nameIn(record);
    if (/^[\x21-\x7e]{1,253}$/.test(name)) return name;
  } catch {
    // The name is damaged too.
  }
  return `#${id}`;
}

export function revisionIn(record: Buffer): number {
  return readU48(record, REVISION_AT);
}

export function nameIn(record: Buffer): string {
  const reader = new ByteReader(record);
  reader.offset = NAME_AT;
  const length = reader.varint();
  return record.toString('latin1', reader.offset, reader.offset + length);
}

/** The encoded index values of the object. */
export function valuesIn(record: Buffer): Buffer {
  return afterName(record).run();
}

/** The object as JSON in UTF-8. */
export function jsonIn(record: Buffer): Buffer {
  const reader = afterName(record);
  const length = reader.varint();
  return record.subarray(reader.offset + length);
}

function afterName(record: Buffer): ByteReader {
  const reader = new ByteReader(record);
  reader.offset = NAME_AT;
  const length = reader.varint();
  reader.offset += length;
  return reader;
}

/** The index values of an object, for indexes and filters. Shares no memory with the record. */
export function indexRecordIn(id: number, record: Buffer): IndexRecord {
  return { id, name: nameIn(record), values: decodeIndexValues(Buffer.from(valuesIn(record))) };
}

/** The part of a record that {@link indexRecordOf} decodes. */
export function nameAndValuesIn(record: Buffer): Buffer {
  const reader = afterName(record);
  const length = reader.varint();
  return record.subarray(NAME_AT, reader.offset + length);
}

/** The index values of an object, from the part of its record. They share memory with it. */
export function indexRecordOf(id: number, nameAndValues: Buffer): IndexRecord {
  const reader = new ByteReader(nameAndValues);
  return { id, name: reader.run().toString('latin1'), values: decodeIndexValues(reader.run()) };
}

export function parseObject(bytes: Uint8Array): ExtensionObject {
  return JSON.parse(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(),
  ) as ExtensionObject;
}
