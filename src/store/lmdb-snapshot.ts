import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database as Handle, RangeOptions, RootDatabase, Transaction as ReadTransaction } from 'lmdb';
import { mapMaybe, type MaybePromise } from '../lib/maybe.js';
import type { KeyRange, KeyValue, ScanOptions, Snapshot, VisitPair } from './engine.js';
import { following, preceding } from './keys.js';

export interface Database extends RootDatabase<Buffer, Uint8Array> {
  // The options are there, but not among its types.
  getBinaryFast(key: Uint8Array, options?: { readonly transaction: ReadTransaction }): Buffer | undefined;
}

/**
 * Longest time of reading without a break, in milliseconds. Pages that are not in memory come from the disk one by
 * one, and the process stands still until they are there.
 */
const READ_MS = 2;
/** Pairs that are read without a look at the clock. They lie together, in few pages. */
const UNTIMED_PAIRS = 8;

/** One moment of the store. What takes long to read is read with breaks, in which others run. */
export class LmdbSnapshot implements Snapshot {
  private isClosed = false;

  constructor(
    private readonly db: Database,
    private readonly places: PlaceReader,
    private readonly transaction: ReadTransaction,
  ) {}

  get(key: Uint8Array): Buffer | undefined {
    return getCopy(this.db, key, this.transaction);
  }

  getMany(keys: readonly Uint8Array[]): MaybePromise<(Buffer | undefined)[]> {
    const values: (Buffer | undefined)[] = [];
    const read = this.withBreaks((isLate) => {
      for (const key of keys.slice(values.length)) {
        values.push(this.get(key));
        if (isLate()) break;
      }
      return values.length === keys.length;
    });
    return mapMaybe(read, () => values);
  }

  scan(range: KeyRange, { limit, reverse = false }: ScanOptions): MaybePromise<KeyValue[]> {
    const pairs: KeyValue[] = [];
    let rest = range;
    const read = this.withBreaks((isLate) => {
      const options = { ...bounds(rest, reverse), limit: limit - pairs.length };
      const last = this.places.scan(options, this.transaction, (value, { bytes, start, end }) => {
        pairs.push({ key: copyOf(bytes, start, end), value: copyOf(value, 0, value.length) });
        return pairs.length % UNTIMED_PAIRS !== 0 || pairs.length === limit || !isLate();
      });
      if (last !== undefined) rest = beyond(rest, last, reverse);
      return last === undefined;
    });
    return mapMaybe(read, () => pairs);
  }

  scanInPlace(
    range: KeyRange,
    { limit, reverse = false }: ScanOptions,
    visit: VisitPair,
  ): MaybePromise<Buffer | undefined> {
    let left = limit;
    let rest = range;
    let last: Buffer | undefined;
    let isStopped = false;
    const visitTimed =
      (isLate: () => boolean): VisitPair =>
      (value, key) => {
        isStopped = !visit(value, key) || --left <= 0;
        return !isStopped && (left % UNTIMED_PAIRS !== 0 || !isLate());
      };
    const read = this.withBreaks((isLate) => {
      last = this.places.scan(bounds(rest, reverse), this.transaction, visitTimed(isLate));
      if (isStopped || last === undefined) return true;
      rest = beyond(rest, last, reverse);
      return false;
    });
    return mapMaybe(read, () => last);
  }

  close(): void {
    this.isClosed = true;
    this.transaction.done();
  }

  /** Takes a step until it says that it was the last one. It should end when it is late, and then goes on after others. */
  private withBreaks(step: (isLate: () => boolean) => boolean): MaybePromise<void> {
    const timed = (): boolean => {
      const until = performance.now() + READ_MS;
      return step(() => performance.now() > until);
    };
    return timed() ? undefined : this.afterBreaks(timed);
  }

  private async afterBreaks(step: () => boolean): Promise<void> {
    do {
      await nextTurn();
      if (this.isClosed) throw new Error('a snapshot was closed while it was read');
    } while (!step());
  }
}

/** A second handle of the same database, which takes keys and values from where they lie instead of copying them. */
export class PlaceReader {
  private readonly handle: Handle<Uint8Array, Uint8Array>;
  /** The key read last, where the next one will be. */
  private readonly key: { bytes: Uint8Array; start: number; end: number } = {
    bytes: new Uint8Array(),
    start: 0,
    end: 0,
  };

  constructor(root: Database) {
    const options = {
      // Null is the name of the root database, though it is not among the types.
      name: null as unknown as string,
      keyEncoder: {
        writeKey(key: Uint8Array, target: Uint8Array, start: number): number {
          target.set(key, start);
          return start + key.length;
        },
        readKey: (bytes: Uint8Array, start: number, end: number): void => {
          this.key.bytes = bytes;
          this.key.start = start;
          this.key.end = end;
        },
      },
      encoder: { encode: (value: Uint8Array) => value, decode: (value: Uint8Array) => value },
    };
    this.handle = root.openDB<Uint8Array, Uint8Array>(options);
  }

  /** @returns the key at which the callback ended the scan; undefined when the range is done */
  scan(range: RangeOptions, transaction: ReadTransaction, visit: VisitPair): Buffer | undefined {
    const { key } = this;
    for (const { value } of this.handle.getRange({ ...range, transaction })) {
      if (!visit(value, key)) return copyOf(key.bytes, key.start, key.end);
    }
    return undefined;
  }
}

/** The value of a key, as of now or in a transaction. */
export function getCopy(db: Database, key: Uint8Array, transaction?: ReadTransaction): Buffer | undefined {
  const value = db.getBinaryFast(key, transaction && { transaction });
  return value === undefined ? undefined : copyOf(value, 0, value.length);
}

/**
 * A copy in memory that small copies share. Memory of its own for each is freed by another thread, which holds up the
 * allocation of the next ones.
 */
function copyOf(bytes: Uint8Array, start: number, end: number): Buffer {
  const copy = Buffer.allocUnsafe(end - start);
  copy.set(bytes.subarray(start, end));
  return copy;
}

/** A reverse range begins at its end, which it does not include. */
export function bounds({ start, end }: KeyRange, reverse: boolean): RangeOptions {
  return reverse
    ? { start: end, end: start, exclusiveStart: true, inclusiveEnd: true, reverse }
    : { start, end };
}

function beyond(range: KeyRange, key: Uint8Array, reverse: boolean): KeyRange {
  return reverse ? preceding(range, key) : following(range, key);
}
