/** Keeps the best of many values. Memory is bounded by the number of wanted values. */
export class TopValues<T> {
  /**
   * A heap: each value is worse than, or as good as, the values at `2i + 1` and `2i + 2`, so the first one is the
   * worst.
   */
  readonly #heap: T[] = [];

  /** @param compare is negative when its first argument is better */
  constructor(
    private readonly most: number,
    private readonly compare: (a: T, b: T) => number,
  ) {}

  /** The worst of them, when there are as many as wanted: only better values can still be added. */
  get worst(): T | undefined {
    return this.#heap.length < this.most ? undefined : this.#heap[0];
  }

  add(one: T): void {
    const heap = this.#heap;
    if (heap.length < this.most) {
      heap.push(one);
      this.#rise(heap.length - 1);
    } else if (heap[0] !== undefined && this.compare(one, heap[0]) < 0) {
      heap[0] = one;
      this.#sink();
    }
  }

  /** Best first. */
  sorted(): T[] {
    return [...this.#heap].sort(this.compare);
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
    return one !== undefined && other !== undefined && this.compare(one, other) > 0;
  }

  #swap(a: number, b: number): void {
    const one = this.#heap[a];
    const other = this.#heap[b];
    if (one === undefined || other === undefined) return;
    this.#heap[a] = other;
    this.#heap[b] = one;
  }
}
