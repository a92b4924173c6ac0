/**
 * Counts the reads that miss a change that one before them had. A process that opens the store may make readers miss the
 * newest commits for a moment, see `openRoot`.
 */
export class ReadOrder {
  /** Number of those who count. */
  #counting = 0;
  #setbacks = 0;
  #newest: number | undefined;

  /** @param lastChange number of the last change in the state that reads get now, or its lowest 32 bits */
  constructor(private readonly lastChange: () => number) {}

  /** Begins to count. The returned function returns the number so far, and ends it. While nobody counts, reads cost nothing. */
  count(): () => number {
    const before = this.#setbacks;
    let isOver = false;
    this.#counting += 1;
    return () => {
      if (!isOver) this.#counting -= 1;
      isOver = true;
      return this.#setbacks - before;
    };
  }

  /** Notes that a read begins. */
  note(): void {
    if (this.#counting === 0) return;
    const last = this.lastChange();
    this.#newest ??= last;
    if (((last - this.#newest) | 0) < 0) this.#setbacks += 1;
    else this.#newest = last;
  }
}
