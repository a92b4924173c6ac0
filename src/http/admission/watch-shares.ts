import { ServiceError } from '../../errors.js';
import { formatSize } from '../../lib/time/duration.js';

export interface WatchLimits {
  /** Most concurrent watches of one sender. */
  readonly watchesMax: number;
  /**
   * Most characters of selectors and filters in all watches of a sender: each change is compared with all of them.
   */
  readonly textMax: number;
}

const LIMITS: WatchLimits = { watchesMax: 10_000, textMax: 512 * 1024 };
const RETRY_SECONDS = 10;

interface Share {
  watches: number;
  text: number;
}

/** Counts the open watches of each sender and the size of their filters. */
export class WatchShares {
  readonly #limits: WatchLimits;
  readonly #shares = new Map<string, Share>();
  #refused = 0;

  constructor(limits: Partial<WatchLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  get refused(): number {
    return this.#refused;
  }

  get senders(): number {
    return this.#shares.size;
  }

  /**
   * Counts a watch.
   * @param text its selectors and filters
   * @returns removes it from the count
   * @throws ServiceError `TooManyRequests` when the sender has too many open watches or filters
   */
  enter(sender: string, text: string): () => void {
    const { watchesMax, textMax } = this.#limits;
    const share = this.#shares.get(sender) ?? { watches: 0, text: 0 };
    if (share.watches >= watchesMax) throw this.#refuse(`${watchesMax} watches`);
    if (share.text + text.length > textMax)
      throw this.#refuse(`${formatSize(textMax)} of selectors and filters of open watches`);
    this.#shares.set(sender, share);
    share.watches++;
    share.text += text.length;
    return () => {
      share.watches--;
      share.text -= text.length;
      if (share.watches === 0) this.#shares.delete(sender);
    };
  }

  #refuse(what: string): ServiceError {
    this.#refused++;
    return new ServiceError(
      'TooManyRequests',
      `one sender may have at most ${what} at the same time; close other watches, or use fewer conditions`,
      { retryAfterSeconds: RETRY_SECONDS },
    );
  }
}
