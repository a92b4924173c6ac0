import type { Clock } from '../time/clock.js';

const MINUTE_MS = 60_000;

/** Prevents code of others that always fails from filling the log. */
export class LogLimit {
  #began = -Infinity;
  #written = 0;
  #suppressed = 0;

  constructor(
    private readonly clock: Clock,
    private readonly linesPerMinute: number,
  ) {}

  /**
   * Writes a line, except when this minute already had too many.
   * @param line receives the number of lines that were suppressed before it
   */
  write(line: (suppressed: number) => void): void {
    const now = this.clock.now();
    if (now - this.#began >= MINUTE_MS) {
      this.#began = now;
      this.#written = 0;
    }
    if (this.#written >= this.linesPerMinute) {
      this.#suppressed++;
      return;
    }
    this.#written++;
    const suppressed = this.#suppressed;
    this.#suppressed = 0;
    line(suppressed);
  }
}
