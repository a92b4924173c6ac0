import { isMap, isScalar, isSeq, parseDocument, visit, YAMLMap, YAMLSeq, type Document } from 'yaml';
import { isObject, type JsonObject } from '../lib/json.js';
import { PARSE, WRITE } from '../editor/document.js';

export type Path = readonly (string | number)[];

/** Why a form cannot show a text. */
export type Obstacle = 'syntax' | 'special' | 'long';
export type Read = { readonly values: JsonObject } | { readonly obstacle: Obstacle };

/** A form reads the whole text at each key: longer ones would be slow. */
const LENGTH_MAX = 200_000;

/** What a text says. */
export function readForm(text: string): Read {
  if (text.length > LENGTH_MAX) return { obstacle: 'long' };
  const document = parseDocument(text, PARSE);
  if (document.errors.length > 0 || !isMap(document.contents)) return { obstacle: 'syntax' };
  if (isSpecial(document)) return { obstacle: 'special' };
  const values: unknown = document.toJS();
  return isObject(values) ? { values } : { obstacle: 'syntax' };
}

/** Whether a member of it may stand for others, or is not found by a text. */
function isSpecial(document: Document): boolean {
  let found = false;
  visit(document, {
    Alias: () => {
      found = true;
      return visit.BREAK;
    },
    Pair: (_, { key }) => {
      if (isScalar(key) && typeof key.value === 'string') return undefined;
      found = true;
      return visit.BREAK;
    },
  });
  return found;
}

/** The text with another value at a path, or without one. Everything else of it stays, comments too. */
export function withValue(text: string, path: Path, value: unknown): string {
  const document = parseDocument(text, PARSE);
  if (value === undefined) remove(document, path);
  else if (makeWay(document, path)) document.setIn(path, isPlain(value) ? value : document.createNode(value));
  return document.toString(WRITE);
}

const isPlain = (value: unknown): boolean => typeof value !== 'object';

/** Makes the objects and arrays that lead to a path. */
function makeWay(document: Document, path: Path): boolean {
  let node: unknown = document.contents;
  for (const [i, step] of path.entries()) {
    if (!isMap(node) && !isSeq(node)) return false;
    // An empty one is written as `{}`; what is put into it gets lines of its own.
    if (node.items.length === 0) node.flow = false;
    if (i === path.length - 1) return true;
    const next: unknown = node.get(step, true);
    const made = typeof path[i + 1] === 'number' ? new YAMLSeq() : new YAMLMap();
    if (!isMap(next) && !isSeq(next)) node.set(step, made);
    node = node.get(step, true);
  }
  return false;
}

/** Takes a value away, and what is empty without it. */
function remove(document: Document, path: Path): void {
  if (!document.hasIn(path)) return;
  document.deleteIn(path);
  for (let above = path.slice(0, -1); above.length > 1; above = above.slice(0, -1)) {
    const node: unknown = document.getIn(above, true);
    const isEmpty = (isMap(node) || isSeq(node)) && node.items.length === 0;
    if (!isEmpty || typeof above.at(-1) === 'number') return;
    document.deleteIn(above);
  }
}

/** As the service names a place: `spec.tags[2]`. */
export function formatPath(path: Path): string {
  return path.reduce<string>((before, step) => {
    if (typeof step === 'number') return `${before}[${step}]`;
    return before === '' ? step : `${before}.${step}`;
  }, '');
}
