import type { Cache, CacheBudget } from '../../../lib/cache-budget.js';

/** Largest cached answer, in bytes: a larger one would evict many small ones. */
const ANSWER_BYTES_MAX = 256 * 1024;

interface Kept {
  /** State of the store from which the answer was read. */
  readonly stamp: string;
  readonly body: Buffer;
}

/**
 * Caches pages as sent, while the store is unchanged: a client that displays a list requests the same one repeatedly.
 */
export class ListCache {
  readonly #answers: Cache<Kept>;

  constructor(budget: CacheBudget) {
    this.#answers = budget.cache('answers');
  }

  /** Undefined without an answer to the request in this state of the store. */
  find(request: string, stamp: string): Buffer | undefined {
    const kept = this.#answers.get(request);
    if (kept === undefined || kept.stamp === stamp) return kept?.body;
    this.#answers.delete(request);
    return undefined;
  }

  put(request: string, kept: Kept): void {
    if (kept.body.length > ANSWER_BYTES_MAX) this.#answers.delete(request);
    else this.#answers.set(request, kept, kept.body.length + request.length);
  }
}
