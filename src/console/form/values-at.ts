import { isObject, type JsonObject } from '../lib/json.js';
import type { Path } from './path.js';

/** Values that are never changed: a change makes new objects along its path, and shares the rest. */

export function getAt(values: unknown, path: Path): unknown {
  let at = values;
  for (const step of path) {
    if (Array.isArray(at)) at = typeof step === 'number' ? (at as readonly unknown[])[step] : undefined;
    else if (isObject(at)) at = typeof step === 'string' && Object.hasOwn(at, step) ? at[step] : undefined;
    else return undefined;
  }
  return at;
}

/** With a value at a path; the objects and arrays on it are made. */
export function withAt(values: JsonObject, path: Path, value: unknown): JsonObject {
  const changed = set(values, path, 0, value);
  return isObject(changed) ? changed : values;
}

function set(at: unknown, path: Path, i: number, value: unknown): unknown {
  const step = path[i];
  if (step === undefined) return value;
  if (typeof step === 'number') {
    const items = Array.isArray(at) ? [...(at as readonly unknown[])] : [];
    items[step] = set(items[step], path, i + 1, value);
    return items;
  }
  const members = isObject(at) ? at : {};
  const before = Object.hasOwn(members, step) ? members[step] : undefined;
  return { ...members, [step]: set(before, path, i + 1, value) };
}

/** Without a value, and without its parents that become empty. The first level stays, and so do items of arrays. */
export function removed(values: JsonObject, path: Path): JsonObject {
  const above = path.slice(0, -1);
  const parent = getAt(values, above);
  const last = path.at(-1);
  if (Array.isArray(parent) && typeof last === 'number') {
    const items = (parent as readonly unknown[]).filter((_, i) => i !== last);
    return items.length > 0 || isKept(above) ? withAt(values, above, items) : removed(values, above);
  }
  if (!isObject(parent) || typeof last !== 'string' || !Object.hasOwn(parent, last)) return values;
  const { [last]: _removed, ...rest } = parent;
  if (above.length === 0) return rest;
  return Object.keys(rest).length > 0 || isKept(above) ? withAt(values, above, rest) : removed(values, above);
}

const isKept = (path: Path): boolean => path.length < 2 || typeof path.at(-1) === 'number';

/** An array with one of its items at another position. */
export function moved(list: unknown, from: number, to: number): unknown {
  if (!Array.isArray(list)) return list;
  const items = [...(list as readonly unknown[])];
  items.splice(to, 0, ...items.splice(from, 1));
  return items;
}

/** The number of values in which two objects differ. An array counts once. */
export function countChanges(one: unknown, other: unknown): number {
  if (one === other) return 0;
  if (!isObject(one) || !isObject(other)) return isSame(one, other) ? 0 : 1;
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].reduce(
    (sum, name) => sum + countChanges(one[name], other[name]),
    0,
  );
}

function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return (
      one.length === other.length && one.every((item, i) => isSame(item, (other as readonly unknown[])[i]))
    );
  if (isObject(one) && isObject(other)) return countChanges(one, other) === 0;
  return Object.is(one, other);
}
