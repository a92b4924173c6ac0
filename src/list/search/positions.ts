import { uninitializedUint32s } from '../../lib/uninitialized-arrays.js';
import type { Resumable } from '../../lib/work/yield.js';
import type { Postings } from '../../store/text/term-block.js';

/** Positions in some docs, in order: those of the i-th doc are from `starts[i]` to `starts[i + 1]` (exclusive). */
export interface Positions {
  readonly starts: Uint32Array;
  readonly all: Uint32Array;
}

/** Docs that are decoded without a break. */
const STEP = 8_192;

/**
 * The positions of a word in the wanted docs, with breaks.
 * @param wanted ascending; some may not have the word
 */
export function* decodePositions(postings: Postings, wanted: Uint32Array): Resumable<Positions> {
  const decoder = new PositionsDecoder(postings, wanted);
  while (decoder.step()) yield;
  return decoder;
}

class PositionsDecoder implements Positions {
  readonly starts: Uint32Array;
  readonly all: Uint32Array;
  readonly #docs: Uint8Array;
  readonly #positions: Uint8Array;
  #docsAt = 0;
  #positionsAt = 0;
  #doc = -1;
  #size = 0;
  /** Number of wanted docs whose positions are known. */
  #done = 0;

  constructor(
    { docs, positions }: Postings,
    private readonly wanted: Uint32Array,
  ) {
    this.#docs = docs;
    this.#positions = positions;
    this.starts = new Uint32Array(wanted.length + 1);
    this.all = uninitializedUint32s(positions.length);
  }

  /** @returns false at the end */
  step(): boolean {
    const { wanted } = this;
    for (let left = STEP; left > 0 && this.#done < wanted.length; left--) {
      if (this.#docsAt >= this.#docs.length) {
        this.#pass(Infinity);
        return false;
      }
      const times = this.#nextDoc();
      this.#pass(this.#doc);
      if (wanted[this.#done] === this.#doc) {
        this.#read(times);
        this.starts[++this.#done] = this.#size;
      } else this.#skip(times);
    }
    return this.#done < wanted.length;
  }

  /** The wanted docs before one have no positions. */
  #pass(doc: number): void {
    while (this.#done < this.wanted.length && (this.wanted[this.#done] ?? 0) < doc)
      this.starts[++this.#done] = this.#size;
  }

  /** @returns how often the next doc has the word */
  #nextDoc(): number {
    const number = this.#nextNumber();
    this.#doc += number >>> 1;
    return (number & 1) === 0 ? 1 : this.#nextNumber();
  }

  #nextNumber(): number {
    const bytes = this.#docs;
    let byte = bytes[this.#docsAt++] ?? 0;
    let number = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = bytes[this.#docsAt++] ?? 0;
      number |= (byte & 0x7f) << shift;
    }
    return number;
  }

  #read(times: number): void {
    const bytes = this.#positions;
    let at = this.#positionsAt;
    let position = 0;
    for (let left = times; left > 0; left--) {
      let byte = bytes[at++] ?? 0;
      let number = byte & 0x7f;
      for (let shift = 7; byte >= 0x80; shift += 7) {
        byte = bytes[at++] ?? 0;
        number |= (byte & 0x7f) << shift;
      }
      position += number;
      this.all[this.#size++] = position;
    }
    this.#positionsAt = at;
  }

  #skip(times: number): void {
    const bytes = this.#positions;
    let at = this.#positionsAt;
    for (let left = times; left > 0; left--) while ((bytes[at++] ?? 0) >= 0x80);
    this.#positionsAt = at;
  }
}

/**
 * The positions at which a phrase begins and the word at a distance follows.
 * @param begins positions at which the words before the distance are right
 */
export function followedBy(begins: Positions, next: Positions, distance: number): Positions {
  const starts = new Uint32Array(begins.starts.length);
  const all = new Uint32Array(Math.min(begins.all.length, next.all.length));
  let size = 0;
  for (let doc = 0; doc + 1 < starts.length; doc++) {
    let [at, to] = [begins.starts[doc] ?? 0, next.starts[doc] ?? 0];
    const [end, nextEnd] = [begins.starts[doc + 1] ?? 0, next.starts[doc + 1] ?? 0];
    while (at < end && to < nextEnd) {
      const wanted = (begins.all[at] ?? 0) + distance;
      const position = next.all[to] ?? 0;
      if (position === wanted) all[size++] = begins.all[at] ?? 0;
      if (position <= wanted) to++;
      if (position >= wanted) at++;
    }
    starts[doc + 1] = size;
  }
  return { starts, all };
}
