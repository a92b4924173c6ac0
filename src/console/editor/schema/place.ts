import type { Text } from '@codemirror/state';
import { ITEM } from '../../lib/schema.js';

export interface Place {
  readonly kind: 'name' | 'value';
  /** For a name, the steps to its parent; for a value, those to its field. */
  readonly path: readonly string[];
  /** Where its typed part begins. */
  readonly from: number;
  readonly typed: string;
  /** The indentation of the line, after the dashes of arrays. */
  readonly column: number;
}

interface Entry {
  readonly column: number;
  readonly step: string;
}

const KEY = `"(?:[^"\\\\]|\\\\.)*"|'(?:[^']|'')*'|[^\\s#:'"\\[{](?:[^:#]|:(?=\\S))*?`;
const LINE = new RegExp(`^( *)((?:-(?: +|$))*)(?:(${KEY})\\s*:(?=\\s|$))?`);
const NAME_BEGUN = /^( *)((?:- +)*)([^\s:#'"[{]*)$/;
const VALUE_BEGUN = new RegExp(`^( *(?:- +)*)(${KEY})\\s*:\\s+([^\\s#]*)$`);

/** The limit of a line: no field has a longer name, and a line may be as long as an object. */
const LINE_MAX = 1_000;

/** Undefined when neither is being written, for example in a comment or in a text. */
export function placeAt(doc: Text, position: number): Place | undefined {
  const line = doc.lineAt(position);
  const before = line.text.slice(0, position - line.from);
  if (before.length > LINE_MAX) return undefined;
  const [, lead, key = '', value = ''] = VALUE_BEGUN.exec(before) ?? [];
  if (lead !== undefined) {
    const path = [...pathAbove(doc, line.number, lead.length), unquoted(key)];
    return { kind: 'value', path, from: position - value.length, typed: value, column: lead.length };
  }
  const [, indent, dashes = '', typed = ''] = NAME_BEGUN.exec(before) ?? [];
  if (indent === undefined) return undefined;
  const column = indent.length + dashes.length;
  const path = pathAbove(doc, line.number, column);
  return { kind: 'name', path, from: position - typed.length, typed, column };
}

/** The field on the line of a position; undefined when it has none. */
export function fieldAt(doc: Text, position: number) {
  const line = doc.lineAt(position);
  const last = getEntries(line.text).at(-1);
  if (last === undefined || line.text.trimStart().startsWith('#')) return undefined;
  const path = [...pathAbove(doc, line.number, last.column), last.step];
  const from = line.from + last.column;
  return { path, from, to: last.step === ITEM ? line.to : from + keyLength(line.text) };
}

/** The limit of searched lines: objects by people have fewer. */
const LINES_MAX = 2_000;

export function namesBeside(doc: Text, position: number, column: number): readonly string[] {
  const { number } = doc.lineAt(position);
  const names: string[] = [];
  for (const way of [-1, 1])
    for (let n = number + way; n >= 1 && n <= doc.lines && Math.abs(n - number) < LINES_MAX; n += way) {
      const entries = getEntries(doc.line(n).text);
      const beside = entries.find((entry) => entry.column === column && entry.step !== ITEM);
      if (beside !== undefined) names.push(beside.step);
      const isOther = entries.some((entry) => entry.column < column);
      // A dash before the name begins the item that contains the place; a line below with a dash begins another item.
      if (isOther || (way === 1 && entries.some(({ step }) => step === ITEM && beside !== undefined))) break;
    }
  return names;
}

function pathAbove(doc: Text, lineNumber: number, column: number): readonly string[] {
  const path: string[] = [];
  let limit = column;
  // The items of an array may follow its name without being indented.
  let isItem = false;
  for (let n = lineNumber; n >= 1 && (limit > 0 || isItem); n--)
    for (const { column: at, step } of getEntries(doc.line(n).text).reverse()) {
      if (at > limit || (at === limit && (!isItem || step === ITEM))) continue;
      path.unshift(step);
      limit = at;
      isItem = step === ITEM;
    }
  return path;
}

function getEntries(line: string): Entry[] {
  const [, indent = '', dashes = '', key] = LINE.exec(line.slice(0, LINE_MAX)) ?? [];
  const entries = [...dashes.matchAll(/-/g)].map(({ index }) => ({
    column: indent.length + index,
    step: ITEM,
  }));
  return key === undefined
    ? entries
    : [...entries, { column: indent.length + dashes.length, step: unquoted(key) }];
}

function keyLength(line: string): number {
  return LINE.exec(line.slice(0, LINE_MAX))?.[3]?.length ?? 0;
}

function unquoted(key: string): string {
  return key.replace(/^(['"])(.*)\1$/, '$2');
}
