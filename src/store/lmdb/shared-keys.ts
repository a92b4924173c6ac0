import { asBuffer } from '../../lib/bytes.js';
import type { KeyPlace, KeyRange, VisitPair } from '../engine.js';
import {
  type BinaryHandle,
  inPlace,
  type LastKey,
  noKey,
  type OrderedKeys,
  type PlaceHandle,
  type ReadOptions,
  type Root,
  type Scan,
} from './ordered-keys.js';

/** Values of a key lie in order, of the same length, without a head of their own. */
export const MANY_VALUES = { dupSort: true, dupFixed: true } as const;

const NOTHING = Buffer.alloc(0);
/** More than any key takes. */
const KEY_BYTES_MAX = 4096;

/**
 * Keys without values that are the same but for their ends. What is the same is stored once, as a key of LMDB; the ends,
 * of one length, are its values. So a key of many takes little more than its end.
 *
 * Where the beginning of a key is also that of a longer one, all ends that it has come before what the longer one goes
 * on with: so the order of beginnings and ends is the order of the keys. A range begins and ends between beginnings.
 */
export class SharedKeys implements OrderedKeys {
  private readonly places: PlaceHandle;
  /** Where lmdb puts keys. There is room behind them. */
  private readonly key = noKey();
  /** A key whose values are read. */
  private readonly own: LastKey = { ...noKey(), bytes: new Uint8Array(KEY_BYTES_MAX) };

  constructor(
    root: Root,
    private readonly binary: BinaryHandle,
    name: string,
    private readonly endBytes: number,
  ) {
    this.places = root.openDB({ name, ...MANY_VALUES, ...inPlace(this.key) });
  }

  get(key: Uint8Array, options?: ReadOptions): Buffer | undefined {
    const end = this.endOf(key);
    const next = this.places.getValues(this.beginningOf(key), { ...options, start: end, limit: 1 });
    for (const value of next) return end.equals(value.subarray(0, this.endBytes)) ? NOTHING : undefined;
    return undefined;
  }

  scan(range: KeyRange, scan: Scan, visit: VisitPair): KeyPlace | undefined {
    const { start, end, after } = range;
    if (after === undefined) return this.scanWhole(start, end, scan, visit);
    const last = this.scanRest(after, scan, visit);
    if (last !== undefined) return last;
    const beginning = this.beginningOf(after);
    return scan.reverse
      ? this.scanWhole(start, beginning, scan, visit)
      : this.scanWhole(Buffer.concat([beginning, ZERO]), end, scan, visit);
  }

  put(key: Uint8Array, value: Uint8Array): void {
    if (value.length > 0) throw new RangeError('keys of this family have no value');
    void this.binary.put(this.beginningOf(key), this.endOf(key));
  }

  remove(key: Uint8Array): void {
    void this.binary.remove(this.beginningOf(key), this.endOf(key));
  }

  async prefetch(key: Uint8Array): Promise<void> {
    await this.binary.prefetch([this.beginningOf(key)]);
  }

  /** All keys of beginnings from one to another. */
  private scanWhole(
    start: Uint8Array,
    end: Uint8Array,
    { reverse, ...options }: Scan,
    visit: VisitPair,
  ): KeyPlace | undefined {
    const { key } = this;
    const from = reverse ? this.lastBefore(end, start, options) : start;
    if (from === undefined) return undefined;
    const range = reverse ? { start: from, end: start, inclusiveEnd: true, reverse } : { start: from, end };
    for (const { value } of this.places.getRange({ ...options, ...range })) {
      this.append(key, value);
      if (!visit(NOTHING, key)) return key;
    }
    return undefined;
  }

  /** LMDB finds the last value of a key at once, but what comes before a key only by way of all its values. */
  private lastBefore(end: Uint8Array, start: Uint8Array, options: ReadOptions): Uint8Array | undefined {
    const range = {
      start: end,
      exclusiveStart: true,
      end: start,
      inclusiveEnd: true,
      reverse: true,
      limit: 1,
    };
    for (const _ of this.places.getKeys({ ...options, ...range }))
      return Buffer.from(this.key.bytes.subarray(this.key.start, this.key.end));
    return undefined;
  }

  /** The keys of the same beginning that come after one. */
  private scanRest(after: Uint8Array, scan: Scan, visit: VisitPair): KeyPlace | undefined {
    const { own } = this;
    const beginning = this.beginningOf(after);
    own.bytes.set(beginning);
    const range = { ...scan, start: this.endOf(after), exclusiveStart: true };
    for (const value of this.places.getValues(beginning, range)) {
      own.end = beginning.length;
      this.append(own, value);
      if (!visit(NOTHING, own)) return own;
    }
    return undefined;
  }

  private append(key: LastKey, end: Uint8Array): void {
    const { bytes } = key;
    for (let i = 0; i < this.endBytes; i++) bytes[key.end++] = end[i] ?? 0;
  }

  private beginningOf(key: Uint8Array): Buffer {
    return asBuffer(key).subarray(0, key.length - this.endBytes);
  }

  private endOf(key: Uint8Array): Buffer {
    return asBuffer(key).subarray(key.length - this.endBytes);
  }
}

const ZERO = Buffer.from([0]);
