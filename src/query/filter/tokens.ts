import { excerpt } from '../../errors.js';
import { faultIn } from './syntax.js';
import { readString, STRING_START } from './strings.js';

export type Token = { readonly at: number } & (
  | { readonly kind: 'name' | 'sign'; readonly text: string }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'number'; readonly value: bigint | number }
  | { readonly kind: 'end' }
);

const SPACE = /[ \t\n\r\f]*/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
/** With what follows it without a gap, so that `30x` and `1u` are no number and a name. */
const NUMBER = /(?:0x[0-9a-fA-F]+|(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)[A-Za-z_0-9]*/y;
const INTEGER = /^(?:0x[0-9a-fA-F]{1,16}|\d{1,32})$/;
const DOUBLE = /^(?:\d+\.\d+|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?$/;
/** Longer ones come first. Those that mean nothing here are read as well, so that messages can name them. */
const SIGN = /&&|\|\||[=!<>]=|[!<>()[\],.+\-*/%?:{}=&|]/y;
/** As large as the absolute value of the smallest 64-bit integer. */
const INTEGER_MAX = 2n ** 63n;

/**
 * The tokens of a filter, the last of which is the end.
 * @throws ServiceError `BadRequest` with the position
 */
export function* tokensOf(text: string): Generator<Token, void> {
  for (let at = 0; ;) {
    at += matchAt(SPACE, text, at).length;
    if (at >= text.length) {
      yield { kind: 'end', at };
      return;
    }
    const { token, end } = tokenAt(text, at);
    yield token;
    at = end;
  }
}

function tokenAt(text: string, at: number): { readonly token: Token; readonly end: number } {
  if (matchAt(STRING_START, text, at) !== '') {
    const { value, end } = readString(text, at);
    return { token: { kind: 'string', value, at }, end };
  }
  const name = matchAt(NAME, text, at);
  if (name !== '') return { token: { kind: 'name', text: name, at }, end: at + name.length };
  const number = matchAt(NUMBER, text, at);
  if (number !== '')
    return { token: { kind: 'number', value: readNumber(text, at, number), at }, end: at + number.length };
  const sign = matchAt(SIGN, text, at);
  if (sign !== '') return { token: { kind: 'sign', text: sign, at }, end: at + sign.length };
  throw faultIn(text, at, `unexpected "${String.fromCodePoint(text.codePointAt(at) ?? 0)}"`);
}

function readNumber(text: string, at: number, digits: string): bigint | number {
  if (INTEGER.test(digits)) {
    const value = BigInt(digits);
    if (value <= INTEGER_MAX) return value;
  } else if (DOUBLE.test(digits)) {
    const value = Number(digits);
    if (Number.isFinite(value)) return value;
  } else {
    throw faultIn(text, at, `"${excerpt(digits)}" is not a number`);
  }
  throw faultIn(text, at, `the number ${excerpt(digits)} is too large`);
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}
