/** The number of empty slots before the first item at which they are released. */
const SLACK = 1024;

/** A first-in, first-out queue. Adding and taking take constant time. */
export class Fifo<T extends object> {
  #items: (T | undefined)[] = [];
  #first = 0;

  get size(): number {
    return this.#items.length - this.#first;
  }

  /** The first item; undefined when empty. */
  peek(): T | undefined {
    return this.#items[this.#first];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** Takes the first item; undefined when empty. */
  shift(): T | undefined {
    const item = this.#items[this.#first];
    if (item === undefined) return undefined;
    this.#items[this.#first++] = undefined;
    // Half of the array is empty by now: each item is moved at most once on average.
    if (this.#first >= SLACK && this.#first * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }

  clear(): void {
    this.#items = [];
    this.#first = 0;
  }
}
