import { ServiceError } from '../../errors.js';
import type { MaybePromise } from '../../lib/work/maybe-promise.js';

/** How often it is asked whether who watches still may. */
const RECHECK_MS = 10_000;
/** How long a watch may take to say that it is over; after that it is cut off. */
const FAREWELL_MS = 2_000;

export interface WatchRightOptions {
  /** Throws when who watches may do so no more; undefined where everybody may. */
  readonly recheck: (() => MaybePromise<void>) | undefined;
  /** How often that is asked, in milliseconds. Default 10 s. */
  readonly recheckMs: number | undefined;
}

/** What can be done to a watch. */
interface Stream {
  end(): void;
  cutOff(): void;
}

/**
 * Ends a watch when who watches may do so no more: a token may be taken away, or expire, while nothing is asked for.
 * Must be closed with the watch.
 */
export class WatchRight {
  private readonly asking: NodeJS.Timeout | undefined;
  private farewell: NodeJS.Timeout | undefined;
  private isOver = false;
  private reason: unknown;

  constructor(
    { recheck, recheckMs = RECHECK_MS }: WatchRightOptions,
    private readonly stream: Stream,
  ) {
    if (recheck !== undefined) this.asking = setInterval(() => void this.ask(recheck), recheckMs).unref();
  }

  /** Why who watches may do so no more; undefined as long as they may. */
  get lost(): unknown {
    return this.reason;
  }

  close(): void {
    this.isOver = true;
    clearInterval(this.asking);
    clearTimeout(this.farewell);
  }

  private async ask(recheck: () => MaybePromise<void>): Promise<void> {
    try {
      await recheck();
    } catch (error) {
      // A store that cannot be read says nothing about rights.
      if (this.isOver || (error instanceof ServiceError && error.code === 'ServiceUnavailable')) return;
      this.close();
      this.reason = error;
      this.stream.end();
      this.farewell = setTimeout(() => this.stream.cutOff(), FAREWELL_MS).unref();
    }
  }
}
