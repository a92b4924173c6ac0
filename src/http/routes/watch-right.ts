import { hasCode } from '../../errors.js';
import type { MaybePromise } from '../../lib/work/maybe-promise.js';

/** Interval at which the right to watch is checked again, in milliseconds. */
const RECHECK_MS = 10_000;
/** Longest time in which a watch may send its last event, in milliseconds; then it is cut off. */
const FAREWELL_MS = 2_000;

export interface WatchRightOptions {
  /** Throws when the sender of the watch is no longer authorized; undefined when every request is allowed. */
  readonly recheck: (() => MaybePromise<void>) | undefined;
  /** Interval of the checks, in milliseconds. Default 10 s. */
  readonly recheckMs: number | undefined;
}

/** The controls of a watch. */
interface Stream {
  end(): void;
  cutOff(): void;
}

/**
 * Ends a watch when its sender is no longer authorized: a token may be revoked, or expire, while the watch is open.
 * Must be closed with the watch.
 */
export class WatchRight {
  readonly #asking: NodeJS.Timeout | undefined;
  #farewell: NodeJS.Timeout | undefined;
  #isOver = false;
  #reason: unknown;

  constructor(
    { recheck, recheckMs = RECHECK_MS }: WatchRightOptions,
    private readonly stream: Stream,
  ) {
    if (recheck !== undefined) this.#asking = setInterval(() => void this.#ask(recheck), recheckMs).unref();
  }

  /** The error of the lost authorization; undefined while the sender is authorized. */
  get lost(): unknown {
    return this.#reason;
  }

  close(): void {
    this.#isOver = true;
    clearInterval(this.#asking);
    clearTimeout(this.#farewell);
  }

  async #ask(recheck: () => MaybePromise<void>): Promise<void> {
    try {
      await recheck();
    } catch (error) {
      // When the store cannot be read, the rights are not known.
      if (this.#isOver || hasCode(error, 'ServiceUnavailable')) return;
      this.close();
      this.#reason = error;
      this.stream.end();
      this.#farewell = setTimeout(() => this.stream.cutOff(), FAREWELL_MS).unref();
    }
  }
}
