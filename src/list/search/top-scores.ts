/** The places of the highest scores: a heap with the lowest one of them first. */
export class TopScores {
  readonly #heap: Uint32Array;
  #size = 0;

  /** @param most number of places that are kept */
  constructor(
    private readonly scores: Float64Array,
    most: number,
  ) {
    this.#heap = new Uint32Array(most);
  }

  /** The lowest score that is kept; undefined without one. */
  get lowest(): number | undefined {
    return this.#size === 0 ? undefined : this.scores[this.#heap[0] ?? 0];
  }

  /** Takes part of the scores from a place (inclusive) to another one (exclusive). @param below a score that is too high */
  add(from: number, to: number, below: number): void {
    const { scores } = this;
    const heap = this.#heap;
    const most = heap.length;
    let lowest = this.#size === most ? (this.lowest ?? 0) : -1;
    for (let place = from; place < to; place++) {
      const score = scores[place] ?? 0;
      if (score <= lowest || score >= below) continue;
      if (this.#size < most) this.#rise(place);
      else this.#sink(place);
      if (this.#size === most) lowest = scores[heap[0] ?? 0] ?? 0;
    }
  }

  #rise(place: number): void {
    const { scores } = this;
    const heap = this.#heap;
    const score = scores[place] ?? 0;
    let at = this.#size++;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      const other = heap[parent] ?? 0;
      if ((scores[other] ?? 0) <= score) break;
      heap[at] = other;
      at = parent;
    }
    heap[at] = place;
  }

  /** Replaces the first place. */
  #sink(place: number): void {
    const { scores } = this;
    const heap = this.#heap;
    const score = scores[place] ?? 0;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#size) break;
      let lower = scores[heap[child] ?? 0] ?? 0;
      const right = child + 1 < this.#size ? (scores[heap[child + 1] ?? 0] ?? 0) : Infinity;
      if (right < lower) {
        child++;
        lower = right;
      }
      if (score <= lower) break;
      heap[at] = heap[child] ?? 0;
      at = child;
    }
    heap[at] = place;
  }

  /** The places, the highest scores first. */
  sorted(): Uint32Array {
    const { scores } = this;
    return this.#heap.slice(0, this.#size).sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
  }
}
