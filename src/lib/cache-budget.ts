import { LRUCache } from 'lru-cache';
import { CACHE_BYTES } from './cache-bytes.js';

interface Entry {
  readonly bytes: number;
  readonly usage: Usage;
  /** Takes it out of the cache that it is in. */
  readonly drop: () => void;
}

/** What the entries of the caches of one name take. */
interface Usage {
  bytes: number;
}

/** The memory that caches share. The entries that were used least recently go first, whichever cache they are in. */
export class CacheBudget {
  readonly #entries: LRUCache<string, Entry>;
  readonly #usages = new Map<string, Usage>();
  #caches = 0;

  /** @param bytesMax what the entries of all caches may take, roughly */
  constructor(readonly bytesMax = CACHE_BYTES) {
    this.#entries = new LRUCache({
      maxSize: Math.max(1, bytesMax),
      dispose: ({ bytes, usage, drop }, _key, reason) => {
        usage.bytes -= bytes;
        if (reason === 'evict') drop();
      },
    });
  }

  /** What the entries take now, roughly. */
  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  /** What the entries take now, roughly, by the names of the caches. */
  bytesByName(): ReadonlyMap<string, number> {
    return new Map([...this.#usages].map(([name, { bytes }]) => [name, bytes]));
  }

  /**
   * A new cache that takes its memory from here.
   * @param name what it holds, for whoever looks after the memory; others may have the same
   */
  cache<T>(name: string): Cache<T> {
    const usage = this.#usages.get(name) ?? { bytes: 0 };
    this.#usages.set(name, usage);
    const { bytesMax } = this;
    return new Cache<T>(this.#entries, { prefix: `${this.#caches++} `, bytesMax, usage });
  }
}

interface CachePlace {
  /** Of its keys among those of all caches. */
  readonly prefix: string;
  readonly bytesMax: number;
  readonly usage: Usage;
}

/** Values by text, as long as the budget has room for them. */
export class Cache<T> {
  readonly #values = new Map<string, T>();

  constructor(
    private readonly entries: LRUCache<string, Entry>,
    private readonly place: CachePlace,
  ) {}

  /** Undefined when it is not, or no longer, kept. Counts as a use. */
  get(key: string): T | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) this.entries.get(this.place.prefix + key);
    return value;
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  /** @param bytes what it takes, roughly; more than the whole budget is not kept */
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
