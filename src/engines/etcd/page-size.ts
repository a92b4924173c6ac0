import { TooLong } from './exchange.js';

/** Most pairs of a request. */
const PAIRS_MAX = 4_000;
const PAIRS_FIRST = 64;

/** Adapts the number of pairs in a request, because the bytes of an answer cannot be limited otherwise. */
export class PageSize {
  #pairs = PAIRS_FIRST;

  constructor(private readonly pairsMax = PAIRS_MAX) {}

  /** Requests some pairs, and fewer when the answer was too long. */
  async ask<T>(page: (pairs: number) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const answer = await page(this.#pairs);
        this.#pairs = Math.min(this.pairsMax, this.#pairs * 2);
        return answer;
      } catch (error) {
        if (!(error instanceof TooLong) || this.#pairs === 1) throw error;
        this.#pairs = Math.max(1, this.#pairs >> 2);
      }
    }
  }
}
