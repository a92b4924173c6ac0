import { ByteReader, ByteWriter } from '../../lib/bytes.js';

/** Encoded values, ascending and distinct, by the id of their index. */
export type IndexValues = ReadonlyMap<number, readonly Buffer[]>;

/**
 * The values of one object in the indexes. They are part of its record. Filters and sorts read them instead of the
 * object, and a change removes exactly the old entries, without calling the old index function again.
 */
export interface IndexRecord {
  /** Number of the object within its model; never reused. */
  readonly id: number;
  readonly name: string;
  readonly values: IndexValues;
}

export function encodeIndexValues(values: IndexValues): Buffer {
  const writer = new ByteWriter(256);
  for (const [indexId, list] of values) {
    writer.varint(indexId).varint(list.length);
    for (const value of list) writer.run(value);
  }
  return writer.done();
}

/** The values share memory with the bytes. */
export function decodeIndexValues(bytes: Buffer): IndexValues {
  const reader = new ByteReader(bytes);
  const values = new Map<number, Buffer[]>();
  while (!reader.atEnd) {
    const indexId = reader.varint();
    const list: Buffer[] = [];
    for (let left = reader.varint(); left > 0; left--) list.push(reader.run());
    values.set(indexId, list);
  }
  return values;
}

/** An index whose first or last value determines the position of an object. */
export interface SortField {
  readonly indexId: number;
  readonly direction: 'asc' | 'desc';
}

/**
 * The sort keys of an object, from its encoded values: the smallest value of an ascending index and the largest of a
 * descending one, with a character for each byte; undefined without a value. Cheaper than {@link decodeIndexValues}.
 */
export function keysInValues(bytes: Buffer, order: readonly SortField[]): (string | undefined)[] {
  const keys: (string | undefined)[] = order.map(() => undefined);
  const reader = new ByteReader(bytes);
  while (!reader.atEnd) {
    const indexId = reader.varint();
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

/** True when two lists of encoded values are equal. */
export function sameValues(a: readonly Buffer[], b: readonly Buffer[]): boolean {
  return a.length === b.length && a.every((value, i) => b[i] !== undefined && value.equals(b[i]));
}
