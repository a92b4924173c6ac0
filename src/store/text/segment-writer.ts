import type { Word } from '../../model/words.js';
import type { Engine, Transaction } from '../engine.js';
import {
  docsKey,
  DOCS_OF_ROW,
  encodeDocs,
  listKey,
  LIST_PART_BYTES,
  termsKey,
  type TextSegment,
} from './rows.js';
import { TermBlockWriter, type Postings } from './term-block.js';

/** Bytes of a block before its row is written: with the head of a row, four pages of LMDB are full. */
const BLOCK_BYTES = 15 * 1024;
/** Longer postings of a word have separate rows. */
const INLINE_BYTES_MAX = 4 * 1024;
/** Bytes of rows in one commit, which blocks other writers for its duration. */
const COMMIT_BYTES = 256 * 1024;

export interface SegmentWriterOptions {
  readonly engine: Engine;
  readonly indexId: number;
  readonly segment: number;
  /** Throws when the segment was given up by another process. */
  readonly stillMine: (tx: Transaction) => void;
}

/** Writes the rows of a segment, in small commits: first all docs, then the words in order. */
export class SegmentWriter {
  readonly #block = new TermBlockWriter();
  #rows: { readonly key: Buffer; readonly value: Buffer }[] = [];
  #waitingBytes = 0;
  #bytes = 0;
  #docs = 0;
  #lists = 1;
  #ids: number[] = [];
  #lengths: number[] = [];

  constructor(private readonly options: SegmentWriterOptions) {}

  /** True when rows wait for {@link commit}. */
  get isFull(): boolean {
    return this.#waitingBytes >= COMMIT_BYTES;
  }

  addDoc(id: number, length: number): void {
    this.#ids.push(id);
    this.#lengths.push(length);
    if (this.#ids.length === DOCS_OF_ROW) this.#endDocs();
  }

  addWord(word: Word, { count, docs, positions }: Postings): void {
    if (this.#docs === 0 || this.#ids.length > 0) this.#endDocs();
    if (docs.length + positions.length > INLINE_BYTES_MAX) {
      const list = this.#lists;
      this.#lists += 2;
      this.#putList(list, docs);
      this.#putList(list + 1, positions);
      this.#block.add({ word, count, postings: { list } });
    } else {
      this.#block.add({ word, count, postings: { docs, positions } });
    }
    if (this.#block.bytes >= BLOCK_BYTES) this.#endBlock();
  }

  /** Writes the waiting rows. */
  async commit(): Promise<void> {
    const rows = this.#rows;
    this.#rows = [];
    this.#waitingBytes = 0;
    await this.options.engine.commit((tx) => {
      this.options.stillMine(tx);
      for (const { key, value } of rows) tx.put(key, value);
    });
  }

  /** Writes the rest. */
  async end(): Promise<TextSegment> {
    this.#endDocs();
    this.#endBlock();
    await this.commit();
    return { id: this.options.segment, docs: this.#docs, bytes: this.#bytes };
  }

  #endDocs(): void {
    if (this.#ids.length === 0) return;
    const { indexId, segment } = this.options;
    this.#put(docsKey(indexId, segment, this.#docs), encodeDocs(this.#ids, this.#lengths));
    this.#docs += this.#ids.length;
    this.#ids = [];
    this.#lengths = [];
  }

  #endBlock(): void {
    const { first } = this.#block;
    const { indexId, segment } = this.options;
    if (first !== undefined) this.#put(termsKey(indexId, segment, first), this.#block.take());
  }

  #putList(list: number, bytes: Buffer): void {
    const { indexId, segment } = this.options;
    for (let at = 0; at < bytes.length; at += LIST_PART_BYTES)
      this.#put(listKey(indexId, segment, list, at), bytes.subarray(at, at + LIST_PART_BYTES));
  }

  #put(key: Buffer, value: Buffer): void {
    this.#rows.push({ key, value });
    this.#waitingBytes += key.length + value.length;
    this.#bytes += key.length + value.length;
  }
}
