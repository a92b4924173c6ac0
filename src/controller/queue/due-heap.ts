/** An item of the heap, with its time and its position. */
export interface Due {
  dueAt: number;
  /** Set by the heap; -1 outside it. */
  place: number;
}

/** Items by due time, soonest first: a binary heap. Adding and removing take time logarithmic in its size. */
export class DueHeap<T extends Due> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** The soonest item; undefined when empty. */
  peek(): T | undefined {
    return this.#items[0];
  }

  /** The item must not be in a heap. */
  add(item: T): void {
    item.place = this.#items.length;
    this.#items.push(item);
    this.#rise(item);
  }

  /** Removes an item from any position. Does nothing when it is not in the heap. */
  remove(item: T): void {
    const { place } = item;
    if (place < 0) return;
    item.place = -1;
    const last = this.#items.pop();
    if (last === undefined || last === item) return;
    this.#put(last, place);
    this.#rise(last);
    this.#sink(last);
  }

  /** The `n` soonest items in order, or fewer. Does not read the others. */
  soonest(n: number): T[] {
    const found: T[] = [];
    const open = this.#items.slice(0, 1);
    while (found.length < n) {
      const next = open.reduce<T | undefined>(
        (a, b) => (a === undefined || b.dueAt < a.dueAt ? b : a),
        undefined,
      );
      if (next === undefined) break;
      found.push(next);
      open.splice(open.indexOf(next), 1, ...this.#items.slice(2 * next.place + 1, 2 * next.place + 3));
    }
    return found;
  }

  clear(): void {
    for (const item of this.#items) item.place = -1;
    this.#items.length = 0;
  }

  #rise(item: T): void {
    while (item.place > 0) {
      const parentPlace = (item.place - 1) >> 1;
      const parent = this.#items[parentPlace];
      if (parent === undefined || parent.dueAt <= item.dueAt) return;
      this.#put(parent, item.place);
      this.#put(item, parentPlace);
    }
  }

  #sink(item: T): void {
    for (;;) {
      const left = this.#items[2 * item.place + 1];
      const right = this.#items[2 * item.place + 2];
      const child = right !== undefined && left !== undefined && right.dueAt < left.dueAt ? right : left;
      if (child === undefined || item.dueAt <= child.dueAt) return;
      const { place } = child;
      this.#put(child, item.place);
      this.#put(item, place);
    }
  }

  #put(item: T, place: number): void {
    this.#items[place] = item;
    item.place = place;
  }
}
