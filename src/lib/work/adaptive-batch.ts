/** How many things to do in one go: as many as take about a given time, whatever one of them costs on this machine. */
export class AdaptiveBatch {
  private count: number;

  /**
   * @param ms how long a go is to take
   * @param countMax most things of a go
   */
  constructor(
    private readonly ms: number,
    private readonly countMax: number,
  ) {
    this.count = countMax;
  }

  /** Things in their order, those of one go at a time. */
  *iterateParts<T>(things: readonly T[]): Generator<readonly T[]> {
    for (let from = 0; from < things.length;) {
      const part = things.slice(from, from + this.count);
      from += part.length;
      yield part;
    }
  }

  /** Does a go, and sizes the next by how long it took. */
  go<T>(things: number, work: () => T): T {
    const began = performance.now();
    const result = work();
    const fitting = Math.floor((this.ms * things) / (performance.now() - began));
    // The machine may have stood still in between: that is no reason to do one thing at a time from now on.
    this.count = Math.min(Math.max(fitting, Math.ceil(this.count / 2)), this.count * 2, this.countMax);
    return result;
  }
}
