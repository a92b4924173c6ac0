import { getMember, isObject } from '../lib/json.js';
import type { Path } from './path.js';

/** Values that are never changed: a change makes new objects along its path, and shares the rest. */

export function getAt(values: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, step) =>
      typeof step === 'string'
        ? getMember(at, step)
        : Array.isArray(at)
          ? (at as readonly unknown[])[step]
          : undefined,
    values,
  );
}

/** With a value at a path; the objects and arrays on it are made. Undefined removes it. */
export function withAt(at: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value;
  if (typeof step === 'number') {
    const items = Array.isArray(at) ? [...(at as readonly unknown[])] : [];
    const item = withAt(items[step], rest, value);
    if (item === undefined) items.splice(step, 1);
    else items[step] = item;
    return items;
  }
  const members = isObject(at) ? at : {};
  const member = withAt(getMember(at, step), rest, value);
  if (member !== undefined) return { ...members, [step]: member };
  const { [step]: _removed, ...others } = members;
  return others;
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

/** True for equal values; a missing member equals an undefined one. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return (
      one.length === other.length && one.every((item, i) => isSame(item, (other as readonly unknown[])[i]))
    );
  if (isObject(one) && isObject(other)) return countChanges(one, other) === 0;
  return Object.is(one, other);
}
