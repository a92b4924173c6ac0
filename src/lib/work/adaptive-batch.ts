/** Sizes batches so that each takes about a given time, whatever one thing costs on this machine. */
export class AdaptiveBatch {
  #count: number;

  /**
   * @param ms target time of a batch, in milliseconds
   * @param countMax greatest size of a batch
   */
  constructor(
    private readonly ms: number,
    private readonly countMax: number,
  ) {
    this.#count = countMax;
  }

  /** The things in order, one batch at a time. */
  *iterateParts<T>(things: readonly T[]): Generator<readonly T[]> {
    for (let from = 0; from < things.length;) {
      const part = things.slice(from, from + this.#count);
      from += part.length;
      yield part;
    }
  }

  /** Runs a batch, and sizes the next one by its time. */
  go<T>(things: number, work: () => T): T {
    const began = performance.now();
    const result = work();
    const fitting = Math.floor((this.ms * things) / (performance.now() - began));
    // The machine may have paused in between. The size therefore at most halves.
    this.#count = Math.min(Math.max(fitting, Math.ceil(this.#count / 2)), this.#count * 2, this.countMax);
    return result;
  }
}
