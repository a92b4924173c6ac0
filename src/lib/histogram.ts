export interface HistogramCounts {
  /** For each bound, the number of values not above it. */
  readonly atMost: readonly number[];
  readonly count: number;
  readonly sum: number;
}

/** Bounds in seconds, for durations from a tenth of a millisecond to half a minute. */
export const SECONDS: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];

/** Counts values by their size, as Prometheus does. An observation takes some nanoseconds and no memory. */
export class Histogram {
  readonly #counts: Float64Array;
  #sum = 0;

  /** @param bounds in ascending order; values above the last bound are counted too */
  constructor(readonly bounds: readonly number[]) {
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const { bounds } = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] ?? Infinity)) at++;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sum += value;
  }

  read(): HistogramCounts {
    let count = 0;
    const cumulative = Array.from(this.#counts, (number) => (count += number));
    return { atMost: cumulative.slice(0, -1), count, sum: this.#sum };
  }
}
