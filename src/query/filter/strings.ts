import { faultIn } from './syntax.js';

/** How a string begins: raw or not, with one or three quotes of either kind. */
export const STRING_START = /[rR]?(?:"""|'''|"|')/y;

const PLAIN_ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '"': '"',
  "'": "'",
  '`': '`',
  '?': '?',
};
/** Escapes by number: hexadecimal digits, or three octal ones. */
const NUMBERED = /\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2}))/y;

/**
 * Reads the string that begins at a place, with the escapes of CEL.
 * @throws ServiceError `BadRequest` with the position, when it does not end or has an escape that means nothing
 */
export function readString(text: string, start: number): { readonly value: string; readonly end: number } {
  STRING_START.lastIndex = start;
  const opening = STRING_START.exec(text)?.[0] ?? '';
  const isRaw = /^r/i.test(opening);
  const quotes = isRaw ? opening.slice(1) : opening;
  let value = '';
  for (let at = start + opening.length; at < text.length;) {
    if (text.startsWith(quotes, at)) return { value, end: at + quotes.length };
    const char = text.charAt(at);
    if (quotes.length === 1 && (char === '\n' || char === '\r')) break;
    const read = char === '\\' && !isRaw ? readEscape(text, at) : { value: char, end: at + 1 };
    value += read.value;
    at = read.end;
  }
  throw faultIn(text, start, `the string has no closing ${quotes}`);
}

function readEscape(text: string, at: number): { readonly value: string; readonly end: number } {
  const plain = PLAIN_ESCAPES[text.charAt(at + 1)];
  if (plain !== undefined) return { value: plain, end: at + 2 };
  NUMBERED.lastIndex = at;
  const match = NUMBERED.exec(text);
  if (match === null) throw faultIn(text, at, 'a "\\" that begins no escape (write "\\\\" for itself)');
  const [whole, byte, short, long, octal] = match;
  const code = octal === undefined ? parseInt(byte ?? short ?? long ?? '', 16) : parseInt(octal, 8);
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
    throw faultIn(text, at, `${whole} is not a character`);
  }
  return { value: String.fromCodePoint(code), end: at + whole.length };
}
