import { isMap, isScalar, isSeq, parseDocument, visit, YAMLMap, YAMLSeq, type Document } from 'yaml';
import { isObject, type JsonObject } from '../lib/json.js';
import { PARSE } from '../editor/document.js';
import type { Path } from './path.js';

export type Obstacle = 'syntax' | 'special' | 'long';
type Opened = { readonly values: JsonObject; readonly document: Document } | { readonly obstacle: Obstacle };

/** The limit of a text: a form writes it after each pause, which would be slow for longer ones. */
const LENGTH_MAX = 500_000;

export function readForm(text: string): Opened {
  if (text.length > LENGTH_MAX) return { obstacle: 'long' };
  const document = parseDocument(text, PARSE);
  if (document.errors.length > 0 || !isMap(document.contents)) return { obstacle: 'syntax' };
  if (isSpecial(document)) return { obstacle: 'special' };
  const values: unknown = document.toJS();
  return isObject(values) ? { values, document } : { obstacle: 'syntax' };
}

/** True when a member is an alias, or its key is not a text. */
function isSpecial(document: Document): boolean {
  let found = false;
  const stop = (): symbol => {
    found = true;
    return visit.BREAK;
  };
  visit(document, {
    Alias: stop,
    Pair: (_, { key }) => (isScalar(key) && typeof key.value === 'string' ? undefined : stop()),
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

/** Removes a value, and its parents that become empty. @returns the path of all that is removed; undefined without a value */
export function remove(document: Document, path: Path): Path | undefined {
  if (!document.hasIn(path)) return undefined;
  document.deleteIn(path);
  const above = path.slice(0, -1);
  const node: unknown = document.getIn(above, true);
  const isEmpty = (isMap(node) || isSeq(node)) && node.items.length === 0;
  // The first level stays, and so do items of arrays.
  if (!isEmpty || above.length < 2 || typeof above.at(-1) === 'number') return path;
  return remove(document, above);
}
