import { formatExcerpt } from '../../errors.js';
import { ExpressionFault } from './fault.js';
import { UINT_MAX, Uint } from '../scalars.js';
import { readString, STRING_START } from './strings.js';

export type LexicalToken = { readonly at: number } & (
  | { readonly kind: 'name' | 'sign'; readonly text: string }
  | { readonly kind: 'string'; readonly value: string | Uint8Array }
  | { readonly kind: 'number'; readonly value: bigint | number | Uint }
  | { readonly kind: 'end' }
);

/** Includes comments, which extend to the end of their line. */
const SPACE = /(?:[ \t\n\r\f]|\/\/[^\n]*)*/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
/** Includes the characters that follow directly, so that `30x` is not read as a number and a name. */
const NUMBER = /(?:0x[0-9a-fA-F]+|(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)[A-Za-z_0-9]*/y;
const INTEGER = /^(0x[0-9a-fA-F]{1,16}|\d{1,32})([uU]?)$/;
const DOUBLE = /^(?:\d+\.\d+|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?$/;
/** Longer ones come first. Unknown ones are read too, so that messages can name them. */
const SIGN = /&&|\|\||[=!<>]=|[!<>()[\],.+\-*/%?:{}=&|]/y;
/** The absolute value of the smallest 64-bit integer. */
const INTEGER_MAX = 2n ** 63n;

/**
 * The tokens of an expression. The last one marks the end.
 * @throws ExpressionFault
 */
export function* iterateTokens(text: string): Generator<LexicalToken, void> {
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

function tokenAt(text: string, at: number): { readonly token: LexicalToken; readonly end: number } {
  if (matchAt(STRING_START, text, at) !== '') {
    const { value, end } = readString(text, at);
    return { token: { kind: 'string', value, at }, end };
  }
  const name = matchAt(NAME, text, at);
  if (name !== '') return { token: { kind: 'name', text: name, at }, end: at + name.length };
  const number = matchAt(NUMBER, text, at);
  if (number !== '')
    return { token: { kind: 'number', value: readNumber(at, number), at }, end: at + number.length };
  const sign = matchAt(SIGN, text, at);
  if (sign !== '') return { token: { kind: 'sign', text: sign, at }, end: at + sign.length };
  throw new ExpressionFault(`unexpected "${String.fromCodePoint(text.codePointAt(at) ?? 0)}"`, at);
}

function readNumber(at: number, digits: string): bigint | number | Uint {
  const [, whole, unsigned] = INTEGER.exec(digits) ?? [];
  if (whole !== undefined) {
    const value = BigInt(whole);
    if (unsigned === '' && value <= INTEGER_MAX) return value;
    if (unsigned !== '' && value <= UINT_MAX) return new Uint(value);
  } else if (DOUBLE.test(digits)) {
    const value = Number(digits);
    if (Number.isFinite(value)) return value;
  } else {
    throw new ExpressionFault(`"${formatExcerpt(digits)}" is not a number`, at);
  }
  throw new ExpressionFault(`the number ${formatExcerpt(digits)} is too large`, at);
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}
