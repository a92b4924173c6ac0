/** Time until another attempt, in milliseconds. */
const RETRY_MS = 60_000;

/** Entries of objects that could not be deleted, until they are tried again. */
export class Held {
  /** The times of the next attempts, which ascend. */
  readonly #until = new Map<string, number>();

  /** @param now in milliseconds; never decreases */
  constructor(private readonly now: () => number) {}

  has(entry: string): boolean {
    return this.#until.has(entry);
  }

  add(entry: string): void {
    this.#until.set(entry, this.now() + RETRY_MS);
  }

  remove(entry: string): void {
    this.#until.delete(entry);
  }

  /** Removes the entries whose time has come. */
  release(): void {
    for (const [entry, until] of this.#until) {
      if (until > this.now()) return;
      this.#until.delete(entry);
    }
  }

  /** Milliseconds until the next entry is released; Infinity without entries. */
  restMs(): number {
    const [first = Infinity] = this.#until.values();
    return first - this.now();
  }
}
