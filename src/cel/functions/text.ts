import { fail } from '../failure.js';
import type { Frame } from '../frame.js';
import { BYTES, fn, INT, LIST, listKind, MAP, method, STRING, type Overload } from '../overload.js';
import * as types from '../types.js';
import { getKeys, getKind, ComputedList, type ListValue } from '../values.js';
import { format } from './format.js';
import { firstIndex, lastIndex, partsBetween } from './search.js';

/** CEL counts positions in characters; JavaScript counts a surrogate pair as two. */
function getCharacters(text: string, frame: Frame): readonly string[] {
  frame.spendOnText(text.length);
  return Array.from(text);
}

function position(value: bigint, max: number): number {
  return value >= 0n && value <= max ? Number(value) : fail(`the position ${value} is out of range`);
}

function getSize(text: string, frame: Frame): bigint {
  frame.spendOnText(text.length);
  let pairs = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >> 10 === 0x36) pairs++;
  return BigInt(text.length - pairs);
}

interface Search {
  readonly text: string;
  readonly part: string;
  readonly from?: bigint;
}

function indexOf({ text, part, from = 0n }: Search, frame: Frame): bigint {
  const characters = getCharacters(text, frame);
  const start = characters.slice(0, position(from, characters.length)).join('').length;
  return indexOfUnit(text, firstIndex(text, part, start));
}

function lastIndexOf({ text, part, from }: Search, frame: Frame): bigint {
  const characters = getCharacters(text, frame);
  const start = from === undefined ? characters.length : position(from, characters.length);
  return indexOfUnit(text, lastIndex(text, part, characters.slice(0, start).join('').length));
}

function indexOfUnit(text: string, unit: number): bigint {
  return unit < 0 ? -1n : BigInt(Array.from(text.slice(0, unit)).length);
}

function substring(text: string, from: bigint, to: bigint | undefined, frame: Frame): string {
  const characters = getCharacters(text, frame);
  const end = to === undefined ? characters.length : position(to, characters.length);
  return characters.slice(position(from, end), end).join('');
}

/** @param limit greatest number of replacements; below 0 for all */
function replace(
  text: string,
  [before, after]: readonly [string, string],
  limit: bigint,
  frame: Frame,
): string {
  if (limit === 0n) return text;
  frame.spendOnText(text.length);
  const times = limit < 0n ? Infinity : Number(limit);
  const parts = before === '' ? ['', ...Array.from(text), ''] : partsBetween(text, before);
  const count = Math.min(times, parts.length - 1);
  frame.spendOnText(count * after.length);
  const rest = parts.slice(count).join(before);
  return [...parts.slice(0, count), rest].join(after);
}

/** @param limit greatest number of parts, the last of which is the rest; below 0 for all */
function split(text: string, separator: string, limit: bigint, frame: Frame): ListValue {
  frame.spendOnText(text.length);
  if (limit === 0n) return new ComputedList([]);
  const parts = separator === '' ? Array.from(text) : partsBetween(text, separator);
  frame.spend(parts.length);
  if (limit < 0n || parts.length <= Number(limit)) return new ComputedList(parts);
  const kept = Number(limit) - 1;
  return new ComputedList([...parts.slice(0, kept), parts.slice(kept).join(separator)]);
}

function join(list: ListValue, separator: string, frame: Frame): string {
  const parts: string[] = [];
  for (const item of list.values(frame)) {
    if (typeof item !== 'string') return fail(`join takes strings, not ${getKind(item)}`);
    frame.spendOnText(item.length + separator.length);
    parts.push(item);
  }
  return parts.join(separator);
}

/** Maps letters of ASCII only. */
function mapped(text: string, letters: RegExp, to: (letter: string) => string, frame: Frame): string {
  frame.spendOnText(text.length);
  return text.replace(letters, to);
}

