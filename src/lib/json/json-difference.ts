import { getOwn, isRecord, setOwn } from './json.js';

/** The path from a JSON value to a value inside it: names of members and positions in lists. */
export type Path = readonly (string | number)[];

/** The places where two JSON values differ: these members or items, or the whole because they have none in common. */
export type Difference = ReadonlyMap<string | number, Difference> | 'whole';

/**
 * Finds where two JSON values differ; undefined when they are equal. The order of members does not count, and an
 * undefined member equals an absent one. Reads each value once. Recurses, so the depth of at least one value must be
 * limited.
 */
export function findDifference(a: unknown, b: unknown): Difference | undefined {
  if (a === b) return undefined;
  if (Array.isArray(a) && Array.isArray(b)) return itemsDiffer(a, b);
  if (isRecord(a) && isRecord(b)) return membersDiffer(a, b);
  return 'whole';
}

function itemsDiffer(a: readonly unknown[], b: readonly unknown[]): Difference | undefined {
  const found = new Map<number, Difference>();
  const length = Math.max(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const difference = findDifference(a[at], b[at]);
    if (difference !== undefined) found.set(at, difference);
  }
  return found.size === 0 ? undefined : found;
}

function membersDiffer(
  a: Readonly<Record<string, unknown>>,
  b: Readonly<Record<string, unknown>>,
): Difference | undefined {
  const found = new Map<string, Difference>();
  for (const key of Object.keys(a)) {
    const difference = findDifference(a[key], getOwn(b, key));
    if (difference !== undefined) found.set(key, difference);
  }
  for (const key of Object.keys(b)) {
    if (b[key] !== undefined && !Object.hasOwn(a, key)) found.set(key, 'whole');
  }
  return found.size === 0 ? undefined : found;
}

/** True when two values differ at a path or below it. */
export function differsAt(difference: Difference | undefined, path: Path): boolean {
  let at = difference;
  for (const step of path) {
    if (at === undefined || at === 'whole') break;
    at = at.get(step);
  }
  return at !== undefined;
}

/**
 * The part of a value that differs from another value. Members keep their order and items their positions; null
 * replaces the other items.
 */
export function differingPart(value: unknown, difference: Difference): unknown {
  if (difference === 'whole') return value;
  if (Array.isArray(value)) {
    return value.map((item: unknown, at) => {
      const below = difference.get(at);
      return below === undefined ? null : differingPart(item, below);
    });
  }
  const part: Record<string, unknown> = {};
  if (!isRecord(value)) return part;
  for (const key of Object.keys(value)) {
    const below = difference.get(key);
    if (below !== undefined) setOwn(part, key, differingPart(value[key], below));
  }
  return part;
}
