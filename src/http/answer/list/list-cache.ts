import type { Cache, CacheBudget } from '../../../lib/cache-budget.js';

/** A larger answer is not kept: it would push out many small ones. */
const ANSWER_BYTES_MAX = 256 * 1024;

interface Kept {
  /** State of the store that the answer was read from. */
  readonly stamp: string;
  readonly body: Buffer;
}

/**
 * Pages as they were sent, as long as nothing in the store changed: whoever shows a list asks for the same one
 * again and again.
 */
export class ListCache {
  private readonly answers: Cache<Kept>;

  constructor(budget: CacheBudget) {
    this.answers = budget.cache('answers');
  }

  /** Undefined when the request was not answered in this state of the store. */
  find(request: string, stamp: string): Buffer | undefined {
    const kept = this.answers.get(request);
    if (kept === undefined || kept.stamp === stamp) return kept?.body;
    this.answers.delete(request);
    return undefined;
  }

  put(request: string, kept: Kept): void {
    if (kept.body.length > ANSWER_BYTES_MAX) this.answers.delete(request);
    else this.answers.set(request, kept, kept.body.length + request.length);
  }
}
