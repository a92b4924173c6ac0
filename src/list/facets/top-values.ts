/** A value and the number of objects that have it. */
export interface CountedValue {
  /** As encoded in the index. */
  readonly value: Buffer;
  readonly count: number;
  /** One of these objects. */
  readonly id: number;
}

/**
 * Keeps the most frequent of many values; ties in the order of the values. Memory is bounded by the number of wanted
 * values.
 */
export class TopValues {
  /**
   * A heap: each value is worse than, or as good as, the values at `2i + 1` and `2i + 2`, so the first one is the
   * worst.
   */
  readonly #heap: CountedValue[] = [];

  constructor(private readonly most: number) {}

  /** The least count that can still be among them. */
  get leastCount(): number {
    return this.#heap.length < this.most ? 1 : (this.#heap[0]?.count ?? 1);
  }

  add(one: CountedValue): void {
    const heap = this.#heap;
    if (heap.length < this.most) {
      heap.push(one);
      this.#rise(heap.length - 1);
    } else if (heap[0] !== undefined && compareCounted(one, heap[0]) < 0) {
      heap[0] = one;
      this.#sink();
    }
  }

  /** Best first. */
  sorted(): CountedValue[] {
    return [...this.#heap].sort(compareCounted);
  }

  #rise(from: number): void {
    for (let at = from; at > 0;) {
      const parent = (at - 1) >> 1;
      if (!this.#isWorse(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(): void {
    for (let at = 0; ;) {
      const left = 2 * at + 1;
      const worse = this.#isWorse(left + 1, left) ? left + 1 : left;
      if (!this.#isWorse(worse, at)) return;
      this.#swap(at, worse);
      at = worse;
    }
  }

  #isWorse(a: number, b: number): boolean {
    const one = this.#heap[a];
    const other = this.#heap[b];
    return one !== undefined && other !== undefined && compareCounted(one, other) > 0;
  }

  #swap(a: number, b: number): void {
    const one = this.#heap[a];
    const other = this.#heap[b];
    if (one === undefined || other === undefined) return;
    this.#heap[a] = other;
    this.#heap[b] = one;
  }
}

/** Orders by count, descending, then by value. */
function compareCounted(a: CountedValue, b: CountedValue): number {
  return b.count - a.count || a.value.compare(b.value);
}
