import type { Database, RangeOptions, RootDatabase, Transaction as ReadTransaction } from 'lmdb';
import type { KeyPlace, KeyRange, VisitPair } from '../../store/engine.js';

declare module 'lmdb' {
  /** The lowest 32 bits of the number of the commit that wrote the page of the key that `getBinaryFast` found last. */
  export function getLastTxnId(): number;
}

/** The environment, which is also its unnamed database. */
export type Root = BinaryHandle & RootDatabase<Buffer, Uint8Array>;

/** A handle of a database that returns copies of keys and values. */
export interface BinaryHandle extends Database<Buffer, Uint8Array> {
  // The options exist, but not in its types.
  getBinaryFast(key: Uint8Array, options?: ReadOptions): Buffer | undefined;
}

/** Without a transaction, a read uses the current state, or the open write transaction. */
export interface ReadOptions {
  readonly transaction?: ReadTransaction;
}

export interface KeyScan extends ReadOptions {
  readonly reverse: boolean;
}

/** Keys of one or several families, as stored in a database of LMDB. */
export interface OrderedKeys {
  /** The value in place, valid until the next read; undefined when the key does not exist. */
  get(key: Uint8Array, options?: ReadOptions): Buffer | undefined;
  /**
   * Calls back with pairs in place, until it returns false.
   * @returns the position of the last pair's key; undefined at the end of the range
   */
  scan(range: KeyRange, scan: KeyScan, visit: VisitPair): KeyPlace | undefined;
  put(key: Uint8Array, value: Uint8Array): void;
  remove(key: Uint8Array): void;
  /** Resolves when the value of a key is in memory. */
  prefetch(key: Uint8Array): Promise<void>;
}

/** A handle of a database that reads keys and values in place. */
export type PlaceHandle = Database<Uint8Array, Uint8Array>;

/** The position of the key that a handle read last. */
export interface LastKey {
  bytes: Uint8Array;
  start: number;
  end: number;
}

export function noKey(): LastKey {
  return { bytes: new Uint8Array(), start: 0, end: 0 };
}

/** Options of lmdb for a {@link PlaceHandle}. @param key receives the position of the key at each read */
export function inPlace(key: LastKey): object {
  return {
    create: false,
    keyEncoder: {
      writeKey(bytes: Uint8Array, target: Uint8Array, start: number): number {
        target.set(bytes, start);
        return start + bytes.length;
      },
      readKey(bytes: Uint8Array, start: number, end: number): void {
        key.bytes = bytes;
        key.start = start;
        key.end = end;
      },
    },
    encoder: { encode: (value: Uint8Array) => value, decode: (value: Uint8Array) => value },
  };
}

/** Stores each key with its value. */
export class PlainKeys implements OrderedKeys {
  readonly #places: PlaceHandle;
  readonly #key = noKey();

  /** @param name undefined for the root */
  constructor(
    root: Root,
    private readonly binary: BinaryHandle,
    name: string | undefined,
  ) {
    // Null is the name of the root database, though not in the types.
    this.#places = root.openDB({ name: name ?? (null as unknown as string), ...inPlace(this.#key) });
  }

  get(key: Uint8Array, options?: ReadOptions): Buffer | undefined {
    const value = this.binary.getBinaryFast(key, options);
    // The returned array reports a length below that of its memory.
    return value?.subarray(0, value.length);
  }

  scan(range: KeyRange, { reverse, ...options }: KeyScan, visit: VisitPair): KeyPlace | undefined {
    const key = this.#key;
    for (const { value } of this.#places.getRange({ ...bounds(range, reverse), ...options })) {
      if (!visit(value, key)) return key;
    }
    return undefined;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    // Inside a transaction it is done at once; the returned promise is already settled.
    void this.binary.put(key, Buffer.isBuffer(value) ? value : Buffer.from(value));
  }

  remove(key: Uint8Array): void {
    void this.binary.remove(key);
  }

  async prefetch(key: Uint8Array): Promise<void> {
    await this.binary.prefetch([key]);
  }
}

function bounds({ start, end, after }: KeyRange, reverse: boolean): RangeOptions {
  if (reverse) return { start: after ?? end, end: start, exclusiveStart: true, inclusiveEnd: true, reverse };
  return after === undefined ? { start, end } : { start: after, end, exclusiveStart: true };
}
