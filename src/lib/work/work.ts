import { ServiceError, unavailable } from '../../errors.js';
import { nextTurn } from './turn.js';

/** Default limit for entries that one request may read. */
export const READ_ENTRIES_MAX = 5_000_000;

export interface WorkLimits {
  /**
   * Aborted when nobody needs the work any more: the client has disconnected, the time limit has passed, or the
   * service shuts down. When the reason is a `ServiceError`, the work ends with it.
   */
  readonly signal?: AbortSignal | undefined;
  /** Limit for index entries, names and records that are read. Default: no limit. */
  readonly entriesMax?: number | undefined;
  /** Resolves when the work may continue after a break. Default: in the next turn of the event loop. */
  readonly turn?: (() => Promise<void>) | undefined;
}

const LIST_ADVICE =
  'narrow it with a selector on an index, ask for fewer facets, or raise --max-read-entries';

/**
 * One piece of work that somebody waits for, for example a list. Code that may run long calls {@link check} wherever
 * it yields, and {@link addEntries} for the entries that it has read.
 */
export class Work {
  #entries = 0;
  #isLimited = true;

  constructor(private readonly limits: WorkLimits = {}) {}

  /** Index entries, names and records read so far. */
  get entries(): number {
    return this.#entries;
  }

  /**
   * Lets other work run.
   * @throws ServiceError as {@link check}, and when the load is too high for this work to continue
   */
  async giveWay(): Promise<void> {
    const { turn = nextTurn } = this.limits;
    await turn();
    this.check();
  }

  /** @throws ServiceError when nobody waits for the work any more */
  check(): void {
    const { signal } = this.limits;
    if (signal?.aborted !== true) return;
    const reason: unknown = signal.reason;
    throw reason instanceof ServiceError ? reason : unavailable('the request was cancelled');
  }

  /**
   * Counts entries that were read.
   * @throws ServiceError `RequestEntityTooLarge` beyond the limit, and as {@link check}
   */
  addEntries(count: number): void {
    this.#entries += count;
    this.expect(0);
    this.check();
  }

  /** From now on counts entries without a limit: the answer has begun and cannot be refused any more. */
  onlyCount(): void {
    this.#isLimited = false;
  }

  /**
   * Refuses work that would read too much, before it begins.
   * @param count lower bound of the entries to read
   * @param advice suggests another way
   * @throws ServiceError `RequestEntityTooLarge` when the count is beyond the limit
   */
  expect(count: number, advice = LIST_ADVICE): void {
    const { entriesMax = Infinity } = this.limits;
    if (!this.#isLimited || this.#entries + count <= entriesMax) return;
    throw new ServiceError(
      'RequestEntityTooLarge',
      `the request would read more than ${entriesMax} index entries; ${advice}`,
    );
  }
}
