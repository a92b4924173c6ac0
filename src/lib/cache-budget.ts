import { LRUCache } from 'lru-cache';
import { CACHE_BYTES } from './cache-bytes.js';

interface Entry {
  readonly bytes: number;
  readonly usage: Usage;
  /** Removes the entry from its cache. */
  readonly drop: () => void;
}

/** The memory that the entries of all caches with one name use. */
interface Usage {
  bytes: number;
}

/** The memory that caches share. The least recently used entries of all caches are evicted first. */
export class CacheBudget {
  readonly #entries: LRUCache<string, Entry>;
  readonly #usages = new Map<string, Usage>();
  #caches = 0;

  /** @param bytesMax approximate limit for the entries of all caches */
  constructor(readonly bytesMax = CACHE_BYTES) {
    this.#entries = new LRUCache({
      maxSize: Math.max(1, bytesMax),
      dispose: ({ bytes, usage, drop }, _key, reason) => {
        usage.bytes -= bytes;
        if (reason === 'evict') drop();
      },
    });
  }

  /** Approximate memory of all entries. */
  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  /** Approximate memory of the entries, by the names of the caches. */
  bytesByName(): ReadonlyMap<string, number> {
    return new Map([...this.#usages].map(([name, { bytes }]) => [name, bytes]));
  }

  /**
   * Creates a cache that uses this memory.
   * @param name describes the content, for memory statistics; several caches may share a name
   */
  cache<T>(name: string): Cache<T> {
    const usage = this.#usages.get(name) ?? { bytes: 0 };
    this.#usages.set(name, usage);
    const { bytesMax } = this;
    return new Cache<T>(this.#entries, { prefix: `${this.#caches++} `, bytesMax, usage });
  }
}

interface CachePlace {
  /** The prefix of the cache's keys among those of all caches. */
  readonly prefix: string;
  readonly bytesMax: number;
  readonly usage: Usage;
}

/** Values by text key, kept while the budget has room for them. */
export class Cache<T> {
  readonly #values = new Map<string, T>();

  constructor(
    private readonly entries: LRUCache<string, Entry>,
    private readonly place: CachePlace,
  ) {}

  /** Undefined when the value is not, or no longer, kept. Counts as a use. */
  get(key: string): T | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) this.entries.get(this.place.prefix + key);
    return value;
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  /** @param bytes approximate memory of the value; a value larger than the whole budget is not kept */
  set(key: string, value: T, bytes: number): void {
    const { prefix, bytesMax, usage } = this.place;
    if (bytes > bytesMax) {
      this.delete(key);
      return;
    }
    this.#values.set(key, value);
    const size = Math.max(1, bytes);
    this.entries.set(prefix + key, { bytes: size, usage, drop: () => this.#values.delete(key) }, { size });
    usage.bytes += size;
  }

  delete(key: string): void {
    if (this.#values.delete(key)) this.entries.delete(this.place.prefix + key);
  }

  clear(): void {
    for (const key of [...this.#values.keys()]) this.delete(key);
  }
}
