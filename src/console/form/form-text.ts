import { isMap, isScalar, isSeq, parseDocument, visit, YAMLMap, YAMLSeq, type Document } from 'yaml';
import { isObject, type JsonObject } from '../lib/json.js';
import { PARSE } from '../editor/document.js';
import type { Path } from './path.js';

/** The reason why a form cannot display a text. */
export type Obstacle = 'syntax' | 'special' | 'long';
export type Read = { readonly values: JsonObject } | { readonly obstacle: Obstacle };
type Opened = { readonly values: JsonObject; readonly document: Document } | { readonly obstacle: Obstacle };

/** The limit of a text: a form writes it after each pause, which would be slow for longer ones. */
const LENGTH_MAX = 500_000;

/** Parses a text for a form. */
export function openForm(text: string): Opened {
  if (text.length > LENGTH_MAX) return { obstacle: 'long' };
  const document = parseDocument(text, PARSE);
  if (document.errors.length > 0 || !isMap(document.contents)) return { obstacle: 'syntax' };
  if (isSpecial(document)) return { obstacle: 'special' };
  const values: unknown = document.toJS();
  return isObject(values) ? { values, document } : { obstacle: 'syntax' };
}

/** The values of a text, for a comparison. */
export function readForm(text: string): Read {
  return openForm(text);
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
export function remove(document: Document, path: Path): void {
  if (!document.hasIn(path)) return;
  document.deleteIn(path);
  for (let above = path.slice(0, -1); above.length > 1; above = above.slice(0, -1)) {
    const node: unknown = document.getIn(above, true);
    const isEmpty = (isMap(node) || isSeq(node)) && node.items.length === 0;
    if (!isEmpty || typeof above.at(-1) === 'number') return;
    document.deleteIn(above);
  }
}
