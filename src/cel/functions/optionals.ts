import { fail } from '../failure.js';
import type { Frame } from '../frame.js';
import { ANY, fn, method, OPTIONAL, T, type Overload } from '../overload.js';
import * as types from '../types.js';
import { getKeys, ListValue, MapValue, OptionalValue, type Value } from '../values.js';

function isZero(value: Value, frame: Frame): boolean {
  if (value instanceof ListValue) return value.size === 0;
  if (value instanceof MapValue) return getKeys(value, frame).length === 0;
  return value === null || value === '' || value === false || value === 0 || value === 0n;
}

/** Functions of values that may be absent. */
export const OPTIONALS: readonly Overload[] = [
  fn('optional.of', [ANY], types.optionalType(T), ([value]) => new OptionalValue(value)),
  fn('optional.none', [], types.optionalType(types.DYN), () => OptionalValue.NONE),
  fn('optional.ofNonZeroValue', [ANY], types.optionalType(T), ([value], frame) =>
    isZero(value, frame) ? OptionalValue.NONE : new OptionalValue(value),
  ),
  method('hasValue', [OPTIONAL], types.BOOL, ([{ value }]) => value !== undefined),
  method('value', [OPTIONAL], T, ([{ value }]) =>
    value === undefined ? fail('the optional has no value') : value,
  ),
  method('orValue', [OPTIONAL, ANY], T, ([{ value }, other]) => (value === undefined ? other : value)),
  method('or', [OPTIONAL, OPTIONAL], types.optionalType(T), ([first, second]) =>
    first.value === undefined ? second : first,
  ),
];
