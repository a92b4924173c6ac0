import { fail } from '../failure.js';
import type { Frame } from '../frame.js';
import { Scalar, Uint } from '../scalars.js';
import { keysOf, kindOf, ListValue, MapValue, OptionalValue, type Value } from '../values.js';
import { formatDouble } from './conversions.js';

const CLAUSE = /%(?:\.(\d{1,3}))?(.?)/gs;
const PRECISION_MAX = 100;
const PRECISION = 6;

/**
 * The text with each `%s %d %f %e %b %o %x %X` replaced by the next argument, and `%%` by `%`.
 * @throws Failure for another clause, an argument of another type, and too few or too many of them
 */
export function format(text: string, args: ListValue, frame: Frame): string {
  frame.spendOnText(text.length);
  let next = 0;
  const made = text.replace(CLAUSE, (_clause, digits: string | undefined, letter: string) => {
    if (letter === '%') return '%';
    if (next >= args.size) return fail('format has fewer arguments than its text has places');
    const precision = digits === undefined ? PRECISION : Number(digits);
    if (precision > PRECISION_MAX) return fail(`format writes at most ${PRECISION_MAX} digits`);
    const part = formatted(letter, args.read(next++, frame), precision, frame);
    frame.spendOnText(part.length);
    return part;
  });
  return next === args.size ? made : fail('format has more arguments than its text has places');
}

function formatted(letter: string, value: Value, precision: number, frame: Frame): string {
  switch (letter) {
    case 's':
      return textOf(value, frame);
    case 'd':
      return typeof value === 'number' && !Number.isFinite(value) ? special(value) : String(wholeOf(value));
    case 'f':
      return finite(value, (number) => number.toFixed(precision));
    case 'e':
      return finite(value, (number) => number.toExponential(precision).replace(/e([+-])(\d)$/, 'e$10$2'));
    case 'b':
      return typeof value === 'boolean' ? String(Number(value)) : wholeOf(value).toString(2);
    case 'o':
      return wholeOf(value).toString(8);
    case 'x':
      return hexOf(value);
    case 'X':
      return hexOf(value).toUpperCase();
    default:
      return fail(`format knows no "%${letter}"`);
  }
}

function textOf(value: Value, frame: Frame): string {
  frame.spend(1);
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? formatDouble(value) : special(value);
  if (value === null || typeof value !== 'object' || value instanceof Scalar) return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value instanceof ListValue)
    return `[${[...value.values(frame)].map((item) => textOf(item, frame)).join(', ')}]`;
  if (value instanceof MapValue) {
    const entries = keysOf(value, frame).map(
      (key) => `${textOf(key, frame)}: ${textOf(value.get(key) ?? null, frame)}`,
    );
    return `{${entries.sort().join(', ')}}`;
  }
  return unfit('s', value);
}

function wholeOf(value: Value): bigint {
  if (typeof value === 'bigint') return value;
  return value instanceof Uint ? value.value : unfit('d', value);
}

function finite(value: Value, write: (number: number) => string): string {
  const number = typeof value === 'number' ? value : Number(wholeOf(value));
  return Number.isFinite(number) ? write(number) : special(number);
}

function special(value: number): string {
  return Number.isNaN(value) ? 'NaN' : value < 0 ? '-Infinity' : 'Infinity';
}

function hexOf(value: Value): string {
  if (typeof value === 'string') return Buffer.from(value).toString('hex');
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : wholeOf(value).toString(16);
}

function unfit(letter: string, value: Value | OptionalValue): never {
  return fail(`format takes no ${kindOf(value)} for "%${letter}"`);
}
