import { fail } from '../failure.js';
import {
  BYTES,
  DOUBLE,
  DURATION,
  fn,
  INT,
  LIST,
  STRING,
  T,
  TIMESTAMP,
  UINT,
  type Overload,
} from '../overload.js';
import { Duration, INT_MAX, INT_MIN, Timestamp, Uint, UINT_MAX } from '../scalars.js';
import * as types from '../types.js';
import { ComputedList } from '../values.js';

/** @throws Failure when the number does not fit into 64 bits */
export function int(value: bigint): bigint {
  return value >= INT_MIN && value <= INT_MAX ? value : fail('the int does not fit into 64 bits');
}

/** @throws Failure when the number is negative or does not fit into 64 bits */
export function uint(value: bigint): Uint {
  return value >= 0n && value <= UINT_MAX ? new Uint(value) : fail('the uint does not fit into 64 bits');
}

const TIME_MIN = -62_135_596_800_000_000_000n;
const TIME_MAX = 253_402_300_799_999_999_999n;

/** @throws Failure for a time before the year 1 or after 9999 */
export function timestamp(nanos: bigint): Timestamp {
  return nanos >= TIME_MIN && nanos <= TIME_MAX
    ? new Timestamp(nanos)
    : fail('the timestamp is outside the years 1 to 9999');
}

/** @throws Failure when it is longer than about 292 years */
export function duration(nanos: bigint): Duration {
  return nanos >= INT_MIN && nanos <= INT_MAX ? new Duration(nanos) : fail('the duration is too long');
}

function divisor(value: bigint): bigint {
  return value === 0n ? fail('division by zero') : value;
}

/** `+ - * / %`, and the sign. */
export const ARITHMETIC: readonly Overload[] = [
  fn('+', [INT, INT], types.INT, ([a, b]) => int(a + b)),
  fn('-', [INT, INT], types.INT, ([a, b]) => int(a - b)),
  fn('*', [INT, INT], types.INT, ([a, b]) => int(a * b)),
  fn('/', [INT, INT], types.INT, ([a, b]) => int(a / divisor(b))),
  fn('%', [INT, INT], types.INT, ([a, b]) => int(a % divisor(b))),
  fn('negative', [INT], types.INT, ([a]) => int(-a)),

  fn('+', [UINT, UINT], types.UINT, ([a, b]) => uint(a.value + b.value)),
  fn('-', [UINT, UINT], types.UINT, ([a, b]) => uint(a.value - b.value)),
  fn('*', [UINT, UINT], types.UINT, ([a, b]) => uint(a.value * b.value)),
  fn('/', [UINT, UINT], types.UINT, ([a, b]) => uint(a.value / divisor(b.value))),
  fn('%', [UINT, UINT], types.UINT, ([a, b]) => uint(a.value % divisor(b.value))),

  fn('+', [DOUBLE, DOUBLE], types.DOUBLE, ([a, b]) => a + b),
  fn('-', [DOUBLE, DOUBLE], types.DOUBLE, ([a, b]) => a - b),
  fn('*', [DOUBLE, DOUBLE], types.DOUBLE, ([a, b]) => a * b),
  fn('/', [DOUBLE, DOUBLE], types.DOUBLE, ([a, b]) => a / b),
  fn('negative', [DOUBLE], types.DOUBLE, ([a]) => -a),

  fn('+', [STRING, STRING], types.STRING, ([a, b], frame) => {
    frame.spendOnText(a.length + b.length);
    return a + b;
  }),
  fn('+', [BYTES, BYTES], types.BYTES, ([a, b], frame) => {
    frame.spendOnText(a.length + b.length);
    return Uint8Array.from([...a, ...b]);
  }),
  fn('+', [LIST, LIST], types.listType(T), ([a, b], frame) => {
    frame.spend(a.size + b.size);
    return new ComputedList([...a.values(frame), ...b.values(frame)]);
  }),

  fn('+', [TIMESTAMP, DURATION], types.TIMESTAMP, ([a, b]) => timestamp(a.nanos + b.nanos)),
  fn('+', [DURATION, TIMESTAMP], types.TIMESTAMP, ([a, b]) => timestamp(a.nanos + b.nanos)),
  fn('+', [DURATION, DURATION], types.DURATION, ([a, b]) => duration(a.nanos + b.nanos)),
  fn('-', [TIMESTAMP, DURATION], types.TIMESTAMP, ([a, b]) => timestamp(a.nanos - b.nanos)),
  fn('-', [TIMESTAMP, TIMESTAMP], types.DURATION, ([a, b]) => duration(a.nanos - b.nanos)),
  fn('-', [DURATION, DURATION], types.DURATION, ([a, b]) => duration(a.nanos - b.nanos)),
  fn('negative', [DURATION], types.DURATION, ([a]) => duration(-a.nanos)),
];
