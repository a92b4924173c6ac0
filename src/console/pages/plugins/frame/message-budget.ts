/** The messages that a page may send at once, and in each second. */
export const BURST = 200;
export const PER_SECOND = 50;

/** Counts messages, so that a page cannot keep the console busy. */
export class MessageBudget {
  #left = BURST;
  #at: number;

  /** @param now milliseconds */
  constructor(private readonly now: () => number = () => performance.now()) {
    this.#at = now();
  }

  /** Takes one message. @returns false when there were too many */
  take(): boolean {
    const at = this.now();
    this.#left = Math.min(BURST, this.#left + ((at - this.#at) * PER_SECOND) / 1_000);
    this.#at = at;
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}
