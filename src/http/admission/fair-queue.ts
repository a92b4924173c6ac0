/** A queue per sender. Senders take turns; items of one sender leave in the order of arrival. */
export class SenderQueue<T> {
  /** The sender with the next turn is first. */
  readonly #lines = new Map<string, Set<T>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Number of waiting items of a sender. */
  getSize(sender: string): number {
    return this.#lines.get(sender)?.size ?? 0;
  }

  add(sender: string, item: T): void {
    const line = this.#lines.get(sender) ?? new Set();
    this.#lines.set(sender, line.add(item));
    this.#size++;
  }

  /** Removes an item that no longer waits. */
  remove(sender: string, item: T): void {
    const line = this.#lines.get(sender);
    if (line?.delete(item) !== true) return;
    this.#size--;
    if (line.size === 0) this.#lines.delete(sender);
  }

  /**
   * Removes and returns the next item; undefined when no sender may have a turn.
   * @param may true when a sender may have a turn now. Default: each may
   */
  next(may: (sender: string) => boolean = () => true): T | undefined {
    for (const [sender, line] of this.#lines) {
      if (!may(sender)) continue;
      const [item] = line;
      if (item === undefined) continue;
      this.remove(sender, item);
      // Moves the sender to the end.
      if (line.size > 0) {
        this.#lines.delete(sender);
        this.#lines.set(sender, line);
      }
      return item;
    }
    return undefined;
  }
}
