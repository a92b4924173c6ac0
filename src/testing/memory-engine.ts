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
import { SortedPairs, type Key } from './sorted-pairs.js';

/** Pairs in memory. Engines on one store see the same pairs, as processes on one disk do. */
export class MemoryStore {
  #pairs = SortedPairs.EMPTY;
  readonly listeners = new Map<Engine, Set<() => void>>();

  /** The present state. It never changes: a commit makes another one. */
  get pairs(): SortedPairs {
    return this.#pairs;
  }

  /** @param writer its listeners are not called. Default: all are called */
  replace(pairs: SortedPairs, writer?: Engine): void {
    this.#pairs = pairs;
    for (const [engine, listeners] of this.listeners)
      if (engine !== writer) for (const listener of listeners) queueMicrotask(listener);
  }
}

/** An engine in memory: the shortest one that passes {@link engineContract}. */
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
    const before = this.store.pairs;
    const tx = new MemoryTransaction(before);
    const answer = body(tx);
    if (!dryRun && tx.pairs !== before) this.store.replace(tx.pairs, this);
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
  constructor(private readonly pairs: SortedPairs) {}

  get(key: Uint8Array): Buffer | undefined {
    return copied(this.pairs.get(toKey(key)));
  }

  getMany(keys: readonly Uint8Array[]): (Buffer | undefined)[] {
    return keys.map((key) => this.get(key));
  }

  visitMany(keys: readonly Uint8Array[], visit: VisitValue): void {
    for (const key of keys) visit(this.get(key));
  }

  scan(range: KeyRange, options: ScanOptions): KeyValue[] {
    const pairs: KeyValue[] = [];
    visitRange(this.pairs, range, options, (key, value) => pairs.push(toPair(key, value)) > 0);
    return pairs;
  }

  scanInPlace(range: KeyRange, options: ScanOptions, visit: VisitPair): Buffer | undefined {
    let count = 0;
    let ended: Key | undefined;
    visitRange(this.pairs, range, options, (key, value) => {
      count += 1;
      const isLast = !visit(value, { bytes: toBytes(key), start: 0, end: key.length });
      if (isLast || count === options.limit) ended = key;
      return !isLast;
    });
    return ended === undefined ? undefined : toBytes(ended);
  }

  close(): void {
    // The garbage collector takes the pairs.
  }
}

class MemoryTransaction implements Transaction {
  constructor(public pairs: SortedPairs) {}

  get(key: Uint8Array): Buffer | undefined {
    return copied(this.pairs.get(toKey(key)));
  }

  first(range: KeyRange): KeyValue | undefined {
    let first: KeyValue | undefined;
    visitRange(this.pairs, range, { limit: 1 }, (key, value) => {
      first = toPair(key, value);
      return false;
    });
    return first;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.pairs = this.pairs.with(toKey(key), Buffer.from(value));
  }

  remove(key: Uint8Array): void {
    this.pairs = this.pairs.without(toKey(key));
  }
}

function visitRange(
  pairs: SortedPairs,
  { start, end, after }: KeyRange,
  { limit, reverse = false }: ScanOptions,
  visit: (key: Key, value: Buffer) => boolean,
): void {
  if (limit === 0) return;
  let left = limit;
  // No key is between a key and the same one with a zero.
  const from = after !== undefined && !reverse ? `${toKey(after)}\0` : toKey(start);
  const to = after !== undefined && reverse ? toKey(after) : toKey(end);
  pairs.visit({ start: from, end: to, reverse }, (key, value) => visit(key, value) && (left -= 1) > 0);
}

function toKey(bytes: Uint8Array): Key {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

function toBytes(key: Key): Buffer {
  return Buffer.from(key, 'latin1');
}

function toPair(key: Key, value: Buffer): KeyValue {
  return { key: toBytes(key), value: Buffer.from(value) };
}

/** The caller may keep and change it. */
function copied(value: Buffer | undefined): Buffer | undefined {
  return value && Buffer.from(value);
}
