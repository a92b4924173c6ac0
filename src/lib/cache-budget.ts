import { LRUCache } from 'lru-cache';
import { CACHE_BYTES } from './cache-bytes.js';

/** Takes an entry out of the cache that it is in. */
type Drop = () => void;

/** The memory that caches share. The entries that were used least recently go first, whichever cache they are in. */
export class CacheBudget {
  readonly #entries: LRUCache<string, Drop>;
  #caches = 0;

  /** @param bytesMax what the entries of all caches may take, roughly */
  constructor(readonly bytesMax = CACHE_BYTES) {
    this.#entries = new LRUCache({
      maxSize: Math.max(1, bytesMax),
      dispose: (drop, _key, reason) => {
        if (reason === 'evict') drop();
      },
    });
  }

  /** What the entries take now, roughly. */
  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  /** A new cache that takes its memory from here. */
  cache<T>(): Cache<T> {
    return new Cache<T>(this.#entries, `${this.#caches++} `, this.bytesMax);
  }
}

/** Values by text, as long as the budget has room for them. */
export class Cache<T> {
  readonly #values = new Map<string, T>();

  constructor(
    private readonly entries: LRUCache<string, Drop>,
    private readonly prefix: string,
    private readonly bytesMax: number,
  ) {}

  /** Undefined when it is not, or no longer, kept. Counts as a use. */
  get(key: string): T | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) this.entries.get(this.prefix + key);
    return value;
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  /** @param bytes what it takes, roughly; more than the whole budget is not kept */
  set(key: string, value: T, bytes: number): void {
    if (bytes > this.bytesMax) {
      this.delete(key);
      return;
    }
    this.#values.set(key, value);
    this.entries.set(this.prefix + key, () => this.#values.delete(key), { size: Math.max(1, bytes) });
  }

  delete(key: string): void {
    if (this.#values.delete(key)) this.entries.delete(this.prefix + key);
  }

  clear(): void {
    for (const key of [...this.#values.keys()]) this.delete(key);
  }
}
