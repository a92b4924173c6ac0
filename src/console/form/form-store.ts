import { Document, isMap, isNode, isSeq, parseDocument } from 'yaml';
import { PARSE, WRITE } from '../editor/document.js';
import type { JsonObject } from '../lib/json.js';
import { makeWay, openForm, remove, type Obstacle } from './form-text.js';
import { below, ROOT, type Path } from './path.js';
import { getAt, moved, removed, withAt } from './values-at.js';

const NONE: readonly (() => void)[] = [];

const isScalar = (value: unknown): boolean => value !== undefined && typeof value !== 'object';

/** Undefined removes the value. */
export type Change = readonly [path: Path, value: unknown];

/** The shortest time between two texts: to write one takes longer than a key. */
const PAUSE_MS = 100;

/**
 * The parsed text of a form. A key changes one value of it, and its text is written a moment later: the first change at once, so that
 * there is a draft before anybody else's change arrives.
 */
export class FormStore {
  /** Of all changes. */
  readonly #listeners = new Set<() => void>();
  /** Of the changes at paths, above and below them. */
  readonly #atPaths = new Map<Path, Set<() => void>>();
  readonly #onWrite: (text: string) => void;
  #text = '';
  #document: Document | undefined;
  #values: JsonObject = {};
  #obstacle: Obstacle | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** False until the loaded text is changed. */
  #isChanged = false;
  readonly #texts = new Map<Path, { readonly value: unknown; readonly text: string }>();
  /** True while changes are refused. */
  isLocked = false;
  /** A path whose field must be displayed, also when its list is folded. */
  #wanted: Path = ROOT;

  /** @param onWrite called with each new text */
  constructor(text: string, onWrite: (text: string) => void) {
    this.#onWrite = onWrite;
    this.load(text);
  }

  /** The text that was loaded or written last. */
  get text(): string {
    return this.#text;
  }

  /** The reason why the text has no values; undefined when it has. */
  get obstacle(): Obstacle | undefined {
    return this.#obstacle;
  }

  readonly values = (): JsonObject => this.#values;

  readonly get = (path: Path): unknown => getAt(this.#values, path);

  readonly wanted = (): Path => this.#wanted;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Subscribes to the changes of a value: of the whole, or within. @returns a function that ends it */
  readonly subscribeTo = (path: Path, listener: () => void): (() => void) => {
    const known = this.#atPaths.get(path) ?? new Set();
    this.#atPaths.set(path, known.add(listener));
    return () => {
      known.delete(listener);
      if (known.size === 0) this.#atPaths.delete(path);
    };
  };

  /** Continues with another text. Changes that are not written yet are dropped. */
  load(text: string): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const read = openForm(text);
    this.#text = text;
    this.#texts.clear();
    this.#isChanged = false;
    this.#obstacle = 'obstacle' in read ? read.obstacle : undefined;
    this.#document = 'obstacle' in read ? undefined : read.document;
    this.#values = 'obstacle' in read ? {} : read.values;
    this.#notify();
  }

  readonly set = (path: Path, value: unknown): void => this.change([[path, value]]);

  /** Sets several values in one step. */
  readonly change = (changes: readonly Change[]): void => {
    const document = this.#document;
    if (document === undefined || this.isLocked) return;
    const [only] = changes;
    const isLeaf =
      changes.length === 1 && only !== undefined && isScalar(only[1]) && isScalar(this.get(only[0]));
    for (const [path, value] of changes) {
      if (value === undefined) {
        remove(document, path);
        this.#values = removed(this.#values, path);
      } else if (makeWay(document, path)) {
        document.setIn(path, typeof value === 'object' ? document.createNode(value) : value);
        this.#values = withAt(this.#values, path, value);
      }
    }
    this.#changed(isLeaf ? only[0] : undefined);
  };

  /** Moves an item of an array. */
  readonly move = (path: Path, from: number, to: number): void => {
    const list: unknown = this.#document?.getIn(path, true);
    if (this.isLocked || !isSeq(list) || to < 0 || to >= list.items.length) return;
    list.items.splice(to, 0, ...list.items.splice(from, 1));
    this.#values = withAt(this.#values, path, moved(this.get(path), from, to));
    this.#changed();
  };

  /** Renames a member of an object, at its position. */
  readonly rename = (path: Path, from: string, to: string): void => {
    const map: unknown = this.#document?.getIn(path, true);
    const value = this.get(path);
    if (this.isLocked || !isMap(map) || typeof value !== 'object' || value === null) return;
    for (const pair of map.items)
      if (String(pair.key) === from) pair.key = this.#document?.createNode(to) ?? to;
    const entries = Object.entries(value).map(([key, one]): [string, unknown] => [
      key === from ? to : key,
      one,
    ]);
    this.#values = withAt(this.#values, path, Object.fromEntries(entries));
    this.#changed();
  };

  /** The text of one value, with its comments; empty without it. */
  readonly getText = (path: Path): string => {
    const value = this.get(path);
    const known = this.#texts.get(path);
    if (known !== undefined && known.value === value) return known.text;
    const text = this.#formatValue(path);
    this.#texts.set(path, { value, text });
    return text;
  };

  #formatValue(path: Path): string {
    const node: unknown = this.#document?.getIn(path, true);
    if (!isNode(node)) return '';
    const document = new Document();
    document.contents = node;
    return document.toString(WRITE).trimEnd();
  }

  /** Sets one value by its text; an empty one removes it. @returns the error of a text that is no YAML */
  readonly setText = (path: Path, text: string): string | undefined => {
    const { contents, errors } = parseDocument(text, PARSE);
    const [error] = errors;
    if (error !== undefined) return error.message;
    const document = this.#document;
    if (document === undefined || this.isLocked) return undefined;
    if (contents === null) this.set(path, undefined);
    else if (makeWay(document, path)) {
      document.setIn(path, contents);
      this.#values = withAt(this.#values, path, getAt(document.toJS(), path));
      this.#changed();
    }
    return undefined;
  };

  /** Lets the field of a path be displayed. */
  readonly reveal = (path: Path): void => {
    this.#wanted = path;
    this.#notify();
  };

  /** Writes the text now, if a change is not in it yet. */
  readonly write = (): void => {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#format();
  };

  /** @param leaf the path of the only change, when it has nothing below; undefined for any other change */
  #changed(leaf?: Path): void {
    if (leaf === undefined) this.#notify();
    else this.#notifyAbove(leaf);
    if (!this.#isChanged) {
      this.#isChanged = true;
      this.#format();
    } else this.#timer ??= setTimeout(this.write, PAUSE_MS);
  }

  #format(): void {
    if (this.#document === undefined) return;
    this.#text = this.#document.toString(WRITE);
    this.#onWrite(this.#text);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
    for (const listeners of [...this.#atPaths.values()]) for (const listener of listeners) listener();
  }

  #notifyAbove(path: Path): void {
    for (const listener of this.#listeners) listener();
    let at = ROOT;
    for (let i = 0; i <= path.length; i++) {
      for (const listener of this.#atPaths.get(at) ?? NONE) listener();
      const step = path[i];
      if (step !== undefined) at = below(at, step);
    }
  }
}
