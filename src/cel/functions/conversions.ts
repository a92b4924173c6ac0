import { fail } from '../failure.js';
import {
  ANY,
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  fn,
  INT,
  STRING,
  TIMESTAMP,
  UINT,
  type Overload,
} from '../overload.js';
import { TypeValue } from '../scalars.js';
import { readDuration, readTime } from '../time.js';
import * as types from '../types.js';
import { getKind, type Value } from '../values.js';
import { duration, int, timestamp, uint } from './arithmetic.js';

const WHOLE = /^[+-]?\d{1,20}$/;
const NUMBER = /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|Inf(?:inity)?|NaN)$/i;
const SECOND = 1_000_000_000n;
const BOOLS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false] as const),
]);

function parseWhole(text: string): bigint {
  return WHOLE.test(text) ? BigInt(text.replace('+', '')) : fail(`${shown(text)} is not an integer`);
}

function truncated(value: number): bigint {
  return Number.isFinite(value) ? BigInt(Math.trunc(value)) : fail(`${value} is not an integer`);
}

function getNumber(text: string): number {
  if (!NUMBER.test(text)) return fail(`${shown(text)} is not a number`);
  return /inf/i.test(text) ? (text.startsWith('-') ? -Infinity : Infinity) : Number(text);
}

function formatText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return fail('the bytes are not UTF-8 text');
  }
}

/** Formats as Go does: the fewest digits, with an exponent below 1e-4 and from 1e6 on. */
export function formatDouble(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value < 0 ? '-Inf' : '+Inf';
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const size = Number(exponent);
  if (value !== 0 && (size < -4 || size >= 6))
    return `${digits}e${size < 0 ? '-' : '+'}${String(Math.abs(size)).padStart(2, '0')}`;
  return Object.is(value, -0) ? '-0' : String(value);
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 40));
}

function typeOfValue(value: Value): string {
  const kind = getKind(value);
  return NAMES.get(kind) ?? kind;
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ['null', 'null_type'],
  ['timestamp', 'google.protobuf.Timestamp'],
  ['duration', 'google.protobuf.Duration'],
  ['optional', 'optional_type'],
]);

/** Names of types as values: `type(1) == int`. */
export const TYPE_NAMES: ReadonlySet<string> = new Set(
  'bool bytes double int list map null_type string type uint'.split(' '),
);

/** Functions that convert one type to another, and `type`. */
export const CONVERSIONS: readonly Overload[] = [
  fn('int', [INT], types.INT, ([value]) => value),
  fn('int', [UINT], types.INT, ([{ value }]) => int(value)),
  fn('int', [DOUBLE], types.INT, ([value]) => int(truncated(value))),
  fn('int', [STRING], types.INT, ([text]) => int(parseWhole(text))),
  fn(
    'int',
    [TIMESTAMP],
    types.INT,
    ([{ nanos }]) => (nanos - (((nanos % SECOND) + SECOND) % SECOND)) / SECOND,
  ),
  fn('int', [DURATION], types.INT, ([{ nanos }]) => nanos),

  fn('uint', [UINT], types.UINT, ([value]) => value),
  fn('uint', [INT], types.UINT, ([value]) => uint(value)),
  fn('uint', [DOUBLE], types.UINT, ([value]) => uint(truncated(value))),
  fn('uint', [STRING], types.UINT, ([text]) => uint(parseWhole(text))),

  fn('double', [DOUBLE], types.DOUBLE, ([value]) => value),
  fn('double', [INT], types.DOUBLE, ([value]) => Number(value)),
  fn('double', [UINT], types.DOUBLE, ([{ value }]) => Number(value)),
  fn('double', [STRING], types.DOUBLE, ([text], frame) => {
    frame.spendOnText(text.length);
    return getNumber(text);
  }),

  fn('string', [STRING], types.STRING, ([text]) => text),
  fn('string', [BOOL], types.STRING, ([value]) => String(value)),
  fn('string', [INT], types.STRING, ([value]) => String(value)),
  fn('string', [UINT], types.STRING, ([value]) => String(value)),
  fn('string', [DOUBLE], types.STRING, ([value]) => formatDouble(value)),
  fn('string', [BYTES], types.STRING, ([bytes], frame) => {
    frame.spendOnText(bytes.length);
    return formatText(bytes);
  }),
  fn('string', [TIMESTAMP], types.STRING, ([value]) => String(value)),
  fn('string', [DURATION], types.STRING, ([value]) => String(value)),

  fn('bytes', [BYTES], types.BYTES, ([bytes]) => bytes),
  fn('bytes', [STRING], types.BYTES, ([text], frame) => {
    frame.spendOnText(text.length);
    return Uint8Array.from(Buffer.from(text));
  }),

  fn('bool', [BOOL], types.BOOL, ([value]) => value),
  fn('bool', [STRING], types.BOOL, ([text]) => BOOLS.get(text) ?? fail(`${shown(text)} is not a bool`)),

  fn('timestamp', [TIMESTAMP], types.TIMESTAMP, ([value]) => value),
  fn('timestamp', [INT], types.TIMESTAMP, ([seconds]) => timestamp(seconds * SECOND)),
  fn('timestamp', [STRING], types.TIMESTAMP, ([text]) =>
    timestamp(readTime(text) ?? fail(`${shown(text)} is not a timestamp`)),
  ),

  fn('duration', [DURATION], types.DURATION, ([value]) => value),
  fn('duration', [STRING], types.DURATION, ([text]) =>
    duration(readDuration(text) ?? fail(`${shown(text)} is not a duration`)),
  ),

  fn('dyn', [ANY], types.DYN, ([value]) => value),
  fn('type', [ANY], types.TYPE, ([value]) => new TypeValue(typeOfValue(value))),
];
