import type { ExtensionObject } from '../../src/model/object.js';
import type { ValueType } from '../../src/model/resource.js';
import { comparable, compare } from './naive.js';

/** The plain definition of groups and aggregates, written without any of the code under test. */

export type Value = string | number | boolean;

export interface GroupField {
  readonly name: string;
  readonly keyType: ValueType;
  readonly isMulti: boolean;
  readonly ignoresCase: boolean;
  read(object: ExtensionObject): readonly Value[];
}

export interface Call {
  readonly name: 'sum' | 'avg' | 'min' | 'max';
  readonly field: GroupField;
}

export interface Question {
  readonly groupBy: readonly GroupField[];
  readonly calls: readonly Call[];
  readonly groupLimit: number;
}

type Row = Readonly<Record<string, unknown>>;
interface Member {
  readonly field: GroupField;
  /** Undefined: the object has no value. */
  readonly value: Value | undefined;
}
interface Found {
  readonly key: readonly Member[];
  readonly objects: ExtensionObject[];
}

/** @param objects the matches, in the order of their creation */
export function groupsOf(
  objects: readonly ExtensionObject[],
  { groupBy, calls, groupLimit }: Question,
): { groups: Row[]; groupsTotal: number } {
  const found = new Map<string, Found>();
  if (groupBy.length === 0) found.set('', { key: [], objects: [...objects] });
  else for (const object of objects) addTo(found, object, groupBy);
  const sorted = [...found.values()].sort((a, b) => b.objects.length - a.objects.length || compareKeys(a, b));
  const groups = sorted.slice(0, groupLimit).map(({ key, objects: own }) => ({
    key: Object.fromEntries(
      key.map(({ field, value }) => [field.name, value === undefined ? null : shown(field, value)]),
    ),
    count: own.length,
    ...Object.fromEntries(calls.map((call) => [`${call.name}(${call.field.name})`, resultOf(call, own)])),
  }));
  return { groups, groupsTotal: found.size };
}

function addTo(found: Map<string, Found>, object: ExtensionObject, groupBy: readonly GroupField[]): void {
  let keys: Member[][] = [[]];
  for (const field of groupBy) {
    const values = distinct(field, field.read(object));
    const members: Member[] =
      values.length === 0 ? [{ field, value: undefined }] : values.map((value) => ({ field, value }));
    keys = keys.flatMap((key) => members.map((member) => [...key, member]));
  }
  for (const key of keys) {
    const text = JSON.stringify(
      key.map(({ field, value }) => (value === undefined ? null : textOf(field, value))),
    );
    const group = found.get(text) ?? { key, objects: [] };
    found.set(text, group);
    group.objects.push(object);
  }
}

function distinct(field: GroupField, values: readonly Value[]): Value[] {
  return [...new Map([...values].reverse().map((value) => [textOf(field, value), value])).values()];
}

function textOf(field: GroupField, value: Value): string {
  return String(comparableOf(field, value));
}

function comparableOf({ keyType, ignoresCase }: GroupField, value: Value): ReturnType<typeof comparable> {
  return comparable(keyType, ignoresCase ? String(value).toLowerCase() : value);
}

/** A double has one form. */
function shown({ keyType }: GroupField, value: Value): Value {
  return keyType === 'number' || keyType === 'integer' ? Number(value) + 0 : value;
}

function compareKeys(a: Found, b: Found): number {
  for (const [i, { field, value }] of a.key.entries()) {
    const other = b.key[i]?.value;
    if (value === undefined || other === undefined) {
      if (value !== other) return value === undefined ? 1 : -1;
      continue;
    }
    const order = compare(comparableOf(field, value), comparableOf(field, other));
    if (order !== 0) return order;
  }
  return 0;
}

function resultOf({ name, field }: Call, objects: readonly ExtensionObject[]): Value | null {
  const values = objects.flatMap((object) => field.read(object));
  if (name === 'sum' || name === 'avg') return name === 'sum' ? sumOf(field, values) : averageOf(values);
  const best = values.reduce<Value | undefined>((one, value) => {
    if (one === undefined) return value;
    const order = compare(comparableOf(field, value), comparableOf(field, one));
    return order !== 0 && order > 0 === (name === 'max') ? value : one;
  }, undefined);
  return best === undefined ? null : shown(field, best);
}

const DIGITS = 1_500;
const SCALE = 10n ** BigInt(DIGITS);

/** A number times 10^DIGITS, which is an integer for every double. */
function scaled(value: Value): bigint {
  if (typeof value === 'string') return BigInt(value) * SCALE;
  let [number, halvings] = [Number(value), 0n];
  for (; !Number.isInteger(number); halvings++) number *= 2;
  return (BigInt(number) * SCALE) / 2n ** halvings;
}

function sumOf({ keyType }: GroupField, values: readonly Value[]): number | string {
  const sum = values.reduce((total, value) => total + scaled(value), 0n);
  const number = Number(`${sum}e-${DIGITS}`) + 0;
  const isExact = keyType === 'number' ? Number.isFinite(number) : Number.isSafeInteger(number);
  return isExact ? number : String(sum / SCALE);
}

function averageOf(values: readonly Value[]): number | null {
  if (values.length === 0) return null;
  const sum = values.reduce((total, value) => total + scaled(value), 0n) * SCALE;
  const count = BigInt(values.length);
  // A last digit for the remainder.
  return (
    Number(`${sum / count}${sum % count === 0n ? '' : '1'}e-${2 * DIGITS + (sum % count === 0n ? 0 : 1)}`) + 0
  );
}
