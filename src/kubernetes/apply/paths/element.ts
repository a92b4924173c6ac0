import { compareTexts } from '../../../lib/compare-texts.js';
import { isRecord } from '../../../lib/json/json.js';

/**
 * One step of a path to a field, as in the JSON of `managedFields`: `f:<name>` for a member of a map, `k:<keys>` for an item of a
 * list map, `v:<value>` for an item of a set, `i:<position>`. Equal steps have equal texts.
 */
export type PathElement = string;

/** A text that is no step of a path. */
export class ElementFault extends Error {}

export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/** @param value a scalar */
export function valueElement(value: unknown): PathElement {
  return `v:${textOf(value)}`;
}

/** @param fields names and values of the fields that identify an item, in any order */
export function keyElement(fields: readonly (readonly [string, unknown])[]): PathElement {
  if (fields.length === 1 && fields[0] !== undefined) return `k:{${memberOf(fields[0])}}`;
  const sorted = fields.toSorted(([a], [b]) => compareTexts(a, b));
  return `k:{${sorted.map(memberOf).join(',')}}`;
}

/** The name of a member of a map; undefined for other steps. */
export function fieldOf(element: PathElement): string | undefined {
  return element.startsWith('f:') ? element.slice(2) : undefined;
}

/**
 * Reads a step. Undefined for a kind of steps that this version does not know.
 * @throws ElementFault
 */
export function readElement(text: string): PathElement | undefined {
  if (text[1] !== ':') throw new ElementFault('starts with no letter and colon');
  switch (text[0]) {
    case 'f':
      return text;
    case 'v':
      return valueElement(parse(text.slice(2)));
    case 'k':
      return keyElement(keysOf(text.slice(2)));
    case 'i':
      if (!/^[+-]?\d{1,15}$/.test(text.slice(2))) throw new ElementFault('has no number after "i:"');
      return `i:${Number(text.slice(2))}`;
    default:
      return undefined;
  }
}

const RANKS = 'fkvi';

interface ReadStep {
  readonly element: PathElement;
  readonly rank: number;
  readonly keys: readonly (readonly [string, unknown])[];
  readonly value: unknown;
}

/** Steps in the order that the JSON of a set has. */
export function inOrder(elements: Iterable<PathElement>): readonly PathElement[] {
  const list = Array.from(elements);
  // Most sets have names only, which need not be read.
  if (list.every((element) => element.startsWith('f:'))) return list.sort(compareTexts);
  return list
    .map(readStep)
    .sort(compareSteps)
    .map(({ element }) => element);
}

function readStep(element: PathElement): ReadStep {
  const [kind, text] = [element.charAt(0), element.slice(2)];
  const value = kind === 'f' ? text : kind === 'i' ? Number(text) : kind === 'v' ? parse(text) : undefined;
  return { element, rank: RANKS.indexOf(kind), keys: kind === 'k' ? keysOf(text) : [], value };
}

function compareSteps(a: ReadStep, b: ReadStep): number {
  return a.rank - b.rank || compareKeys(a.keys, b.keys) || compareValues(a.value, b.value);
}

/** A path for messages, such as `.spec.ports[name="web"].port`. */
export function formatPath(path: readonly PathElement[]): string {
  return path.map(formatElement).join('');
}

function formatElement(element: PathElement): string {
  const text = element.slice(2);
  switch (element[0]) {
    case 'f':
      return `.${text}`;
    case 'k':
      return `[${keysOf(text)
        .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
        .join(',')}]`;
    case 'v':
      return `[=${JSON.stringify(parse(text))}]`;
    default:
      return `[${text}]`;
  }
}

function memberOf([name, value]: readonly [string, unknown]): string {
  return `${JSON.stringify(name)}:${textOf(value)}`;
}

const UNSAFE = /[<>&\u2028\u2029]/g;

/** JSON with sorted members, and the escapes that Kubernetes writes. */
function textOf(value: unknown): string {
  const text = JSON.stringify(isRecord(value) ? sorted(value) : value);
  return text.replaceAll(UNSAFE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function sorted(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => compareTexts(a, b)));
}

/** The fields that identify an item, sorted by their names. */
function keysOf(text: string): readonly (readonly [string, unknown])[] {
  const value = parse(text);
  if (value === null) return [];
  if (!isRecord(value)) throw new ElementFault('has no object after "k:"');
  return Object.entries(sorted(value));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ElementFault(`has no JSON after its letter and colon`);
  }
}

function compareKeys(
  a: readonly (readonly [string, unknown])[],
  b: readonly (readonly [string, unknown])[],
): number {
  for (const [at, [name, value]] of a.entries()) {
    const other = b[at];
    if (other === undefined) return 1;
    const order = compareTexts(name, other[0]) || compareValues(value, other[1]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

const KINDS = ['number', 'string', 'boolean', 'list', 'map', 'null', 'undefined'] as const;

function kindOf(value: unknown): number {
  if (value === null) return KINDS.indexOf('null');
  if (Array.isArray(value)) return KINDS.indexOf('list');
  return KINDS.findIndex((kind) => kind === typeof value || (kind === 'map' && typeof value === 'object'));
}

/** Numbers before texts, booleans, lists, maps and null. */
function compareValues(a: unknown, b: unknown): number {
  const byKind = kindOf(a) - kindOf(b);
  if (byKind !== 0) return byKind;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  if (Array.isArray(a) && Array.isArray(b)) return compareLists(a, b);
  if (isRecord(a) && isRecord(b)) return compareKeys(Object.entries(sorted(a)), Object.entries(sorted(b)));
  return Number(a === true) - Number(b === true);
}

function compareLists(a: readonly unknown[], b: readonly unknown[]): number {
  for (const [at, value] of a.entries()) {
    if (at >= b.length) return 1;
    const order = compareValues(value, b[at]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}
