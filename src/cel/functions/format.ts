import { fail } from '../failure.js';
import type { Frame } from '../frame.js';
import { CelScalar, Uint } from '../scalars.js';
import { getKeys, getKind, ListValue, MapValue, OptionalValue, type Value } from '../values.js';
import { formatDouble } from './conversions.js';

const CLAUSE = /%(?:\.(\d{1,3}))?(.?)/gs;
const PRECISION_MAX = 100;
const PRECISION = 6;

/**
 * Replaces each `%s %d %f %e %b %o %x %X` of the text by the next argument, and `%%` by `%`.
 * @throws Failure for another clause, an argument of another type, and too few or too many arguments
 */
export function format(text: string, args: ListValue, frame: Frame): string {
  frame.spendOnText(text.length);
  let next = 0;
  const made = text.replace(CLAUSE, (_clause, digits: string | undefined, letter: string) => {
    if (letter === '%') return '%';
    if (next >= args.size) return fail('format has fewer arguments than placeholders');
    const precision = digits === undefined ? PRECISION : Number(digits);
    if (precision > PRECISION_MAX) return fail(`format writes at most ${PRECISION_MAX} digits`);
    const part = formatted(letter, args.read(next++, frame), precision, frame);
    frame.spendOnText(part.length);
    return part;
  });
  return next === args.size ? made : fail('format has more arguments than placeholders');
}

function formatted(letter: string, value: Value, precision: number, frame: Frame): string {
  switch (letter) {
    case 's':
      return formatText(value, frame);
    case 'd':
      return typeof value === 'number' && !Number.isFinite(value) ? special(value) : String(toWhole(value));
    case 'f':
      return finite(value, (number) => number.toFixed(precision));
    case 'e':
      return finite(value, (number) => number.toExponential(precision).replace(/e([+-])(\d)$/, 'e$10$2'));
    case 'b':
      return typeof value === 'boolean' ? String(Number(value)) : toWhole(value).toString(2);
    case 'o':
      return toWhole(value).toString(8);
    case 'x':
      return toHex(value);
    case 'X':
      return toHex(value).toUpperCase();
    default:
      return fail(`format does not support "%${letter}"`);
  }
}

function formatText(value: Value, frame: Frame): string {
  frame.spend(1);
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? formatDouble(value) : special(value);
  if (value === null || typeof value !== 'object' || value instanceof CelScalar) return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value instanceof ListValue)
    return `[${[...value.values(frame)].map((item) => formatText(item, frame)).join(', ')}]`;
  if (value instanceof MapValue) {
    const entries = getKeys(value, frame).map(
      (key) => `${formatText(key, frame)}: ${formatText(value.get(key) ?? null, frame)}`,
    );
    return `{${entries.sort().join(', ')}}`;
  }
  return unfit('s', value);
}

function toWhole(value: Value): bigint {
  if (typeof value === 'bigint') return value;
  return value instanceof Uint ? value.value : unfit('d', value);
}

function finite(value: Value, write: (number: number) => string): string {
  const number = typeof value === 'number' ? value : Number(toWhole(value));
  return Number.isFinite(number) ? write(number) : special(number);
}

function special(value: number): string {
  return Number.isNaN(value) ? 'NaN' : value < 0 ? '-Infinity' : 'Infinity';
}

function toHex(value: Value): string {
  if (typeof value === 'string') return Buffer.from(value).toString('hex');
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : toWhole(value).toString(16);
}

function unfit(letter: string, value: Value | OptionalValue): never {
  return fail(`format does not accept ${getKind(value)} for "%${letter}"`);
}
