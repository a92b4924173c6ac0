import type { RangeOptions } from 'lmdb';
import { asBuffer } from '../../lib/bytes.js';
import type { KeyPlace, KeyRange, VisitPair } from '../../store/engine.js';
import {
  type BinaryHandle,
  inPlace,
  type LastKey,
  noKey,
  type OrderedKeys,
  type PlaceHandle,
  type ReadOptions,
  type Root,
  type KeyScan,
} from './ordered-keys.js';

/** Values of a key are stored in order, with the same length, without separate headers. */
export const MANY_VALUES = { dupSort: true, dupFixed: true } as const;

const NOTHING = Buffer.alloc(0);
/** More than the size of any key. */
const KEY_BYTES_MAX = 4096;

/**
 * Keys without values that differ only in their ends. The common part is stored once, as a key of LMDB; the ends, of
 * one length, are its values. So each of many similar keys needs little more than its end.
 *
 * No beginning is a prefix of another, so the order of beginnings and ends is the order of the keys. A range begins
 * and ends between beginnings.
 */
export class SharedKeys implements OrderedKeys {
  readonly #places: PlaceHandle;
  /** The buffer in which lmdb writes keys, with space after them. */
  readonly #key = noKey();
  /** The current key whose values are read. */
  readonly #own: LastKey = { ...noKey(), bytes: new Uint8Array(KEY_BYTES_MAX) };

  constructor(
    root: Root,
    private readonly binary: BinaryHandle,
    name: string,
    private readonly endBytes: number,
  ) {
    this.#places = root.openDB({ name, ...MANY_VALUES, ...inPlace(this.#key) });
  }

  get(key: Uint8Array, options?: ReadOptions): Buffer | undefined {
    const end = this.#getEnd(key);
    const next = this.#places.getValues(this.#getBeginning(key), { ...options, start: end, limit: 1 });
    for (const value of next) return end.equals(value.subarray(0, this.endBytes)) ? NOTHING : undefined;
    return undefined;
  }

  scan(range: KeyRange, scan: KeyScan, visit: VisitPair): KeyPlace | undefined {
    const { start, end, after } = range;
    if (after === undefined) return this.#scanWhole(this.#rangeFrom(start, end, scan), scan, visit);
    const beginning = this.#getBeginning(after);
    // Usually a key is the only one with its beginning. A separate range for the rest would cost as much as many
    // keys.
    if (this.#findFirst(beginning, scan)?.equals(this.#getEnd(after)) === true) {
      const rest = scan.reverse ? downTo(start, beginning) : { start: beginning, end, offset: 1 };
      return this.#scanWhole(rest, scan, visit);
    }
    const last = this.#scanRest(after, scan, visit);
    if (last !== undefined) return last;
    const from = scan.reverse ? start : Buffer.concat([beginning, ZERO]);
    return this.#scanWhole(this.#rangeFrom(from, scan.reverse ? beginning : end, scan), scan, visit);
  }

  put(key: Uint8Array, value: Uint8Array): void {
    if (value.length > 0) throw new RangeError('keys of this family have no value');
    void this.binary.put(this.#getBeginning(key), this.#getEnd(key));
  }

  remove(key: Uint8Array): void {
    void this.binary.remove(this.#getBeginning(key), this.#getEnd(key));
  }

  async prefetch(key: Uint8Array): Promise<void> {
    await this.binary.prefetch([this.#getBeginning(key)]);
  }

  /** The range of all keys between two beginnings; undefined when it is empty. */
  #rangeFrom(start: Uint8Array, end: Uint8Array, scan: KeyScan): RangeOptions | undefined {
    if (!scan.reverse) return { start, end };
    const range = downTo(start, end);
    // LMDB finds the last value of a key at once, but the key before a key only by passing all its values.
    if (this.#findFirst(end, scan) === undefined) return range;
    for (const _ of this.#places.getKeys({ ...inside(scan, range), limit: 1 })) {
      const { bytes, start: from, end: to } = this.#key;
      return { ...range, start: Buffer.from(bytes.subarray(from, to)), exclusiveStart: false };
    }
    return undefined;
  }

  #scanWhole(range: RangeOptions | undefined, scan: KeyScan, visit: VisitPair): KeyPlace | undefined {
    const key = this.#key;
    if (range === undefined) return undefined;
    for (const { value } of this.#places.getRange(inside(scan, range))) {
      this.#append(key, value);
      if (!visit(NOTHING, key)) return key;
    }
    return undefined;
  }

  /** The first end of a beginning, valid until the next read. */
  #findFirst(beginning: Uint8Array, { transaction }: KeyScan): Buffer | undefined {
    const value = this.binary.getBinaryFast(beginning, transaction && { transaction });
    return value?.subarray(0, this.endBytes);
  }

  /** The keys with the same beginning that come after a key. */
  #scanRest(after: Uint8Array, scan: KeyScan, visit: VisitPair): KeyPlace | undefined {
    const own = this.#own;
    const beginning = this.#getBeginning(after);
    own.bytes.set(beginning);
    const range = { ...scan, start: this.#getEnd(after), exclusiveStart: true };
    for (const value of this.#places.getValues(beginning, range)) {
      own.end = beginning.length;
      this.#append(own, value);
      if (!visit(NOTHING, own)) return own;
    }
    return undefined;
  }

  #append(key: LastKey, end: Uint8Array): void {
    const { endBytes } = this;
    const { bytes, end: at } = key;
    for (let i = 0; i < endBytes; i++) bytes[at + i] = end[i] ?? 0;
    key.end = at + endBytes;
  }

  #getBeginning(key: Uint8Array): Buffer {
    return asBuffer(key).subarray(0, key.length - this.endBytes);
  }

  #getEnd(key: Uint8Array): Buffer {
    return asBuffer(key).subarray(key.length - this.endBytes);
  }
}

const ZERO = Buffer.from([0]);

function inside({ transaction }: KeyScan, range: RangeOptions): RangeOptions {
  return transaction === undefined ? range : { ...range, transaction };
}

/** Beginnings before one, descending. The keys of that one are skipped, which is fast for those just read. */
function downTo(start: Uint8Array, end: Uint8Array): RangeOptions {
  return { start: end, exclusiveStart: true, end: start, inclusiveEnd: true, reverse: true };
}
