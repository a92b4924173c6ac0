import { ExpressionFault } from './fault.js';

/** The start of a string or bytes: raw or not, with one or three quotes of either kind. */
export const STRING_START = /(?:[bB][rR]?|[rR][bB]?)?(?:"""|'''|"|')/y;

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
/** Numeric escapes: hexadecimal digits, or three octal ones. */
const NUMBERED = /\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2}))/y;

interface Read<T> {
  readonly value: T;
  readonly end: number;
}

/**
 * Reads the string or the bytes that begin at an index, and resolves the escapes of CEL.
 * @throws ExpressionFault when it has no end, or an unknown escape
 */
export function readString(text: string, start: number): Read<string | Uint8Array> {
  STRING_START.lastIndex = start;
  const opening = STRING_START.exec(text)?.[0] ?? '';
  const prefix = /^[a-z]*/i.exec(opening)?.[0].toLowerCase() ?? '';
  const quotes = opening.slice(prefix.length);
  const areBytes = prefix.includes('b');
  const parts: (string | number)[] = [];
  for (let at = start + opening.length; at < text.length;) {
    if (text.startsWith(quotes, at)) {
      const value = areBytes ? getBytes(parts) : parts.join('');
      return { value, end: at + quotes.length };
    }
    const char = text.charAt(at);
    if (quotes.length === 1 && (char === '\n' || char === '\r')) break;
    const isEscape = char === '\\' && !prefix.includes('r');
    const read = isEscape ? readEscape(text, at, areBytes) : { value: char, end: at + 1 };
    parts.push(read.value);
    at = read.end;
  }
  throw new ExpressionFault(`the string has no closing ${quotes}`, start);
}

/** @returns a character, or for bytes the value of one byte */
function readEscape(text: string, at: number, inBytes: boolean): Read<string | number> {
  const plain = PLAIN_ESCAPES[text.charAt(at + 1)];
  if (plain !== undefined) return { value: plain, end: at + 2 };
  NUMBERED.lastIndex = at;
  const match = NUMBERED.exec(text);
  if (match === null)
    throw new ExpressionFault('a "\\" that does not begin an escape (write "\\\\" for a backslash)', at);
  const [whole, byte, short, long, octal] = match;
  const end = at + whole.length;
  const code = octal === undefined ? parseInt(byte ?? short ?? long ?? '', 16) : parseInt(octal, 8);
  const isOneByte = short === undefined && long === undefined;
  if (inBytes) {
    if (isOneByte) return { value: code, end };
    throw new ExpressionFault(`bytes have no escape ${whole}`, at);
  }
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
    throw new ExpressionFault(`${whole} is not a character`, at);
  return { value: String.fromCodePoint(code), end };
}

function getBytes(parts: readonly (string | number)[]): Uint8Array {
  const chunks: Buffer[] = [];
  let characters = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      characters += part;
      continue;
    }
    chunks.push(Buffer.from(characters), Buffer.of(part));
    characters = '';
  }
  return Uint8Array.from(Buffer.concat([...chunks, Buffer.from(characters)]));
}
