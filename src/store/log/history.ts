import { mapMaybe, type MaybePromise } from '../../lib/work/maybe-promise.js';
import type { Engine } from '../engine.js';
import { decodeLogHead, LOG_HEAD_KEY } from './log.js';
import { type Retention, trimLog } from './trim.js';

export interface HistoryLimit {
  readonly bytesMax: number;
  /** Must be cheap and not throw. */
  readonly onPassed: () => void;
}

/** The log of changes as a whole: its size, and the removal of old entries. */
export class History {
  #limit: HistoryLimit = { bytesMax: Infinity, onPassed: () => undefined };

  /** @param now the current time in milliseconds since 1970 */
  constructor(
    private readonly engine: Engine,
    private readonly now: () => number,
  ) {}

  /**
   * Removes old entries from the log, in small commits; see {@link Retention}.
   * @param nowMs milliseconds since 1970. Default: by the store's clock
   */
  trim(retention: Retention, nowMs = this.now()): Promise<number> {
    return trimLog(this.engine, retention, nowMs);
  }

  /** The current size of the log in bytes, including the writes of other processes. */
  bytes(): MaybePromise<number> {
    return mapMaybe(this.engine.get(LOG_HEAD_KEY), (bytes) => decodeLogHead(bytes).bytes);
  }

  /** Calls a listener after each commit of this process that leaves the log larger than a limit. */
  limit(limit: HistoryLimit): void {
    this.#limit = limit;
  }

  /** Must be called after each commit with the size of the log, in bytes. */
  checkLimit(bytes: number): void {
    if (bytes > this.#limit.bytesMax) this.#limit.onPassed();
  }
}
