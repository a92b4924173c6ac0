import { ByteWriter, readU48, u48 } from '../../lib/bytes.js';
import { DOCUMENT_HEAD_BYTES, type Word } from '../../model/words.js';
import type { KeyRange } from '../engine.js';
import { FAMILY, under } from '../index/keys.js';

/**
 * The rows of a text index. Words go into fresh rows in the commit of their object, and later, many objects at once, into
 * segments, which never change.
 *
 * | row | rest of the key | value |
 * |---|---|---|
 * | COUNTS | | see {@link TextCounts} |
 * | SEGMENTS | | see {@link Segments} |
 * | FRESH | number of the row | the object's id, and its document (`words.ts`); no document for an object without words |
 * | DOCS | segment, number of the first doc | id and number of words of each object |
 * | TERMS | segment, first word | words with their postings (`term-block.ts`) |
 * | LISTS | segment, list, part | postings that are too long for their block |
 */
const ROW = { COUNTS: 0, SEGMENTS: 1, FRESH: 2, DOCS: 3, TERMS: 4, LISTS: 5 } as const;

type Row = (typeof ROW)[keyof typeof ROW];

function rowKey(indexId: number, row: Row, rest = 0): Buffer {
  const key = Buffer.allocUnsafe(6 + rest);
  key[0] = FAMILY.TEXT;
  key.writeUInt32BE(indexId, 1);
  key[5] = row;
  return key;
}

export function getTextRows(indexId: number): KeyRange {
  return under(rowKey(indexId, ROW.COUNTS).subarray(0, 5));
}

export function countsKey(indexId: number): Buffer {
  return rowKey(indexId, ROW.COUNTS);
}

export interface TextCounts {
  /** Number of the next fresh row. */
  readonly nextRow: number;
  /** Number of words of all objects. */
  readonly words: number;
  /** Size of all fresh rows that were ever written, in bytes. */
  readonly bytes: number;
}

const NO_COUNTS: TextCounts = { nextRow: 0, words: 0, bytes: 0 };

export function decodeCounts(bytes: Buffer | undefined): TextCounts {
  return bytes === undefined
    ? NO_COUNTS
    : { nextRow: readU48(bytes), words: readU48(bytes, 6), bytes: readU48(bytes, 12) };
}

export function encodeCounts({ nextRow, words, bytes }: TextCounts): Buffer {
  return new ByteWriter(18).u48(nextRow).u48(words).u48(bytes).done();
}

export function segmentsKey(indexId: number): Buffer {
  return rowKey(indexId, ROW.SEGMENTS);
}

/** A part of a text index: the words of some objects. */
export interface TextSegment {
  readonly id: number;
  readonly docs: number;
  /** Size of its rows, in bytes. */
  readonly bytes: number;
}

/** The segments of a text index. */
export interface Segments {
  /** Fresh rows with smaller numbers are in segments. */
  readonly flushed: number;
  /** Their size, in bytes. */
  readonly flushedBytes: number;
  readonly nextId: number;
  /** Oldest first: of two with an object, the later one has its words. */
  readonly segments: readonly TextSegment[];
  /** Segments that are being written. */
  readonly begun: readonly number[];
  /** Segments whose rows are being removed. */
  readonly dropped: readonly number[];
}

const NO_SEGMENTS: Segments = {
  flushed: 0,
  flushedBytes: 0,
  nextId: 1,
  segments: [],
  begun: [],
  dropped: [],
};

export function decodeSegments(bytes: Buffer | undefined): Segments {
  return bytes === undefined ? NO_SEGMENTS : (JSON.parse(bytes.toString()) as Segments);
}

export function encodeSegments(segments: Segments): Buffer {
  return Buffer.from(JSON.stringify(segments));
}

export function freshKey(indexId: number, row: number): Buffer {
  const key = rowKey(indexId, ROW.FRESH, 6);
  key.writeUIntBE(row, 6, 6);
  return key;
}

/** Fresh rows from a number (inclusive) to another one (exclusive). */
export function getFreshRows(indexId: number, from: number, to: number): KeyRange {
  return { start: freshKey(indexId, from), end: freshKey(indexId, to) };
}

/** @param document undefined for an object without words */
export function encodeFresh(objectId: number, document: Buffer | undefined): Buffer {
  return document === undefined ? u48(objectId) : Buffer.concat([u48(objectId), document]);
}

export interface FreshRow {
  readonly objectId: number;
  /** Undefined for an object without words. It shares memory with the row. */
  readonly document: Buffer | undefined;
}

export function decodeFresh(value: Buffer): FreshRow {
  const document = value.length < 6 + DOCUMENT_HEAD_BYTES ? undefined : value.subarray(6);
  return { objectId: readU48(value), document };
}

export const DOCS_OF_ROW = 1_024;

export function docsKey(indexId: number, segment: number, first: number): Buffer {
  const key = rowKey(indexId, ROW.DOCS, 8);
  key.writeUInt32BE(segment, 6);
  key.writeUInt32BE(first, 10);
  return key;
}

export function getDocs(indexId: number, segment: number): KeyRange {
  return under(docsKey(indexId, segment, 0).subarray(0, 10));
}

/** Ids of objects and their numbers of words, one after the other, as differences: zigzag varints, then varints. */
export function encodeDocs(ids: readonly number[], lengths: readonly number[]): Buffer {
  const writer = new ByteWriter(ids.length * 3);
  let before = 0;
  ids.forEach((id, i) => {
    const delta = id - before;
    writer.varint(delta >= 0 ? delta * 2 : -delta * 2 - 1).varint(lengths[i] ?? 0);
    before = id;
  });
  return writer.done();
}

/** Calls back with each doc of a row, in order. */
export function visitDocs(row: Buffer, visit: (id: number, length: number) => void): void {
  let before = 0;
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = row[at++] ?? 0;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  while (at < row.length) {
    const zigzag = varint();
    before += zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
    visit(before, varint());
  }
}

export function termsKey(indexId: number, segment: number, first: Word): Buffer {
  const key = rowKey(indexId, ROW.TERMS, 4 + first.length);
  key.writeUInt32BE(segment, 6);
  key.write(first, 10, 'latin1');
  return key;
}

/** Rows of words up to a word (inclusive), by their first words. Default: all */
export function getTerms(indexId: number, segment: number, last?: Word): KeyRange {
  const all = under(termsKey(indexId, segment, ''));
  return last === undefined ? all : { start: all.start, end: termsKey(indexId, segment, `${last}\0`) };
}

/** Bytes of a long list in one row. */
export const LIST_PART_BYTES = 64 * 1024;

export function listKey(indexId: number, segment: number, list: number, part = 0): Buffer {
  const key = rowKey(indexId, ROW.LISTS, 12);
  key.writeUInt32BE(segment, 6);
  key.writeUInt32BE(list, 10);
  key.writeUInt32BE(part, 14);
  return key;
}

export function getListParts(indexId: number, segment: number, list: number): KeyRange {
  return under(listKey(indexId, segment, list).subarray(0, 14));
}

/** The three kinds of rows of a segment, for their removal. */
export function getSegmentRows(indexId: number, segment: number): readonly KeyRange[] {
  return [
    getDocs(indexId, segment),
    getTerms(indexId, segment),
    under(listKey(indexId, segment, 0).subarray(0, 10)),
  ];
}
