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

/** The words of a row, in order. The postings share memory with it. */
export function* entriesOfBlock(row: Buffer): Generator<TermEntry> {
  const reader = new ByteReader(row);
  let word: Word = '';
  while (!reader.atEnd) {
    const shared = reader.varint();
    word = word.slice(0, shared) + reader.run().toString('latin1');
    const count = reader.varint();
    const list = reader.varint();
    const postings = list > 0 ? { list } : { docs: reader.run(), positions: reader.run() };
    yield { word, count, postings };
  }
}

function commonStart(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a.charCodeAt(i) !== b.charCodeAt(i)) return i;
  return length;
}
