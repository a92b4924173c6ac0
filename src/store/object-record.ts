import { crc32 } from 'node:zlib';
import { ServiceError, unavailable } from '../errors.js';
import { ByteReader, ByteWriter, readU48 } from '../lib/bytes.js';
import type { ExtensionObject } from '../model/object.js';
import type { Resource } from '../model/resource.js';
import { type Dictionaries, NO_DICTIONARIES } from './compression/dictionaries.js';
import { textBytesIn } from './compression/lz.js';
import {
  decodeIndexValues,
  encodeIndexValues,
  type IndexRecord,
  type IndexValues,
} from './index/index-record.js';

/**
 * An object's record: the CRC-32 of the rest (4 bytes), the revision of its last change (6 bytes), its name, its
 * index values (`index-record.ts`), each after its length, and its JSON: as it is, or the number of a dictionary of its
 * model (1 byte) and the compressed JSON (`lz.ts`).
 */
export interface StoredObject {
  /** Number of the object within its model; never reused. */
  readonly id: number;
  /** The revision of its last change. */
  readonly revision: number;
  /**
   * The object as JSON in UTF-8.
   * @throws ServiceError `ServiceUnavailable` when the model lacks the dictionary of the record
   */
  readonly bytes: Buffer;
  /** The whole record, as stored. */
  readonly record: Buffer;
}

const REVISION_AT = 4;
const NAME_AT = 10;
/** Greatest size of checksum, revision, two lengths and the number of a dictionary. */
const HEAD_BYTES_MAX = 30;
/** The first byte of JSON. Numbers of dictionaries are smaller. */
const JSON_START = 0x7b;

export interface RecordContent {
  readonly revision: number;
  readonly name: string;
  readonly values: IndexValues;
  /** The object as JSON: text, or UTF-8. */
  readonly json: string | Buffer;
}

/** @param dictionaries those of the model. Default: the JSON is not compressed */
export function encodeRecord(
  { revision, name, values, json: given }: RecordContent,
  dictionaries = NO_DICTIONARIES,
): Buffer {
  const json = typeof given === 'string' ? Buffer.from(given) : given;
  const compressed = dictionaries.compress(json);
  const encoded = encodeIndexValues(values);
  const bytesMax = HEAD_BYTES_MAX + name.length + encoded.length + (compressed?.bytes ?? json).length;
  const writer = new ByteWriter(bytesMax).u32(0).u48(revision).run(Buffer.from(name, 'latin1')).run(encoded);
  if (compressed === undefined) writer.bytes(json);
  else writer.u8(compressed.number).bytes(compressed.bytes);
  const record = writer.done();
  record.writeUInt32BE(crc32(record.subarray(REVISION_AT)));
  return record;
}

export function isSound(record: Buffer): boolean {
  return record.length > NAME_AT && record.readUInt32BE() === crc32(record.subarray(REVISION_AT));
}

export interface RecordModel {
  readonly resource: Pick<Resource, 'group' | 'kind'>;
  readonly dictionaries: Dictionaries;
}

export function damaged(
  { resource: { group, kind } }: Pick<RecordModel, 'resource'>,
  name: string,
): ServiceError {
  const message = `the stored record of ${kind} "${name}" is damaged; run \`xsvc check\`, and restore a backup`;
  return new ServiceError('InternalError', message, { group, kind, name });
}

/** @throws ServiceError `InternalError` when the record is damaged */
export function decodeRecord(model: RecordModel, id: number, record: Buffer): StoredObject {
  if (!isSound(record)) throw damaged(model, nameForPeople(id, record));
  return new SoundRecord(model, id, record);
}

class SoundRecord implements StoredObject {
  readonly revision: number;
  #bytes: Buffer | undefined;

  constructor(
    private readonly model: RecordModel,
    readonly id: number,
    readonly record: Buffer,
  ) {
    this.revision = revisionIn(record);
  }

  get bytes(): Buffer {
    return (this.#bytes ??= jsonIn(this.model, this.record));
  }
}

/** The name in a record that may be damaged, otherwise its id. For messages. */
export function nameForPeople(id: number, record: Buffer): string {
  try {
    const name = nameIn(record);
    if (/^[\x21-\x7e]{1,317}$/.test(name)) return name;
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

/**
 * The object as JSON in UTF-8. It may share memory with the record.
 * @throws ServiceError `ServiceUnavailable` when the model lacks the dictionary of the record
 */
export function jsonIn(model: RecordModel, record: Buffer): Buffer {
  const body = bodyIn(record);
  return body[0] === JSON_START ? body : Buffer.from(decompressed(model, record, body));
}

/** {@link jsonIn} without a copy: the JSON is valid until any object is read or written. */
export function jsonInPlace(model: RecordModel, record: Buffer): Buffer {
  const body = bodyIn(record);
  return body[0] === JSON_START ? body : decompressed(model, record, body);
}

function decompressed(model: RecordModel, record: Buffer, body: Buffer): Buffer {
  const [number = 0] = body;
  const json = model.dictionaries.decompress({ number, bytes: body.subarray(1) });
  if (json !== undefined) return json;
  const { group, kind } = model.resource;
  const name = nameIn(record);
  // Another process may have added it a moment ago.
  throw unavailable(
    `dictionary ${number} of ${kind}, which "${name}" needs, is missing; try again, and run \`xsvc check\` when it stays away`,
    { group, kind, name, retryAfterSeconds: 1 },
  );
}

/** The number of the dictionary that a record needs and the model lacks; undefined for a readable record. */
export function missingDictionary({ dictionaries }: RecordModel, record: Buffer): number | undefined {
  const [first = 0] = bodyIn(record);
  return first === JSON_START || dictionaries.find(first) !== undefined ? undefined : first;
}

/** The length of a record before its JSON is compressed, in bytes. */
export function fullLength(record: Buffer): number {
  const body = bodyIn(record);
  return body[0] === JSON_START ? record.length : record.length - body.length + textBytesIn(body.subarray(1));
}

/** The end of a record: the JSON as it is, when it is not compressed. */
export function bodyIn(record: Buffer): Buffer {
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
