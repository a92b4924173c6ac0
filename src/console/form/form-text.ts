import { isMap, isScalar, isSeq, parseDocument, visit, YAMLMap, YAMLSeq, type Document } from 'yaml';
import { isObject, type JsonObject } from '../lib/json.js';
import { PARSE, WRITE } from '../editor/document.js';

export type Path = readonly (string | number)[];

/** The reason why a form cannot display a text. */
export type Obstacle = 'syntax' | 'special' | 'long';
export type Read = { readonly values: JsonObject } | { readonly obstacle: Obstacle };

/** The limit of a text: a form parses it at each key, which would be slow for longer ones. */
const LENGTH_MAX = 200_000;

/** Parses a text for a form. */
export function readForm(text: string): Read {
  if (text.length > LENGTH_MAX) return { obstacle: 'long' };
  const document = parseDocument(text, PARSE);
  if (document.errors.length > 0 || !isMap(document.contents)) return { obstacle: 'syntax' };
  if (isSpecial(document)) return { obstacle: 'special' };
  const values: unknown = document.toJS();
  return isObject(values) ? { values } : { obstacle: 'syntax' };
}

/** True when a member is an alias, or its key is not a text. */
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

/** Sets or removes a value at a path of a text. All other parts are unchanged, including comments. */
export function withValue(text: string, path: Path, value: unknown): string {
  const document = parseDocument(text, PARSE);
  if (value === undefined) remove(document, path);
  else if (makeWay(document, path)) document.setIn(path, isPlain(value) ? value : document.createNode(value));
  return document.toString(WRITE);
}

const isPlain = (value: unknown): boolean => typeof value !== 'object';

/** Creates the objects and arrays of a path. False when the text has no place for it. */
export function makeWay(document: Document, path: Path): boolean {
  let node: unknown = document.contents;
  for (const [i, step] of path.entries()) {
    if (!isMap(node) && !isSeq(node)) return false;
    // An empty one is written as `{}`; its new members get separate lines.
    if (node.items.length === 0) node.flow = false;
    if (i === path.length - 1) return true;
    const next: unknown = node.get(step, true);
    const made = typeof path[i + 1] === 'number' ? new YAMLSeq() : new YAMLMap();
    if (!isMap(next) && !isSeq(next)) node.set(step, made);
    node = node.get(step, true);
  }
  return false;
}

/** Removes a value, and its parents that become empty. */
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

/** Formats a path like the service: `spec.tags[2]`. */
export function formatPath(path: Path): string {
  return path.reduce<string>((before, step) => {
    if (typeof step === 'number') return `${before}[${step}]`;
    return before === '' ? step : `${before}.${step}`;
  }, '');
}
