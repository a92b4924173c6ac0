import { weigh, type WordWeight } from './bm25.js';
import type { DocList } from './doc-list.js';

/** Docs of a part that have all words so far, ascending, with their scores. */
export class Candidates {
  readonly #docs: Uint32Array;
  readonly #times: Uint32Array;
  readonly #scores: Float64Array;
  size: number;

  /** @param list docs of the first word; its arrays are used */
  constructor({ docs, times, size }: DocList) {
    this.#docs = docs;
    this.#times = times;
    this.#scores = new Float64Array(size);
    this.size = size;
  }

  get docs(): Uint32Array {
    return this.#docs.subarray(0, this.size);
  }

  get scores(): Float64Array {
    return this.#scores.subarray(0, this.size);
  }

  /** Keeps those that have one more word. */
  keep({ docs: others, times: othersTimes, size: end }: DocList): void {
    const docs = this.#docs;
    const scores = this.#scores;
    const times = this.#times;
    const { size } = this;
    let kept = 0;
    let at = 0;
    for (let i = 0; i < size; i++) {
      const doc = docs[i] ?? 0;
      while (at < end && (others[at] ?? 0) < doc) at++;
      if (at === end) break;
      if (others[at] !== doc) continue;
      docs[kept] = doc;
      scores[kept] = scores[i] ?? 0;
      times[kept++] = othersTimes[at] ?? 0;
    }
    this.size = kept;
  }

  /** Keeps those for whose place the function is true. */
  filter(holds: (i: number) => boolean): void {
    let kept = 0;
    for (let i = 0; i < this.size; i++) {
      if (!holds(i)) continue;
      this.#docs[kept] = this.#docs[i] ?? 0;
      this.#scores[kept++] = this.#scores[i] ?? 0;
    }
    this.size = kept;
  }

  /** Removes those that have a word. */
  remove({ docs: others, size: end }: DocList): void {
    let at = 0;
    this.filter((i) => {
      const doc = this.#docs[i] ?? 0;
      while (at < end && (others[at] ?? 0) < doc) at++;
      return at === end || others[at] !== doc;
    });
  }

  /** Adds the scores of the last word. @param lengths numbers of words, by doc */
  score(lengths: Uint32Array, weight: WordWeight): void {
    weigh(this, this.#times, lengths, weight);
  }
}
