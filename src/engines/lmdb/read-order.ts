/**
 * Counts the reads that got an earlier commit than one before them. A process that opens the store may make readers
 * miss the newest commits for a moment, see `openRoot`.
 */
export class ReadOrder {
  setbacks = 0;
  #newest: number | undefined;

  /** @param commit number of the commit that a read got, or its lowest 32 bits */
  note(commit: number): void {
    this.#newest ??= commit;
    if (((commit - this.#newest) | 0) < 0) this.setbacks += 1;
    else this.#newest = commit;
  }
}
