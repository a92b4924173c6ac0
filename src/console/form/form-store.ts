import { Document, isMap, isNode, isScalar, isSeq, parseDocument, type Node } from 'yaml';
import { PARSE, WRITE } from '../editor/document.js';
import { isObject, type JsonObject } from '../lib/json.js';
import { makeWay, readForm, remove, type Obstacle } from './form-text.js';
import { below, ROOT, type Path } from './path.js';
import { getAt, withAt } from './values-at.js';

const isLeaf = (value: unknown): boolean => value !== undefined && typeof value !== 'object';

/** Undefined removes the value. */
export type Change = readonly [path: Path, value: unknown];

/** The shortest time between two texts: to write one takes longer than a key. */
const PAUSE_MS = 100;

/**
 * The parsed text of a form. A key changes one value of it, and its text is written a moment later: the first change at once, so that
 * there is a draft before anybody else's change arrives.
 */
export class FormStore {
  /** By the paths of values; those of all changes are at the root. */
  readonly #listeners = new Map<Path, Set<() => void>>();
  readonly #onWrite: (text: string) => void;
  #document: Document | undefined;
  #values: JsonObject = {};
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** False until the loaded text is changed. */
  #isChanged = false;
  readonly #texts = new Map<Path, { readonly value: unknown; readonly text: string }>();
  /** Texts that are no YAML, by the values in their places. */
  readonly #unfinished = new Map<unknown, string>();
  /** A path whose field must be displayed, also when its list is folded. */
  #wanted: Path = ROOT;
  /** The text that was loaded or written last. */
  text = '';
  /** The reason why the text has no values; undefined when it has. */
  obstacle: Obstacle | undefined;
  isLocked = false;

  /** @param onWrite called with each new text */
  constructor(text: string, onWrite: (text: string) => void) {
    this.#onWrite = onWrite;
    this.load(text);
  }

  readonly get = (path: Path): unknown => getAt(this.#values, path);

  readonly wanted = (): Path => this.#wanted;

  readonly subscribe = (listener: () => void): (() => void) => this.subscribeTo(ROOT, listener);

  /** Subscribes to the changes of a value: of the whole, or within. @returns a function that ends it */
  readonly subscribeTo = (path: Path, listener: () => void): (() => void) => {
    const known = this.#listeners.get(path) ?? new Set();
    this.#listeners.set(path, known.add(listener));
    return () => {
      known.delete(listener);
      if (known.size === 0) this.#listeners.delete(path);
    };
  };

  /** Continues with another text. Changes that are not written yet are dropped. */
  load(text: string): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const read = readForm(text);
    this.text = text;
    this.#texts.clear();
    this.#unfinished.clear();
    this.#isChanged = false;
    this.obstacle = 'obstacle' in read ? read.obstacle : undefined;
    this.#document = 'obstacle' in read ? undefined : read.document;
    this.#values = 'obstacle' in read ? {} : read.values;
    this.#notify();
  }

  readonly set = (path: Path, value: unknown): void => this.change([[path, value]]);

  readonly change = (changes: readonly Change[]): void => {
    const document = this.#document;
    if (document === undefined || this.isLocked) return;
    const [only] = changes;
    const leaf =
      changes.length === 1 && only !== undefined && isLeaf(only[1]) && isLeaf(this.get(only[0]))
        ? only[0]
        : undefined;
    for (const [path, value] of changes) {
      if (value === undefined) {
        const gone = remove(document, path);
        if (gone !== undefined) this.#put(gone, undefined);
      } else if (makeWay(document, path)) {
        document.setIn(path, typeof value === 'object' ? document.createNode(value) : value);
        this.#put(path, value);
      }
    }
    this.#changed(leaf);
  };

