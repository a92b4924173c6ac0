import { ByteReader, ByteWriter, readU48 } from '../lib/bytes.js';

/** Id and revision. */
const HEAD_BYTES = 12;

/**
 * What the indexes hold of one object, kept beside it: filters and sorts read it instead of the object, and
 * a change takes back exactly what the object contributed, without asking the old index function again.
 */
export interface IndexRecord {
  /** Number of the object within its model; never given twice. */
  readonly id: number;
  /** Of the object's last change. */
  readonly revision: number;
  /** By index id: the encoded values, ascending, each once. */
  readonly values: ReadonlyMap<number, readonly Buffer[]>;
}

export function encodeIndexRecord(record: IndexRecord): Buffer {
  const writer = new ByteWriter().u48(record.id).u48(record.revision);
  for (const [indexId, values] of record.values) {
    writer.u32(indexId).varint(values.length);
    for (const value of values) writer.run(value);
  }
  return writer.done();
}

export function decodeIndexRecord(bytes: Buffer): IndexRecord {
  const reader = new ByteReader(bytes);
  const id = reader.u48();
  const revision = reader.u48();
  const values = new Map<number, Buffer[]>();
  while (!reader.atEnd) {
    const indexId = reader.u32();
    const list: Buffer[] = [];
    for (let left = reader.varint(); left > 0; left--) list.push(reader.run());
    values.set(indexId, list);
  }
  return { id, revision, values };
}

/** An index whose first or last value places an object. */
export interface SortField {
  readonly indexId: number;
  readonly direction: 'asc' | 'desc';
}

/**
 * What places an object in an order, from its encoded index record: the smallest value of an ascending index and the largest
 * of a descending one, a character for each byte; undefined without a value. Cheaper than {@link decodeIndexRecord}.
 */
export function keysInRecord(bytes: Buffer, order: readonly SortField[]): (string | undefined)[] {
  const keys: (string | undefined)[] = order.map(() => undefined);
  const reader = new ByteReader(bytes);
  reader.offset = HEAD_BYTES;
  while (!reader.atEnd) {
    const indexId = reader.u32();
    const values = reader.varint();
    for (let at = 0; at < values; at++) {
      const length = reader.varint();
      const start = reader.offset;
      reader.offset += length;
      for (let i = 0; i < order.length; i++) {
        const place = order[i]?.direction === 'asc' ? 0 : values - 1;
        if (at === place && order[i]?.indexId === indexId)
          keys[i] = bytes.toString('latin1', start, reader.offset);
      }
    }
  }
  return keys;
}

/** Whether two lists of encoded values are the same. */
export function sameValues(a: readonly Buffer[], b: readonly Buffer[]): boolean {
  return a.length === b.length && a.every((value, i) => b[i] !== undefined && value.equals(b[i]));
}

/** The revision of the change that led to an encoded index record. */
export function revisionInRecord(bytes: Buffer): number {
  return readU48(bytes, 6);
}
