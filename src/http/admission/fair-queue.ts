/** A queue for each sender. Senders take turns; items of one sender leave in the order of arrival. */
export class FairQueue<T> {
  /** The sender whose turn is next is the first. */
  readonly #lines = new Map<string, Set<T>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** How many of a sender wait. */
  getSize(sender: string): number {
    return this.#lines.get(sender)?.size ?? 0;
  }

  add(sender: string, item: T): void {
    const line = this.#lines.get(sender) ?? new Set();
    this.#lines.set(sender, line.add(item));
    this.#size++;
  }

  /** Takes back what does not wait any more. */
  remove(sender: string, item: T): void {
    const line = this.#lines.get(sender);
    if (line?.delete(item) !== true) return;
    this.#size--;
    if (line.size === 0) this.#lines.delete(sender);
  }

  /**
   * Takes out what is next; undefined where nothing may.
   * @param may whether a sender may have a turn now. Default: each may
   */
  next(may: (sender: string) => boolean = () => true): T | undefined {
    for (const [sender, line] of this.#lines) {
      if (!may(sender)) continue;
      const [item] = line;
      if (item === undefined) continue;
      this.remove(sender, item);
      // Behind all others.
      if (line.size > 0) {
        this.#lines.delete(sender);
        this.#lines.set(sender, line);
      }
      return item;
    }
    return undefined;
  }
}
