/**
 * Counts the reads that miss a change that one before them had. A process that opens the store may make readers miss the
 * newest commits for a moment, see `openRoot`.
 */
export class ReadOrder {
  #setbacks: number | undefined;
  #newest: number | undefined;

  /** @param lastChange number of the last change in the state that reads get now, or its lowest 32 bits */
  constructor(private readonly lastChange: () => number) {}

  /** The number since the first call. Until then, reads cost nothing. */
  setbacks(): number {
    return (this.#setbacks ??= 0);
  }

  /** Notes that a read begins. */
  note(): void {
    if (this.#setbacks === undefined) return;
    const last = this.lastChange();
    this.#newest ??= last;
    if (((last - this.#newest) | 0) < 0) this.#setbacks += 1;
    else this.#newest = last;
  }
}
