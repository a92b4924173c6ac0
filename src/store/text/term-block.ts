import { ByteReader, ByteWriter } from '../../lib/bytes.js';
import type { Word } from '../../model/words.js';

/**
 * A row of words in order, with their postings. For each word: the number of bytes that it shares with the word before,
 * the rest of it, the number of its docs, and its postings. Postings are two runs of bytes in the block: docs and
 * positions; or, when these are long, the number of a list in separate rows, 0 where a block has runs.
 *
 * - Docs: for each doc, ascending, the difference to the one before (the first one to -1), times two, and one more when the
 *   doc has the word several times; then that number.
 * - Positions: for each doc, its positions in order, the first one as it is, each other one as the difference to the one
 *   before.
 *
 * All numbers are varints.
 */
export interface Postings {
  /** Number of docs. */
  readonly count: number;
  readonly docs: Buffer;
  readonly positions: Buffer;
}

/** The postings of a word in a block. */
export interface TermEntry {
  readonly word: Word;
  readonly count: number;
  readonly postings: Pick<Postings, 'docs' | 'positions'> | LongList;
}

/** Postings in the rows of two lists. */
export interface LongList {
  /** The number of the list of docs; the next number is that of the positions. */
  readonly list: number;
}

export class TermBlockWriter {
  #writer = new ByteWriter(4096);
  #before: Word = '';
  #first: Word | undefined;
  bytes = 0;

  /** The first word; undefined while the block is empty. */
  get first(): Word | undefined {
    return this.#first;
  }

  add({ word, count, postings }: TermEntry): void {
    const shared = commonStart(this.#before, word);
    const rest = Buffer.from(word.slice(shared), 'latin1');
    this.#writer.varint(shared).run(rest).varint(count);
    this.bytes += rest.length + 8;
    if ('list' in postings) {
      this.#writer.varint(postings.list);
    } else {
      this.#writer.varint(0).run(postings.docs).run(postings.positions);
      this.bytes += postings.docs.length + postings.positions.length;
    }
    this.#first ??= word;
    this.#before = word;
  }

  /** The row. The block is empty afterwards. */
  take(): Buffer {
    const row = this.#writer.done();
    this.#writer = new ByteWriter(4096);
    this.#before = '';
    this.#first = undefined;
    this.bytes = 0;
    return row;
  }
}

/** The words of a row from a word on, in order; all by default. The postings share memory with it. */
export function* entriesOfBlock(row: Buffer, from: Word = ''): Generator<TermEntry> {
  const reader = new ByteReader(row);
  let word: Word = from.slice(0, skipTo(reader, row, from));
  while (!reader.atEnd) {
    const shared = reader.varint();
    word = word.slice(0, shared) + reader.run().toString('latin1');
    const count = reader.varint();
    const list = reader.varint();
    const postings = list > 0 ? { list } : { docs: reader.run(), positions: reader.run() };
    yield { word, count, postings };
  }
}

/**
 * Moves the reader to the first word that is not before a word. It compares bytes, and creates no words.
 * @returns number of bytes that the word before that place shares with the wanted one
 */
function skipTo(reader: ByteReader, row: Buffer, wanted: Word): number {
  let matched = 0;
  while (!reader.atEnd) {
    const start = reader.offset;
    const shared = reader.varint();
    const length = reader.varint();
    const rest = reader.offset;
    let same = 0;
    if (shared === matched)
      while (same < length && row[rest + same] === wanted.charCodeAt(matched + same)) same++;
    const isAfter = same < length && (row[rest + same] ?? 0) > wanted.charCodeAt(matched + same);
    if (shared < matched || (shared === matched && (isAfter || matched + same === wanted.length))) {
      reader.offset = start;
      return matched;
    }
    matched += same;
    reader.offset = rest + length;
    reader.varint();
    if (reader.varint() > 0) continue;
    skipRun(reader);
    skipRun(reader);
  }
  return matched;
}

function skipRun(reader: ByteReader): void {
  const length = reader.varint();
  reader.offset += length;
}

function commonStart(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a.charCodeAt(i) !== b.charCodeAt(i)) return i;
  return length;
}
