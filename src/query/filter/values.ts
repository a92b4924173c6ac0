import { formatExcerpt } from '../../errors.js';
import { formatInstant } from '../../lib/time/instant.js';
import type { KeyType } from '../../model/resource.js';
import type { Limit, Scalar } from '../condition.js';

/** A literal value of a filter, or a value that was computed from literals. */
export type FilterValue =
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'boolean'; readonly value: boolean }
  | { readonly type: 'integer'; readonly value: bigint }
  | { readonly type: 'number'; readonly value: number }
  /** Nanoseconds since 1970; may be outside the range of an index. */
  | { readonly type: 'time'; readonly value: bigint }
  /** Nanoseconds. */
  | { readonly type: 'duration'; readonly value: bigint };

/**
 * The position of a value among the values of an index: equal to one, or between two. `below` and `above` are the
 * limits of the smaller and the larger values; undefined when no value is smaller or larger.
 */
export type FilterPosition =
  | { readonly kind: 'at'; readonly value: Scalar }
  | { readonly kind: 'between'; readonly below: Limit | undefined; readonly above: Limit | undefined };

const SECOND = 1_000_000_000n;
const TIME_MIN = -62_167_219_200n * SECOND;
const TIME_MAX = 253_402_300_800n * SECOND - 1n;
const DIGITS = /^-?\d{1,19}$/;

/** The position of a value among the values of a key type; undefined when they cannot be compared. */
export function findPosition(keyType: KeyType, value: FilterValue): FilterPosition | undefined {
  switch (keyType) {
    case 'string':
      return value.type === 'string' && value.value.isWellFormed()
        ? { kind: 'at', value: value.value }
        : undefined;
    case 'boolean':
      return value.type === 'boolean' ? { kind: 'at', value: value.value } : undefined;
    case 'integer':
      return among(value, { min: -(2n ** 31n), max: 2n ** 31n - 1n, scalar: Number });
    case 'long':
      return among(asInteger(value), { min: -(2n ** 63n), max: 2n ** 63n - 1n, scalar: (whole) => whole });
    case 'number':
      return amongNumbers(value);
    case 'instant':
      return value.type === 'time'
        ? amongWholes(value.value, false, { min: TIME_MIN, max: TIME_MAX, scalar: textOfTime })
        : undefined;
  }
}

/** Objects may write 64-bit integers as texts, so filters accept texts too. */
function asInteger(value: FilterValue): FilterValue {
  return value.type === 'string' && DIGITS.test(value.value)
    ? { type: 'integer', value: BigInt(value.value) }
    : value;
}

/** A range of values in steps of 1. */
interface Wholes {
  readonly min: bigint;
  readonly max: bigint;
  readonly scalar: (whole: bigint) => Scalar;
}

function among(value: FilterValue, wholes: Wholes): FilterPosition | undefined {
  if (value.type === 'integer') return amongWholes(value.value, false, wholes);
  if (value.type !== 'number') return undefined;
  return amongWholes(BigInt(Math.floor(value.value)), !Number.isInteger(value.value), wholes);
}

/** @param isMore true when the value is between `floor` and the next whole number */
function amongWholes(floor: bigint, isMore: boolean, { min, max, scalar }: Wholes): FilterPosition {
  if (!isMore && floor >= min && floor <= max) return { kind: 'at', value: scalar(floor) };
  const limit = (whole: bigint): Limit => ({ value: scalar(whole), inclusive: true });
  const next = floor + 1n;
  return {
    kind: 'between',
    below: floor < min ? undefined : limit(floor > max ? max : floor),
    above: next > max ? undefined : limit(next < min ? min : next),
  };
}

function amongNumbers(value: FilterValue): FilterPosition | undefined {
  if (value.type === 'number') return { kind: 'at', value: value.value };
  if (value.type !== 'integer') return undefined;
  const nearest = Number(value.value);
  const order = BigInt(nearest) - value.value;
  if (order === 0n) return { kind: 'at', value: nearest };
  return {
    kind: 'between',
    below: { value: nearest, inclusive: order < 0n },
    above: { value: nearest, inclusive: order > 0n },
  };
}

function textOfTime(nanos: bigint): string {
  const rest = ((nanos % SECOND) + SECOND) % SECOND;
  return formatInstant({ seconds: Number((nanos - rest) / SECOND), nanos: Number(rest) });
}

/** The error of a comparison with a value of another type. */
export function mismatch(name: string, keyType: KeyType, { type, value }: FilterValue): string {
  const hint =
    keyType === 'instant' && type === 'string'
      ? ` (write timestamp(${JSON.stringify(formatExcerpt(value))}))`
      : '';
  const article = type === 'integer' ? 'an' : 'a';
  return `${name} is of type ${keyType} and cannot be compared with ${article} ${type}${hint}`;
}