  readonly move = (path: Path, from: number, to: number): void => {
    const list: unknown = this.#document?.getIn(path, true);
    const value = this.get(path);
    if (this.isLocked || !isSeq(list) || !Array.isArray(value) || to < 0 || to >= value.length) return;
    list.items.splice(to, 0, ...list.items.splice(from, 1));
    const items = [...(value as readonly unknown[])];
    items.splice(to, 0, ...items.splice(from, 1));
    this.#put(path, items);
    this.#changed();
  };

  /** Renames a member of an object, at its position. */
  readonly rename = (path: Path, from: string, to: string): void => {
    const map: unknown = this.#document?.getIn(path, true);
    const value = this.get(path);
    if (this.isLocked || !isMap(map) || !isObject(value)) return;
    for (const pair of map.items)
      if (String(pair.key) === from) pair.key = this.#document?.createNode(to) ?? to;
    const entries = Object.entries(value).map(([key, one]) => [key === from ? to : key, one] as const);
    this.#put(path, Object.fromEntries(entries));
    this.#changed();
  };

  /** The text of one value, with its comments; empty without it. */
  readonly getText = (path: Path): string => {
    const node: unknown = this.#document?.getIn(path, true);
    const unfinished = isScalar(node) ? this.#unfinished.get(node.value) : undefined;
    if (unfinished !== undefined) return unfinished;
    const value = this.get(path);
    const known = this.#texts.get(path);
    if (known !== undefined && known.value === value) return known.text;
    const text = isNode(node) ? formatNode(node) : '';
    this.#texts.set(path, { value, text });
    return text;
  };

  /**
   * Sets one value by its text; an empty one removes it. A text that is no YAML is written in the place of the value, so that it is
   * not lost: then the whole is not YAML either, and is not saved before it is corrected.
   * @returns the error of such a text
   */
  readonly setText = (path: Path, text: string): string | undefined => {
    const { contents, errors } = parseDocument(text, PARSE);
    const [error] = errors;
    const document = this.#document;
    if (document === undefined || this.isLocked) return error?.message;
    if (error === undefined && contents === null) this.set(path, undefined);
    else if (makeWay(document, path)) {
      if (error === undefined) {
        document.setIn(path, contents);
        this.#put(path, getAt(document.toJS(), path));
      } else {
        const before: unknown = document.getIn(path);
        const sign = this.#unfinished.has(before) ? before : `unfinished${Math.random()}`;
        this.#unfinished.set(sign, text);
        document.setIn(path, document.createNode(sign));
      }
      this.#changed();
    }
    return error?.message;
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

  #put(path: Path, value: unknown): void {
    const changed = withAt(this.#values, path, value);
    if (isObject(changed)) this.#values = changed;
  }

  /** @param leaf the path of the only change, when it has nothing below; undefined for any other change */
  #changed(leaf?: Path): void {
    this.#notify(
      leaf?.reduce<Path[]>((paths, step) => [...paths, below(paths.at(-1) ?? ROOT, step)], [ROOT]),
    );
    if (!this.#isChanged) {
      this.#isChanged = true;
      this.#format();
    } else this.#timer ??= setTimeout(this.write, PAUSE_MS);
  }

  #format(): void {
    if (this.#document === undefined) return;
    this.text = this.#document.toString(WRITE);
    for (const [sign, text] of this.#unfinished) this.text = inPlace(this.text, String(sign), text);
    this.#onWrite(this.text);
  }

  #notify(paths: readonly Path[] = [...this.#listeners.keys()]): void {
    for (const path of paths) for (const listener of this.#listeners.get(path) ?? []) listener();
  }
}

function formatNode(node: Node): string {
  const document = new Document();
  document.contents = node;
  return document.toString(WRITE).trimEnd();
}

/** A text with another one in the place of a value, on separate lines. */
function inPlace(whole: string, value: string, text: string): string {
  const line = whole.split('\n').find((one) => one.includes(value)) ?? '';
  const [lead = ''] = /^[ -]*/.exec(line) ?? [];
  return whole.replace(value, () => `\n${text.replace(/^/gm, ' '.repeat(lead.length + 2))}`);
}