/** White space as defined by Unicode. */
const SPACE = /[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

function trimmed(text: string, frame: Frame): string {
  frame.spendOnText(text.length);
  let [start, end] = [0, text.length];
  while (start < end && SPACE.test(text.charAt(start))) start++;
  while (end > start && SPACE.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

const QUOTED: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

const STRINGS = listKind(types.STRING);

/** Functions of texts: those of CEL, and those of its extension for strings. */
export const TEXT: readonly Overload[] = [
  ...[fn, method].flatMap((declare) => [
    declare('size', [STRING], types.INT, ([text], frame) => getSize(text, frame)),
    declare('size', [BYTES], types.INT, ([bytes]) => BigInt(bytes.length)),
    declare('size', [LIST], types.INT, ([list]) => BigInt(list.size)),
    declare('size', [MAP], types.INT, ([map], frame) => BigInt(getKeys(map, frame).length)),
  ]),
  method('contains', [STRING, STRING], types.BOOL, ([text, part], frame) => {
    frame.spendOnText(text.length);
    return firstIndex(text, part) >= 0;
  }),
  method('startsWith', [STRING, STRING], types.BOOL, ([text, part], frame) => {
    frame.spendOnText(part.length);
    return text.startsWith(part);
  }),
  method('endsWith', [STRING, STRING], types.BOOL, ([text, part], frame) => {
    frame.spendOnText(part.length);
    return text.endsWith(part);
  }),
  method('charAt', [STRING, INT], types.STRING, ([text, at], frame) => {
    const characters = getCharacters(text, frame);
    return characters[position(at, characters.length)] ?? '';
  }),
  method('indexOf', [STRING, STRING], types.INT, ([text, part], frame) => indexOf({ text, part }, frame)),
  method('indexOf', [STRING, STRING, INT], types.INT, ([text, part, from], frame) =>
    indexOf({ text, part, from }, frame),
  ),
  method('lastIndexOf', [STRING, STRING], types.INT, ([text, part], frame) =>
    lastIndexOf({ text, part }, frame),
  ),
  method('lastIndexOf', [STRING, STRING, INT], types.INT, ([text, part, from], frame) =>
    lastIndexOf({ text, part, from }, frame),
  ),
  method('lowerAscii', [STRING], types.STRING, ([text], frame) =>
    mapped(text, /[A-Z]+/g, (letters) => letters.toLowerCase(), frame),
  ),
  method('upperAscii', [STRING], types.STRING, ([text], frame) =>
    mapped(text, /[a-z]+/g, (letters) => letters.toUpperCase(), frame),
  ),
  method('trim', [STRING], types.STRING, ([text], frame) => trimmed(text, frame)),
  method('replace', [STRING, STRING, STRING], types.STRING, ([text, before, after], frame) =>
    replace(text, [before, after], -1n, frame),
  ),
  method('replace', [STRING, STRING, STRING, INT], types.STRING, ([text, before, after, limit], frame) =>
    replace(text, [before, after], limit, frame),
  ),
  method('split', [STRING, STRING], types.listType(types.STRING), ([text, separator], frame) =>
    split(text, separator, -1n, frame),
  ),
  method('split', [STRING, STRING, INT], types.listType(types.STRING), ([text, separator, limit], frame) =>
    split(text, separator, limit, frame),
  ),
  method('substring', [STRING, INT], types.STRING, ([text, from], frame) =>
    substring(text, from, undefined, frame),
  ),
  method('substring', [STRING, INT, INT], types.STRING, ([text, from, to], frame) =>
    substring(text, from, to, frame),
  ),
  method('reverse', [STRING], types.STRING, ([text], frame) =>
    [...getCharacters(text, frame)].reverse().join(''),
  ),
  method('join', [STRINGS], types.STRING, ([list], frame) => join(list, '', frame)),
  method('join', [STRINGS, STRING], types.STRING, ([list, separator], frame) => join(list, separator, frame)),
  method('format', [STRING, listKind(types.DYN)], types.STRING, ([text, args], frame) =>
    format(text, args, frame),
  ),
  fn('strings.quote', [STRING], types.STRING, ([text], frame) => {
    frame.spendOnText(text.length);
    return `"${text.replace(/[^ -~\u00a0-\uffff]|[\\"]/g, (character) => QUOTED[character] ?? character)}"`;
  }),
];
