import { cloneJson, deepEqual, getOwn, isRecord, setOwn } from './json.js';
import type { Path } from './json-difference.js';

/** The members of a value that are in the set: all of it, or some of its members. */
type Fields = Map<string, Fields> | 'all';

const NOTHING: Fields = new Map();

/**
 * A set of fields of JSON objects, by dotted paths: `spec.title` contains all that is below it. A path leads through arrays, into
 * each of their items. Keys with dots are contained only by a path that ends above them.
 */
export class FieldSet {
  readonly #fields: Fields = new Map();

  constructor(readonly paths: readonly string[]) {
    for (const path of paths) add(this.#fields, path.split('.'));
  }

  /** True when a whole field is in the set. */
  contains(path: string): boolean {
    let at: Fields = this.#fields;
    for (const step of path.split('.')) {
      if (at === 'all') return true;
      const below = at.get(step);
      if (below === undefined) return false;
      at = below;
    }
    return at === 'all';
  }

  pick(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const picked = pickFields(value, this.#fields);
    return isRecord(picked) ? { ...picked } : {};
  }

  /**
   * A value with those fields of an earlier one that are not in the set, where it states none: a sender who does not see
   * fields does not remove them.
   * @returns the path of a list whose items cannot be completed, or the value
   */
  complete(
    value: Readonly<Record<string, unknown>>,
    before: Readonly<Record<string, unknown>>,
  ): { readonly value: unknown } | { readonly unclear: Path } {
    return completeFields(value, before, this.#fields, []);
  }

  /** The path of a difference that is not in the set; undefined without one. */
  findOutside(before: unknown, after: unknown): Path | undefined {
    return outside(before, after, this.#fields, []);
  }
}

function add(fields: Fields, steps: readonly string[]): void {
  let at = fields;
  for (const [i, step] of steps.entries()) {
    if (at === 'all') return;
    const known = at.get(step);
    if (i === steps.length - 1) at.set(step, 'all');
    else if (known === undefined) {
      const below: Fields = new Map();
      at.set(step, below);
      at = below;
    } else at = known;
  }
}

/** Undefined for a map without a field of the set: whether it has others must not show. Items of arrays stay. */
function pickFields(value: unknown, fields: Fields): unknown {
  if (fields === 'all') return value;
  if (Array.isArray(value))
    return value
      .map((item) => pickFields(item, fields) ?? (isRecord(item) ? {} : undefined))
      .filter((item) => item !== undefined);
  if (!isRecord(value)) return undefined;
  const picked: Record<string, unknown> = {};
  for (const [key, below] of fields) {
    const found = pickFields(getOwn(value, key), below);
    if (found !== undefined) setOwn(picked, key, found);
  }
  return Object.keys(picked).length === 0 ? undefined : picked;
}

type Completed = { readonly value: unknown } | { readonly unclear: Path };

/** Hidden fields decide neither what a sender sees of the result, nor whether anything that it sees changes. */
function completeFields(value: unknown, before: unknown, fields: Fields, path: Path): Completed {
  if (fields === 'all') return { value };
  if (Array.isArray(before)) {
    if (deepEqual(value, pickFields(before, fields))) return { value: cloneJson(before) };
    return before.length > 0 ? { unclear: path } : { value };
  }
  if (value !== undefined && !isRecord(value)) return { value };
  const whole: Record<string, unknown> = { ...value };
  const known = isRecord(before) ? before : {};
  for (const key of new Set([...Object.keys(known), ...Object.keys(whole)])) {
    const [stated, old] = [getOwn(whole, key), getOwn(known, key)];
    const below = fields.get(key) ?? (isRecord(stated) && isRecord(old) ? NOTHING : undefined);
    if (below === undefined) {
      if (stated === undefined) setOwn(whole, key, cloneJson(old));
      continue;
    }
    const completed = completeFields(stated, old, below, [...path, key]);
    if ('unclear' in completed) return completed;
    if (completed.value === undefined) delete whole[key];
    else setOwn(whole, key, completed.value);
  }
  return { value: Object.keys(whole).length === 0 && !isRecord(before) ? before : whole };
}

function outside(before: unknown, after: unknown, fields: Fields | undefined, path: Path): Path | undefined {
  if (fields === 'all' || deepEqual(before, after)) return undefined;
  if (fields === undefined) return path;
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return firstOf(before.keys(), (i) => outside(before[i], after[i], fields, [...path, i]));
  const [old, next] = [before ?? {}, after ?? {}];
  if (!isRecord(old) || !isRecord(next)) return path;
  const keys = new Set([...Object.keys(old), ...Object.keys(next)]);
  return firstOf(keys, (key) =>
    outside(getOwn(old, key), getOwn(next, key), fields.get(key), [...path, key]),
  );
}

function firstOf<K>(keys: Iterable<K>, find: (key: K) => Path | undefined): Path | undefined {
  for (const key of keys) {
    const found = find(key);
    if (found !== undefined) return found;
  }
  return undefined;
}
