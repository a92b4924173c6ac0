import { isRecord } from '../../lib/json/json.js';
import { spend } from '../../lib/work/allowance.js';
import { getKey } from '../rules/schema-rules.js';
import { keyOfItem } from '../validate/unique-items.js';
import { ANYTHING, type SchemaNode } from './node.js';

/** The positions of items that are in a set or map already. An item that is there several times is listed once. */
export function findRepeated(items: readonly unknown[], { isSet, keys }: SchemaNode): readonly number[] {
  if (!isSet && keys === undefined) return [];
  const counts = new Map<unknown, number>();
  spend(items.length, 'unique items');
  return [...items.keys()].filter((at) => {
    const key = keys === undefined ? keyOfItem(items[at], 'unique items') : getKey(items[at], keys);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count === 2;
  });
}

/** The position of the first item of a map that is no object; undefined when all are objects or null. */
export function findScalarItem(items: readonly unknown[], { keys }: SchemaNode): number | undefined {
  if (keys === undefined) return undefined;
  const at = items.findIndex((item) => item !== null && !isRecord(item));
  return at < 0 ? undefined : at;
}

/** True when any list inside a value breaks the rules of its type. */
export function hasListFault(node: SchemaNode, value: unknown): boolean {
  if (node === ANYTHING) return false;
  if (Array.isArray(value)) {
    const isFaulty = findScalarItem(value, node) !== undefined || findRepeated(value, node).length > 0;
    return isFaulty || value.some((item) => hasListFault(node.items, item));
  }
  if (!isRecord(value)) return false;
  return Object.keys(value).some((name) => {
    const field = node.field(name);
    return field !== undefined && hasListFault(field, value[name]);
  });
}
