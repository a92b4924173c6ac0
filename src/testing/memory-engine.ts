import type {
  CommitOptions,
  Engine,
  KeyRange,
  KeyValue,
  ScanOptions,
  Snapshot,
  Transaction,
  VisitPair,
  VisitValue,
} from '../store/engine.js';

/** Keys as text of one character a byte, whose order is that of the bytes. */
type Key = string;
type Pairs = Map<Key, Buffer>;

/** Pairs in memory. Engines on one store see the same pairs, as processes on one disk do. */
export class MemoryStore {
  /** Never changed once a snapshot may have it. */
  pairs: Pairs = new Map();
  readonly listeners = new Map<Engine, Set<() => void>>();

  write(writes: ReadonlyMap<Key, Buffer | undefined>, writer: Engine): void {
    const next = new Map(this.pairs);
    for (const [key, value] of writes)
      if (value === undefined) next.delete(key);
      else next.set(key, value);
    this.pairs = next;
    for (const [engine, listeners] of this.listeners)
      if (engine !== writer) for (const listener of listeners) queueMicrotask(listener);
  }
}

/** An engine in memory: the shortest one that passes {@link engineContract}. A commit copies the map of all pairs. */
export class MemoryEngine implements Engine {
  constructor(private readonly store = new MemoryStore()) {}

  get(key: Uint8Array): Buffer | undefined {
    return copied(this.store.pairs.get(toKey(key)));
  }

  follow(key: Uint8Array, next: (value: Buffer) => Uint8Array): Buffer | undefined {
    const value = this.get(key);
    return value && this.get(next(value));
  }

  snapshot(): Snapshot {
    return new MemorySnapshot(this.store.pairs);
  }

  async commit<T>(body: (tx: Transaction) => T, { dryRun = false }: CommitOptions = {}): Promise<T> {
    const tx = new MemoryTransaction(this.store.pairs);
    const answer = body(tx);
    if (!dryRun && tx.writes.size > 0) this.store.write(tx.writes, this);
    return answer;
  }

  onOtherCommit(listener: () => void): () => void {
    const listeners = this.store.listeners.get(this) ?? new Set();
    this.store.listeners.set(this, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  writeProblem(): undefined {
    return undefined;
  }

  countSetbacks(): () => number {
    return () => 0;
  }

  clearDeadReaders(): void {
    // Readers do not outlive the process.
  }

  sharedLog(): undefined {
    return undefined;
  }

  async foldLog(): Promise<void> {
    // There is no log.
  }

  close(): Promise<void> {
    this.store.listeners.delete(this);
    return Promise.resolve();
  }
}

class MemorySnapshot implements Snapshot {
  #keys: readonly Key[] | undefined;

  constructor(private readonly pairs: Pairs) {}

  get(key: Uint8Array): Buffer | undefined {
    return copied(this.pairs.get(toKey(key)));
  }

  getMany(keys: readonly Uint8Array[]): (Buffer | undefined)[] {
    return keys.map((key) => this.get(key));
  }

  visitMany(keys: readonly Uint8Array[], visit: VisitValue): void {
    for (const key of keys) visit(this.get(key));
  }

  scan(range: KeyRange, { limit, reverse = false }: ScanOptions): KeyValue[] {
    this.#keys ??= [...this.pairs.keys()].sort();
    const keys = this.#keys.filter((key) => isIn(range, key, reverse));
    if (reverse) keys.reverse();
    return keys.slice(0, limit).map((key) => toPair(key, this.pairs.get(key)));
  }

  scanInPlace(range: KeyRange, options: ScanOptions, visit: VisitPair): Buffer | undefined {
    const pairs = this.scan(range, options);
    const end = pairs.findIndex(({ key, value }) => !visit(value, { bytes: key, start: 0, end: key.length }));
    if (end >= 0) return pairs[end]?.key;
    return pairs.length < options.limit ? undefined : pairs.at(-1)?.key;
  }

  close(): void {
    // The garbage collector takes the pairs.
  }
}

class MemoryTransaction implements Transaction {
  /** Undefined for keys that are removed. */
  readonly writes = new Map<Key, Buffer | undefined>();

  constructor(private readonly pairs: Pairs) {}

  get(key: Uint8Array): Buffer | undefined {
    return copied(this.#read(toKey(key)));
  }

  first(range: KeyRange): KeyValue | undefined {
    const keys = [...this.pairs.keys(), ...this.writes.keys()];
    const [first] = keys.filter((key) => isIn(range, key, false) && this.#read(key) !== undefined).sort();
    return first === undefined ? undefined : toPair(first, this.#read(first));
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.writes.set(toKey(key), Buffer.from(value));
  }

  remove(key: Uint8Array): void {
    this.writes.set(toKey(key), undefined);
  }

  #read(key: Key): Buffer | undefined {
    return this.writes.has(key) ? this.writes.get(key) : this.pairs.get(key);
  }
}

function isIn({ start, end, after }: KeyRange, key: Key, reverse: boolean): boolean {
  if (key < toKey(start) || key >= toKey(end)) return false;
  if (after === undefined) return true;
  return reverse ? key < toKey(after) : key > toKey(after);
}

function toKey(bytes: Uint8Array): Key {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

function toPair(key: Key, value: Buffer | undefined): KeyValue {
  return { key: Buffer.from(key, 'latin1'), value: Buffer.from(value ?? '') };
}

/** The caller may keep and change it. */
function copied(value: Buffer | undefined): Buffer | undefined {
  return value && Buffer.from(value);
}
