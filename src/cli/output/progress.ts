import type { Output } from '../io.js';

/** The interval of the line's updates, so that reports do not slow the work. */
const EVERY_MS = 100;
/** The interval of plain lines without a terminal: a log then proves that the work continues. */
const LOG_EVERY_MS = 10_000;
/** The smallest number of steps with a report: shorter work is over too soon. */
const TOTAL_MIN = 1000;
const BAR_COLUMNS = 24;
/** The minimum width of a terminal for a bar, in columns. */
const COLUMNS_MIN = 70;

/** Reports the progress of long work: one changing line on a terminal, otherwise a plain line at intervals. */
export class Progress {
  #shownAt = Date.now();
  #isShown = false;

  /** @param total the number of steps; undefined when it is unknown */
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
    this.output.paint(
      isTTY ? `\r${this.#barOf(done)}${this.#textOf(done)}\u001b[K` : `${this.#textOf(done)}\n`,
    );
  }

  clear(): void {
    if (this.#isShown) this.output.paint('\r\u001b[K');
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
