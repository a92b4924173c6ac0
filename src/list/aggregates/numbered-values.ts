import { asBuffer } from '../../lib/bytes.js';
import { decodeValue, encodeValue } from '../../model/key-type.js';
import type { KeyType } from '../../model/resource.js';

/**
 * The distinct values of a field, each with a number from 0. First come values in their order; others that are added
 * later follow in any order.
 */
export class NumberedValues {
  /** Encoded values, a character for each byte; for types that are not numbers. */
  readonly #texts: string[] = [];
  /** Values as doubles, and what the doubles of longs lack. */
  readonly #high: number[] = [];
  readonly #low: number[] = [];
  readonly #isNumber: boolean;
  /** Numbers of the values after the ordered ones. */
  readonly #others = new Map<string, number>();
  #textBytes = 0;

  constructor(private readonly keyType: KeyType) {
    this.#isNumber = keyType === 'integer' || keyType === 'long' || keyType === 'number';
  }

  get size(): number {
    return this.#isNumber ? this.#high.length : this.#texts.length;
  }

  /** Number of values that were added after the ordered ones. */
  get others(): number {
    return this.#others.size;
  }

  /** Approximate memory, in bytes. */
  get bytes(): number {
    return this.#textBytes + (this.#high.length + this.#low.length) * 8 + this.#others.size * 100;
  }

  /** Adds a value that is greater than all others. @param bytes as encoded in the index */
  append(bytes: Uint8Array): void {
    if (!this.#isNumber) {
      const text = asBuffer(bytes).toString('latin1');
      this.#textBytes += text.length + TEXT_BYTES;
      this.#texts.push(text);
      return;
    }
    const value = decodeValue(this.keyType, bytes);
    const high = Number(value);
    this.#high.push(high);
    if (typeof value === 'bigint') this.#low.push(Number(value - BigInt(high)));
  }

  /** The number of a value, which is added when it is new. */
  number(bytes: Buffer): number {
    const text = bytes.toString('latin1');
    const known = this.#find(text);
    if (known !== undefined) return known;
    this.#others.set(text, this.size);
    this.append(bytes);
    return this.size - 1;
  }

  #find(text: string): number | undefined {
    let from = 0;
    let to = this.size - this.#others.size;
    const end = to;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.#textOf(middle) < text) from = middle + 1;
      else to = middle;
    }
    return from < end && this.#textOf(from) === text ? from : this.#others.get(text);
  }

  #textOf(number: number): string {
    if (!this.#isNumber) return this.#texts[number] ?? '';
    const high = this.#high[number] ?? 0;
    const value = this.keyType === 'long' ? BigInt(high) + BigInt(this.#low[number] ?? 0) : high;
    return encodeValue(this.keyType, value).toString('latin1');
  }

  /** The value as encoded in the index. */
  bytesOf(number: number): Buffer {
    return Buffer.from(this.#textOf(number), 'latin1');
  }

  /** Values as doubles, for numbers; 0 for none. */
  highs(numbers: Int32Array): Float64Array {
    return pick(this.#high, numbers);
  }

  /** The parts of values that {@link highs} lack. */
  lows(numbers: Int32Array): Float64Array {
    return this.#low.length === 0 ? NO_LOWS : pick(this.#low, numbers);
  }

  /** The order of two values, by their numbers. */
  compare(a: number, b: number): number {
    const ordered = this.size - this.#others.size;
    if (a === b || (a < ordered && b < ordered)) return a - b;
    return this.#textOf(a) < this.#textOf(b) ? -1 : 1;
  }
}

function pick(values: readonly number[], places: Int32Array): Float64Array {
  const picked = new Float64Array(places.length);
  for (let i = 0; i < places.length; i++) {
    const place = places[i] ?? -1;
    if (place >= 0) picked[i] = values[place] ?? 0;
  }
  return picked;
}

const NO_LOWS = new Float64Array(0);

/** Approximate memory of a text in addition to its characters, in bytes. */
const TEXT_BYTES = 32;
