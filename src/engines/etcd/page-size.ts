import { TooLong } from './exchange.js';

/** Pairs that are asked for at most. */
const PAIRS_MAX = 4_000;
const PAIRS_FIRST = 64;

/** Finds how many pairs fit into an answer, whose bytes cannot be bounded otherwise. */
export class PageSize {
  #pairs = PAIRS_FIRST;

  constructor(private readonly pairsMax = PAIRS_MAX) {}

  /** Asks for some pairs, and for fewer when those were too many. */
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
