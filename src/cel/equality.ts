import { compareTexts } from '../lib/compare-texts.js';
import { fail } from './failure.js';
import type { Frame } from './frame.js';
import { Duration, CelScalar, Timestamp, Uint } from './scalars.js';
import { getKeys, getKind, ListValue, MapValue, OptionalValue, type Value } from './values.js';

/** Characters compared in one step. */
const COMPARED_PER_STEP = 500;

/** Steps for converting values to the texts that are compared. */
const TEXT_STEPS = 10;

/** True when two values are equal. Values of different types differ, but numbers are compared as numbers. */
export function areEqual(a: Value, b: Value, frame: Frame): boolean {
  frame.spend(typeof a === 'string' ? 1 + a.length / COMPARED_PER_STEP : 1);
  if (a === b) return !Number.isNaN(a);
  const [x, y] = [findNumber(a), findNumber(b)];
  // Compares a bigint and a number by their values.
  if (x !== undefined || y !== undefined) return x !== undefined && y !== undefined && x == y;
  if (a instanceof ListValue) return b instanceof ListValue && haveEqualItems(a, b, frame);
  if (a instanceof MapValue) return b instanceof MapValue && haveEqualEntries(a, b, frame);
  if (a instanceof CelScalar) {
    frame.spend(TEXT_STEPS);
    return b instanceof CelScalar && a.kind === b.kind && a.toString() === b.toString();
  }
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof OptionalValue) return b instanceof OptionalValue && haveEqualValues(a, b, frame);
  return false;
}

function haveEqualItems(a: ListValue, b: ListValue, frame: Frame): boolean {
  if (a.size !== b.size) return false;
  for (let i = 0; i < a.size; i++) if (!areEqual(a.read(i, frame), b.read(i, frame), frame)) return false;
  return true;
}

function haveEqualEntries(a: MapValue, b: MapValue, frame: Frame): boolean {
  const keys = getKeys(a, frame);
  if (keys.length !== getKeys(b, frame).length) return false;
  return keys.every((key) => {
    const [one, other] = [a.get(key), b.get(key)];
    return one !== undefined && other !== undefined && areEqual(one, other, frame);
  });
}

function haveEqualValues(a: OptionalValue, b: OptionalValue, frame: Frame): boolean {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return areEqual(a.value, b.value, frame);
}

function findNumber(value: Value): number | bigint | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  return value instanceof Uint ? value.value : undefined;
}

/**
 * Compares two values: below 0, 0, above 0; NaN for values without an order, such as NaN and a number.
 * @throws Failure when their types have no order
 */
export function compare(a: Value, b: Value, frame: Frame): number {
  const [x, y] = [findNumber(a), findNumber(b)];
  if (x !== undefined && y !== undefined) return x < y ? -1 : x > y ? 1 : x == y ? 0 : NaN;
  if (typeof a === 'string' && typeof b === 'string') {
    frame.spendOnText(Math.min(a.length, b.length));
    return compareTexts(a, b);
  }
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof Timestamp && b instanceof Timestamp) return sign(a.nanos - b.nanos);
  if (a instanceof Duration && b instanceof Duration) return sign(a.nanos - b.nanos);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  return fail(`cannot compare a ${getKind(a)} with a ${getKind(b)}`);
}

function sign(difference: bigint): number {
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
