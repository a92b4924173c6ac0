import { nextTurn } from '../../lib/work/turn.js';
import type { Transaction as ReadTransaction } from 'lmdb';
import { mapMaybe, type MaybePromise } from '../../lib/work/maybe-promise.js';
import type { KeyRange, KeyValue, ScanOptions, Snapshot, VisitPair, VisitValue } from '../../store/engine.js';
import { afterKey } from '../../store/index/keys.js';
import type { Databases } from './databases.js';
import type { ReadAhead, Wanted } from './read-ahead.js';

/**
 * Longest time of reading without a break, in milliseconds. The disk loads missing pages one by one, and the process
 * is blocked until then.
 */
export const READ_MS = 1;
/** Pairs read between two readings of the clock. They are adjacent, in few pages. */
const UNTIMED_PAIRS = 8;

/** Values loaded into memory at once. Each may be in a separate page. */
export const KEYS_PART = 100;
/** Pairs loaded into memory at once. They are adjacent. */
export const PAIRS_PART = 500;

/** A read of several pairs. */
interface Reading {
  /** Number of pairs loaded into memory at once. */
  readonly part: number;
  /** The next data, at most one part. */
  next(): Wanted;
  /**
   * Continues to read, up to a number of pairs; should end when it is late.
   * @returns the number of pairs; undefined when all are read
   */
  read(most: number, isLate: () => boolean): number | undefined;
}

/** One moment of the store. Long reads have breaks, in which other work runs. */
export class LmdbSnapshot implements Snapshot {
  #isClosed = false;

  constructor(
    private readonly databases: Databases,
    private readonly transaction: ReadTransaction,
    private readonly ahead: ReadAhead | undefined,
  ) {}

  get(key: Uint8Array): MaybePromise<Buffer | undefined> {
    const getNow = (): Buffer | undefined => getCopy(this.databases, key, this.transaction);
    if (this.ahead?.isWorthwhile !== true) return getNow();
    return this.ahead.fetchOne(key).then(() => {
      this.#checkOpen();
      return getNow();
    });
  }

  getMany(keys: readonly Uint8Array[]): MaybePromise<(Buffer | undefined)[]> {
    const values: (Buffer | undefined)[] = [];
    const done = this.visitMany(keys, (value) => {
      values.push(value && copyBytes(value, 0, value.length));
    });
    return mapMaybe(done, () => values);
  }

  visitMany(keys: readonly Uint8Array[], visit: VisitValue): MaybePromise<void> {
    let visited = 0;
    const now = { transaction: this.transaction };
    return this.#all({
      part: KEYS_PART,
      next: () => ({ keys: keys.slice(visited, visited + KEYS_PART) }),
      read: (most, isLate) => {
        const before = visited;
        for (const key of keys.slice(visited, visited + most)) {
          visit(this.databases.of(key).get(key, now));
          visited++;
          if (isLate()) break;
        }
        return visited === keys.length ? undefined : visited - before;
      },
    });
  }

  scan(range: KeyRange, { limit, reverse = false }: ScanOptions): MaybePromise<KeyValue[]> {
    const pairs: KeyValue[] = [];
    const done = this.#walk(range, { limit, reverse }, (value, { bytes, start, end }) => {
      pairs.push({ key: copyBytes(bytes, start, end), value: copyBytes(value, 0, value.length) });
      return true;
    });
    return mapMaybe(done, () => pairs);
  }

  scanInPlace(range: KeyRange, options: ScanOptions, visit: VisitPair): MaybePromise<Buffer | undefined> {
    return this.#walk(range, options, visit);
  }

  close(): void {
    this.#isClosed = true;
    this.transaction.done();
  }

  /** As {@link scanInPlace}. */
  #walk(
    range: KeyRange,
    { limit, reverse = false }: ScanOptions,
    visit: VisitPair,
  ): MaybePromise<Buffer | undefined> {
    let left = limit;
    let rest = range;
    let last: Buffer | undefined;
    const keys = this.databases.of(range.start);
    const scan = { reverse, transaction: this.transaction };
    const done = this.#all({
      part: PAIRS_PART,
      next: () => ({ range: rest, reverse, limit: Math.min(left, PAIRS_PART) }),
      read: (most, isLate) => {
        let pairs = 0;
        const place = keys.scan(rest, scan, (value, key) => {
          pairs++;
          if (!visit(value, key)) left = pairs;
          return pairs < Math.min(left, most) && (pairs % UNTIMED_PAIRS !== 0 || !isLate());
        });
        last = place && copyBytes(place.bytes, place.start, place.end);
        if (last === undefined || pairs === left) return undefined;
        left -= pairs;
        rest = afterKey(rest, last);
        return pairs;
      },
    });
    return mapMaybe(done, () => last);
  }

  #all(reading: Reading): MaybePromise<void> {
    if (this.ahead?.isWorthwhile !== true && this.#timed(reading, Infinity) === undefined) return undefined;
    return this.#withBreaks(reading);
  }

  async #withBreaks(reading: Reading): Promise<void> {
    const { ahead } = this;
    let inMemory = 0;
    for (;;) {
      if (inMemory === 0 && ahead?.isWorthwhile === true) {
        await ahead.fetch(reading.next());
        inMemory = reading.part;
      }
      // Also after the answer of the thread: a port delivers all messages that have arrived in one turn.
      await nextTurn();
      this.#checkOpen();
      const pairs = this.#timed(reading, inMemory === 0 ? Infinity : inMemory);
      if (pairs === undefined) return;
      inMemory = Math.max(0, inMemory - pairs);
    }
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new Error('a snapshot was closed while it was read');
  }

  #timed(reading: Reading, most: number): number | undefined {
    const until = performance.now() + READ_MS;
    const pairs = reading.read(most, () => performance.now() > until);
    if (performance.now() > until) this.ahead?.noteRead();
    return pairs;
  }
}

/** A copy of the value of a key, as of now or in a transaction. */
export function getCopy(
  databases: Databases,
  key: Uint8Array,
  transaction?: ReadTransaction,
): Buffer | undefined {
  const value = getInPlace(databases, key, transaction);
  return value && copyBytes(value, 0, value.length);
}

/** The value of {@link getCopy} in place, valid only until the next read. */
export function getInPlace(
  databases: Databases,
  key: Uint8Array,
  transaction?: ReadTransaction,
): Buffer | undefined {
  return databases.of(key).get(key, transaction && { transaction });
}

/**
 * A copy in memory that small copies share. Separate memory for each is freed by another thread, which blocks the
 * allocation of the next ones.
 */
export function copyBytes(bytes: Uint8Array, start: number, end: number): Buffer {
  if (start === end) return NOTHING;
  const copy = Buffer.allocUnsafe(end - start);
  copy.set(bytes.subarray(start, end));
  return copy;
}

const NOTHING = Buffer.alloc(0);
