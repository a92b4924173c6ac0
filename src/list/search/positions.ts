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
  #docsAt = 0;
  #positionsAt = 0;
  #doc = -1;
  #size = 0;
  /** Number of wanted docs whose positions are known. */
  #done = 0;

  constructor(
    private readonly postings: Postings,
    private readonly wanted: Uint32Array,
  ) {
    this.starts = new Uint32Array(wanted.length + 1);
    this.all = uninitializedUint32s(postings.positions.length);
  }

  /** @returns false at the end */
  step(): boolean {
    const { wanted, starts } = this;
    const docs: Uint8Array = this.postings.docs;
    const positions: Uint8Array = this.postings.positions;
    const end = docs.length;
    let at = this.#docsAt;
    let positionsAt = this.#positionsAt;
    let doc = this.#doc;
    let done = this.#done;
    for (let left = STEP; left > 0 && at < end && done < wanted.length; left--) {
      let byte = docs[at++] ?? 0;
      let number = byte & 0x7f;
      for (let shift = 7; byte >= 0x80; shift += 7) {
        byte = docs[at++] ?? 0;
        number |= (byte & 0x7f) << shift;
      }
      doc += number >>> 1;
      let times = 1;
      if ((number & 1) === 1) {
        byte = docs[at++] ?? 0;
        times = byte & 0x7f;
        for (let shift = 7; byte >= 0x80; shift += 7) {
          byte = docs[at++] ?? 0;
          times |= (byte & 0x7f) << shift;
        }
      }
      // Wanted docs before this one do not have the word.
      while (done < wanted.length && (wanted[done] ?? 0) < doc) starts[++done] = this.#size;
      if (done < wanted.length && wanted[done] === doc) {
        positionsAt = this.#read(positionsAt, times);
        starts[++done] = this.#size;
      } else for (; times > 0; times--) while ((positions[positionsAt++] ?? 0) >= 0x80);
    }
    this.#docsAt = at;
    this.#positionsAt = positionsAt;
    this.#doc = doc;
    if (at >= end) while (done < wanted.length) starts[++done] = this.#size;
    this.#done = done;
    return done < wanted.length;
  }

  /** @returns the place after the positions */
  #read(from: number, times: number): number {
    const { all } = this;
    const bytes: Uint8Array = this.postings.positions;
    let size = this.#size;
    let at = from;
    let position = 0;
    for (let left = times; left > 0; left--) {
      let byte = bytes[at++] ?? 0;
      let number = byte & 0x7f;
      for (let shift = 7; byte >= 0x80; shift += 7) {
        byte = bytes[at++] ?? 0;
        number |= (byte & 0x7f) << shift;
      }
      position += number;
      all[size++] = position;
    }
    this.#size = size;
    return at;
  }
}

/**
 * The positions at which a phrase begins and the word at a distance follows.
 * @param begins positions at which the words before the distance are right
 */
export function followedBy(begins: Positions, next: Positions, distance: number): Positions {
  const { starts: ownStarts, all: own } = begins;
  const { starts: nextStarts, all: others } = next;
  const starts = new Uint32Array(ownStarts.length);
  const all = uninitializedUint32s(Math.min(own.length, others.length));
  const docs = starts.length - 1;
  let size = 0;
  for (let doc = 0; doc < docs; doc++) {
    let at = ownStarts[doc] ?? 0;
    let to = nextStarts[doc] ?? 0;
    const end = ownStarts[doc + 1] ?? 0;
    const nextEnd = nextStarts[doc + 1] ?? 0;
    while (at < end && to < nextEnd) {
      const wanted = (own[at] ?? 0) + distance;
      const position = others[to] ?? 0;
      if (position === wanted) all[size++] = own[at] ?? 0;
      if (position <= wanted) to++;
      if (position >= wanted) at++;
    }
    starts[doc + 1] = size;
  }
  return { starts, all };
}
