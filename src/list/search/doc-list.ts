import type { Resumable } from '../../lib/work/yield.js';

/** Docs of a part that have a word, ascending, and how often each has it. */
export interface DocList {
  readonly docs: Uint32Array;
  readonly times: Uint32Array;
  readonly size: number;
}

export const NO_DOCS: DocList = { docs: new Uint32Array(0), times: new Uint32Array(0), size: 0 };

/** Docs that are decoded without a break. */
const STEP = 16_384;

/** Decodes the docs of postings (`term-block.ts`), with breaks. */
export function* decodeDocs(bytes: Uint8Array, count: number, dead?: Uint32Array): Resumable<DocList> {
  const decoder = new DocsDecoder(bytes, count, dead);
  while (decoder.step()) yield;
  return decoder;
}

class DocsDecoder implements DocList {
  readonly docs: Uint32Array;
  readonly times: Uint32Array;
  size = 0;
  #at = 0;
  #doc = -1;

  /** @param dead a bit for each doc that is left out */
  constructor(
    private readonly bytes: Uint8Array,
    count: number,
    private readonly dead: Uint32Array | undefined,
  ) {
    this.docs = new Uint32Array(count);
    this.times = new Uint32Array(count);
  }

  /** @returns false at the end */
  step(): boolean {
    const { bytes, docs, times, dead } = this;
    const end = bytes.length;
    let at = this.#at;
    let doc = this.#doc;
    let { size } = this;
    for (let left = STEP; left > 0 && at < end; left--) {
      let byte = bytes[at++] ?? 0;
      let number = byte & 0x7f;
      for (let shift = 7; byte >= 0x80; shift += 7) {
        byte = bytes[at++] ?? 0;
        number |= (byte & 0x7f) << shift;
      }
      doc += number >>> 1;
      let count = 1;
      if ((number & 1) === 1) {
        byte = bytes[at++] ?? 0;
        count = byte & 0x7f;
        for (let shift = 7; byte >= 0x80; shift += 7) {
          byte = bytes[at++] ?? 0;
          count |= (byte & 0x7f) << shift;
        }
      }
      if (dead !== undefined && ((dead[doc >>> 5] ?? 0) & (1 << (doc & 31))) !== 0) continue;
      docs[size] = doc;
      times[size++] = count;
    }
    this.#at = at;
    this.#doc = doc;
    this.size = size;
    return at < end;
  }
}

/** Lists that are joined by a number for each doc when they have at least one doc of this many. */
const DENSE = 32;
/** Greater than how often a doc can have a word. */
const TIMES_LIMIT = 2 ** 22;

/** The docs of all lists, which have it as often as all lists say together. */
export function* joinLists(lists: readonly DocList[], docCount: number): Resumable<DocList> {
  const [only] = lists;
  if (only === undefined) return NO_DOCS;
  if (lists.length === 1) return only;
  const sum = lists.reduce((total, { size }) => total + size, 0);
  return sum * DENSE < docCount ? joinFew(lists, sum) : yield* joinMany(lists, docCount, sum);
}

function joinFew(lists: readonly DocList[], sum: number): DocList {
  const packed = new Float64Array(sum);
  let at = 0;
  for (const { docs, times, size } of lists)
    for (let i = 0; i < size; i++) packed[at++] = (docs[i] ?? 0) * TIMES_LIMIT + (times[i] ?? 0);
  packed.sort();
  const joined = { docs: new Uint32Array(sum), times: new Uint32Array(sum) };
  let size = 0;
  for (let i = 0; i < sum; i++) {
    const doc = Math.floor((packed[i] ?? 0) / TIMES_LIMIT);
    const count = (packed[i] ?? 0) % TIMES_LIMIT;
    if (size > 0 && joined.docs[size - 1] === doc) {
      joined.times[size - 1] = (joined.times[size - 1] ?? 0) + count;
    } else {
      joined.docs[size] = doc;
      joined.times[size++] = count;
    }
  }
  return { ...joined, size };
}

function* joinMany(lists: readonly DocList[], docCount: number, sum: number): Resumable<DocList> {
  const timesOf = new Uint32Array(docCount);
  for (const { docs, times, size } of lists) {
    for (let i = 0; i < size; i++) {
      const doc = docs[i] ?? 0;
      timesOf[doc] = (timesOf[doc] ?? 0) + (times[i] ?? 0);
    }
    yield;
  }
  const most = Math.min(sum, docCount);
  const joined = { docs: new Uint32Array(most), times: new Uint32Array(most) };
  let size = 0;
  for (let doc = 0; doc < docCount; doc++) {
    const count = timesOf[doc] ?? 0;
    if (count === 0) continue;
    joined.docs[size] = doc;
    joined.times[size++] = count;
  }
  return { ...joined, size };
}
