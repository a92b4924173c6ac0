import type { Output } from '../io.js';

/** Times between two states of the line, so that work is not slowed by telling about it. */
const EVERY_MS = 100;
/** Where nobody watches a line, one is written now and then: a log shows that the work goes on. */
const LOG_EVERY_MS = 10_000;
/** Work of fewer steps is over before anybody has read about it. */
const TOTAL_MIN = 1000;
const BAR_COLUMNS = 24;
/** A terminal of fewer columns gets no bar. */
const COLUMNS_MIN = 70;

/** Says how far long work is: one line that changes on a terminal, a plain line now and then anywhere else. */
export class Progress {
  #shownAt = Date.now();
  #isShown = false;

  /** @param total how many steps there are; undefined when that is not known */
  constructor(
    private readonly output: Output,
    private readonly verb: string,
    private readonly total: number | undefined,
  ) {
    if (output.isTTY) this.#shownAt = 0;
  }

  show(done: number): void {
    const { isTTY } = this.output;
    const now = Date.now();
    if ((this.total ?? done) < TOTAL_MIN || now - this.#shownAt < (isTTY ? EVERY_MS : LOG_EVERY_MS)) return;
    this.#shownAt = now;
    this.#isShown = isTTY;
    this.output.write(
      isTTY ? `\r${this.#barOf(done)}${this.#textOf(done)}\u001b[K` : `${this.#textOf(done)}\n`,
    );
  }

  /** Takes the line away. */
  clear(): void {
    if (this.#isShown) this.output.write('\r\u001b[K');
    this.#isShown = false;
  }

  #textOf(done: number): string {
    return this.total === undefined ? `${this.verb} ${done}` : `${this.verb} ${done} of ${this.total}`;
  }

  #barOf(done: number): string {
    if (this.total === undefined || (this.output.columns ?? 0) < COLUMNS_MIN) return '';
    const share = Math.min(1, done / Math.max(1, this.total));
    const full = Math.floor(share * BAR_COLUMNS);
    const percent = String(Math.floor(share * 100)).padStart(3);
    return `[${'#'.repeat(full)}${'.'.repeat(BAR_COLUMNS - full)}] ${percent} % `;
  }
}
