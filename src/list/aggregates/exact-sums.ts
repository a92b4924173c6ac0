/** The smallest positive double, 2^-1074, as the unit of exact sums: every double is a multiple of it. */
const UNITS_OF_ONE = 1n << 1074n;
/** Bits of a quotient that are computed, more than a double has. */
const QUOTIENT_BITS = 64;

/**
 * Exact sums of doubles, one for each group: no addition is rounded, so the order of the additions has no effect. A sum
 * is two doubles (https://en.wikipedia.org/wiki/2Sum) and, when these do not suffice, a big integer.
 */
export class ExactSums {
  readonly #high: number[] = [];
  readonly #low: number[] = [];
  /** In units. */
  readonly #rest = new Map<number, bigint>();

  add(groups: Uint32Array, values: Float64Array): void {
    const [highs, lows] = [this.#high, this.#low];
    for (let i = 0; i < values.length; i++) {
      const [group = 0, value = 0] = [groups[i], values[i]];
      for (; highs.length <= group; highs.push(0)) lows.push(0);
      const high = highs[group] ?? 0;
      const sum = high + value;
      const error = sumError(high, value, sum);
      if (error === 0) highs[group] = sum;
      else this.#addInexact(group, value, sum, error);
    }
  }

  #addInexact(group: number, value: number, sum: number, error: number): void {
    // Not a number when the sum is beyond the largest double.
    if (Number.isNaN(error)) {
      this.#addRest(group, value);
      return;
    }
    this.#high[group] = sum;
    const low = this.#low[group] ?? 0;
    this.#low[group] = low + error;
    const rest = sumError(low, error, low + error);
    if (rest !== 0) this.#addRest(group, rest);
  }

  #addRest(group: number, value: number): void {
    this.#rest.set(group, (this.#rest.get(group) ?? 0n) + inUnits(value));
  }

  #getUnits(group: number): bigint {
    const [high = 0, low = 0] = [this.#high[group], this.#low[group]];
    return inUnits(high) + inUnits(low) + (this.#rest.get(group) ?? 0n);
  }

  /** The sum, rounded towards zero. */
  integer(group: number): bigint {
    return this.#getUnits(group) / UNITS_OF_ONE;
  }

  /** The double that is nearest to the sum, divided by a number; infinite beyond the largest double. */
  number(group: number, divisor = 1): number {
    const [high = 0, low = 0] = [this.#high[group], this.#low[group]];
    // One operation on exact numbers rounds once; adding 0 turns -0 into 0.
    if (!this.#rest.has(group) && (low === 0 || divisor === 1)) return (high + low) / divisor + 0;
    return quotient(this.#getUnits(group), UNITS_OF_ONE * BigInt(divisor));
  }
}

/** The difference between the exact sum and the rounded one. */
function sumError(a: number, b: number, sum: number): number {
  const fromB = sum - a;
  return a - (sum - fromB) + (b - fromB);
}

const DOUBLE = new DataView(new ArrayBuffer(8));

function inUnits(value: number): bigint {
  DOUBLE.setFloat64(0, value);
  const bits = DOUBLE.getBigUint64(0);
  const exponent = (bits >> 52n) & 0x7ffn;
  const fraction = bits & 0xf_ffff_ffff_ffffn;
  const size = exponent === 0n ? fraction : (fraction | (1n << 52n)) << (exponent - 1n);
  return value < 0 ? -size : size;
}

/** The double that is nearest to a quotient. */
function quotient(dividend: bigint, divisor: bigint): number {
  if (dividend < 0n) return 0 - quotient(-dividend, divisor);
  const shift = Math.max(0, bitsOf(divisor) - bitsOf(dividend) + QUOTIENT_BITS);
  const scaled = dividend << BigInt(shift);
  // The last bit is also set for a remainder, so that only the conversion rounds.
  const bits = (scaled / divisor) | (scaled % divisor === 0n ? 0n : 1n);
  // In two steps, because the power of 2 may be beyond the largest double.
  const half = shift >> 1;
  return Number(bits) / 2 ** half / 2 ** (shift - half);
}

/** Number of bits, rounded up to a multiple of 4. */
function bitsOf(value: bigint): number {
  return value.toString(16).length * 4;
}
