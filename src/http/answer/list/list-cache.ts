import type { Cache, CacheBudget } from '../../../lib/cache-budget.js';
import type { KeptPage, RenewedPage } from '../../../service/read/kept-page.js';

/** Largest cached answer, in bytes: a larger one would evict many small ones. */
const ANSWER_BYTES_MAX = 256 * 1024;
/** Memory of an answer's {@link KeptPage}, about. */
const PAGE_BYTES = 1024;

interface Kept {
  readonly page: KeptPage;
  /** State of the store in which the answer is known to be right. */
  readonly stamp: string;
  readonly body: Buffer;
}

/**
 * Caches pages as sent: a client that displays a list requests the same one repeatedly. After writes, a page is
 * compared with their changes, and sent again with a new resource version when they do not concern it.
 */
export class ListCache {
  readonly #answers: Cache<Kept>;

  /** @param renew compares a page with the changes since */
  constructor(
    budget: CacheBudget,
    private readonly renew: (page: KeptPage) => Promise<RenewedPage | undefined>,
  ) {
    this.#answers = budget.cache('answers');
  }

  /** Undefined without an answer to the request in this state of the store, or in a later one. */
  async find(request: string, stamp: string): Promise<Buffer | undefined> {
    const kept = this.#answers.get(request);
    if (kept === undefined || kept.stamp === stamp) return kept?.body;
    const renewed = await this.renew(kept.page);
    if (renewed === undefined) {
      this.#answers.delete(request);
      return undefined;
    }
    const body = withResourceVersion(kept.body, renewed.resourceVersion);
    this.put(request, { page: renewed.page, stamp: renewed.stamp, body });
    return body;
  }

  put(request: string, kept: Kept): void {
    if (kept.body.length > ANSWER_BYTES_MAX) this.#answers.delete(request);
    else this.#answers.set(request, kept, kept.body.length + request.length + PAGE_BYTES);
  }
}

const RESOURCE_VERSION = '"resourceVersion":"';

/** A list with another resource version; that of the list comes before those of its objects. */
function withResourceVersion(list: Buffer, resourceVersion: string): Buffer {
  const start = list.indexOf(RESOURCE_VERSION) + RESOURCE_VERSION.length;
  const end = list.indexOf('"', start);
  return Buffer.concat([list.subarray(0, start), Buffer.from(resourceVersion), list.subarray(end)]);
}
