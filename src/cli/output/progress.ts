import type { Output } from '../io.js';

/** Times between two states of the line, so that work is not slowed by telling about it. */
const EVERY_MS = 100;

/** A line on a terminal that says how far long work is; anywhere else it says nothing. */
export class Progress {
  #shownAt = 0;
  #isShown = false;

  constructor(
    private readonly output: Output,
    private readonly verb: string,
    private readonly total: number,
  ) {}

  show(done: number): void {
    const now = Date.now();
    if (!this.output.isTTY || this.total < 1000 || now - this.#shownAt < EVERY_MS) return;
    this.#shownAt = now;
    this.#isShown = true;
    this.output.write(`\r${this.verb} ${done} of ${this.total}\u001b[K`);
  }

  /** Takes the line away. */
  clear(): void {
    if (this.#isShown) this.output.write('\r\u001b[K');
    this.#isShown = false;
  }
}
