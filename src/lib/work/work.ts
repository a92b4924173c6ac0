import { setImmediate as nextTurn } from 'node:timers/promises';
import { ServiceError, unavailable } from '../../errors.js';

/** Entries that one request may read, when nothing else is configured. */
export const READ_ENTRIES_MAX = 5_000_000;

export interface WorkLimits {
  /**
   * Aborted when the work is of no use any more: its client has gone, its time limit has passed, or the service shuts
   * down. A `ServiceError` as its reason is what the work ends with.
   */
  readonly signal?: AbortSignal | undefined;
  /** Index entries, names and records that may be read. Default: no limit. */
  readonly entriesMax?: number | undefined;
  /** Resolves when the work may go on after a break. Default: in the next turn of the event loop. */
  readonly turn?: (() => Promise<void>) | undefined;
}

const LIST_ADVICE =
  'narrow it with a selector on an index, ask for fewer facets, or raise --max-read-entries';

/**
 * One piece of work that somebody waits for, for example a list. Code that may run long calls {@link check} wherever it
 * yields, and {@link addEntries} for what it has read.
 */
export class Work {
  #entries = 0;
  #isLimited = true;

  constructor(private readonly limits: WorkLimits = {}) {}

  /** Index entries, names and records read so far. */
  get entries(): number {
    return this.#entries;
  }

  /** Lets other work run. @throws ServiceError as {@link check}, and where there is too much work for this to go on */
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
   * Counts what was read.
   * @throws ServiceError `RequestEntityTooLarge` beyond the limit, and as {@link check}
   */
  addEntries(count: number): void {
    this.#entries += count;
    this.expect(0);
    this.check();
  }

  /** Counts what is read without a limit from now on: the answer has begun and cannot be refused any more. */
  onlyCount(): void {
    this.#isLimited = false;
  }

  /**
   * Refuses what would read too much, before it is begun.
   * @param count entries that it reads at least
   * @param advice tells how it can be done all the same
   * @throws ServiceError `RequestEntityTooLarge` when they are beyond the limit
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
