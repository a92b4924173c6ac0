import { grownFloat64s, grownUint32s } from '../../lib/grown-arrays.js';
import { visitWords, wordCountIn, type Word } from '../../model/words.js';
import type { FreshRow } from '../../store/text/rows.js';

const NEVER = Infinity;
/** Approximate memory of a doc, of a word, and of a doc of a word. */
const DOC_BYTES = 200;
const WORD_BYTES = 150;
const POSTING_BYTES = 16;

/**
 * The words of fresh rows in memory. A row is a doc, whose number counts from the first row. Rows are only added, so the docs
 * of an earlier moment stay known: those before its next row that no row before it replaces.
 */
export class FreshWords {
  /** Ids of the objects, by doc. */
  ids = new Float64Array(64);
  /** Numbers of words, by doc. */
  lengths = new Uint32Array(64);
  /** Rows that replace the docs; {@link NEVER} without one. */
  #replaced = new Float64Array(64);
  readonly #documents: (Buffer | undefined)[] = [];
  readonly #newest = new Map<number, number>();
  /** For each word its docs and how often each has it, one after the other. */
  readonly #lists = new Map<Word, number[]>();
  /** Approximate memory. */
  bytes = 0;

  /** @param first number of the first row */
  constructor(readonly first: number) {}

  /** Number of docs. */
  get size(): number {
    return this.#documents.length;
  }

  get nextRow(): number {
    return this.first + this.#documents.length;
  }

  /** Ids of the objects of the rows from a number (inclusive) to another one (exclusive), with repetitions. */
  objectsBetween(from: number, to: number): Float64Array {
    return this.ids.subarray(from - this.first, to - this.first);
  }

  /** Adds the next row. */
  add({ objectId, document }: FreshRow): void {
    const doc = this.#documents.length;
    if (doc === this.ids.length) this.#grow();
    const older = this.#newest.get(objectId);
    if (older !== undefined) this.#replaced[older] = this.first + doc;
    this.#newest.set(objectId, doc);
    this.ids[doc] = objectId;
    this.lengths[doc] = document === undefined ? 0 : wordCountIn(document);
    this.#replaced[doc] = NEVER;
    this.#documents.push(document);
    this.bytes += DOC_BYTES + (document?.length ?? 0);
    if (document !== undefined) this.#addWords(doc, document);
  }

  #addWords(doc: number, document: Buffer): void {
    const times = new Map<Word, number>();
    visitWords(document, (word) => void times.set(word, (times.get(word) ?? 0) + 1));
    for (const [word, count] of times) {
      const list = this.#lists.get(word);
      if (list === undefined) {
        this.#lists.set(word, [doc, count]);
        this.bytes += WORD_BYTES;
      } else list.push(doc, count);
    }
    this.bytes += times.size * POSTING_BYTES;
  }

  #grow(): void {
    this.ids = grownFloat64s(this.ids);
    this.lengths = grownUint32s(this.lengths);
    this.#replaced = grownFloat64s(this.#replaced);
  }

  /** True for the doc that has the words of its object at a moment. */
  isCurrent(doc: number, nextRow: number): boolean {
    return this.first + doc < nextRow && (this.#replaced[doc] ?? 0) >= nextRow;
  }

  /** The docs with a word and how often each has it, one after the other; undefined without a doc. */
  find(word: Word): readonly number[] | undefined {
    return this.#lists.get(word);
  }

  *findAll(prefix: Word): Generator<readonly number[]> {
    for (const [word, list] of this.#lists) if (word.startsWith(prefix)) yield list;
  }

  /** The positions of a word in a doc, in order. */
  positionsIn(doc: number, wanted: Word): number[] {
    const positions: number[] = [];
    const document = this.#documents[doc];
    if (document !== undefined)
      visitWords(document, (word, position) => {
        if (word === wanted) positions.push(position);
      });
    return positions;
  }
}
