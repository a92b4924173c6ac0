import { areEqual, compare } from '../equality.js';
import { fail } from '../failure.js';
import type { Frame } from '../frame.js';
import { ANY, fn, LIST, listKind, method, type Overload } from '../overload.js';
import { Duration, Uint } from '../scalars.js';
import * as types from '../types.js';
import type { Type } from '../types.js';
import type { ListValue, Value } from '../values.js';
import { ARITHMETIC } from './arithmetic.js';

const PLUS = ARITHMETIC.filter(({ name }) => name === '+');
const ZEROS: readonly (readonly [Type, Value])[] = [
  [types.INT, 0n],
  [types.UINT, new Uint(0n)],
  [types.DOUBLE, 0],
  [types.DURATION, new Duration(0n)],
];
const ORDERED = [
  types.INT,
  types.UINT,
  types.DOUBLE,
  types.BOOL,
  types.STRING,
  types.BYTES,
  types.TIMESTAMP,
  types.DURATION,
];

function sum(list: ListValue, zero: Value, frame: Frame): Value {
  let total = zero;
  let isFirst = true;
  for (const item of list.values(frame)) {
    frame.spend(1);
    const args = [total, item];
    total = isFirst
      ? item
      : (PLUS.find((plus) => plus.fits(args)) ?? fail('sum takes numbers')).call(args, frame);
    isFirst = false;
  }
  return total;
}

/** @param sign 1 for the largest, -1 for the smallest */
function extreme(list: ListValue, sign: 1 | -1, frame: Frame): Value {
  if (list.size === 0) return fail('an empty list has no minimum and no maximum');
  let best = list.read(0, frame);
  for (const item of list.values(frame)) {
    frame.spend(1);
    if (compare(item, best, frame) * sign > 0) best = item;
  }
  return best;
}

function isSorted(list: ListValue, frame: Frame): boolean {
  for (let i = 1; i < list.size; i++) {
    frame.spend(1);
    if (compare(list.read(i - 1, frame), list.read(i, frame), frame) > 0) return false;
  }
  return true;
}

/** True when a list contains an item. Also implements `in`. */
export function holds(list: ListValue, wanted: Value, frame: Frame): boolean {
  for (const item of list.values(frame)) if (areEqual(item, wanted, frame)) return true;
  return false;
}

function indexOf(list: ListValue, wanted: Value, frame: Frame): bigint {
  for (let i = 0; i < list.size; i++) if (areEqual(list.read(i, frame), wanted, frame)) return BigInt(i);
  return -1n;
}

function lastIndexOf(list: ListValue, wanted: Value, frame: Frame): bigint {
  for (let i = list.size - 1; i >= 0; i--) if (areEqual(list.read(i, frame), wanted, frame)) return BigInt(i);
  return -1n;
}

function containsAll(list: ListValue, wanted: ListValue, frame: Frame): boolean {
  for (const item of wanted.values(frame)) if (!holds(list, item, frame)) return false;
  return true;
}

function intersects(list: ListValue, other: ListValue, frame: Frame): boolean {
  for (const item of list.values(frame)) if (holds(other, item, frame)) return true;
  return false;
}

/** Functions of lists, as in Kubernetes, and of lists as sets. */
export const LISTS: readonly Overload[] = [
  ...ZEROS.map(([type, zero]) =>
    method('sum', [listKind(type)], type, ([list], frame) => sum(list, zero, frame)),
  ),
  ...ORDERED.flatMap((type) => [
    method('min', [listKind(type)], type, ([list], frame) => extreme(list, -1, frame)),
    method('max', [listKind(type)], type, ([list], frame) => extreme(list, 1, frame)),
    method('isSorted', [listKind(type)], types.BOOL, ([list], frame) => isSorted(list, frame)),
  ]),
  method('indexOf', [LIST, ANY], types.INT, ([list, item], frame) => indexOf(list, item, frame)),
  method('lastIndexOf', [LIST, ANY], types.INT, ([list, item], frame) => lastIndexOf(list, item, frame)),
  fn('sets.contains', [LIST, LIST], types.BOOL, ([list, other], frame) => containsAll(list, other, frame)),
  fn('sets.intersects', [LIST, LIST], types.BOOL, ([list, other], frame) => intersects(list, other, frame)),
  fn(
    'sets.equivalent',
    [LIST, LIST],
    types.BOOL,
    ([list, other], frame) => containsAll(list, other, frame) && containsAll(other, list, frame),
  ),
];
