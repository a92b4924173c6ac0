import { DEPTH_MAX } from '../../lib/json/json.js';
import { spend, type WorkKind } from '../../lib/work/allowance.js';
import type { Json } from '../object.js';
import type { KeywordCheck } from '../schema/keyword.js';

/** Characters that a check reads in a step. */
export const CHARACTERS_PER_STEP = 10;
/** Characters of an object or list that are compared in a step. */
const NESTED_PER_STEP = 2;

/**
 * The first two equal items of a list, as [earlier, later] positions; `undefined` when all differ. Equality is that
 * of JSON Schema: members of objects have no order. Takes linear time. Comparing all pairs is quadratic, which takes
 * minutes for a long list from a client.
 */
export function equalItems(items: readonly unknown[]): readonly [number, number] | undefined {
  const seen = new Map<unknown, number>();
  spend(items.length, 'unique items');
  for (const [later, item] of items.entries()) {
    const key = keyOfItem(item, 'unique items');
    const earlier = seen.get(key);
    if (earlier !== undefined) return [earlier, later];
    seen.set(key, later);
  }
  return undefined;
}

/** The check of `uniqueItems`. That of the validator's library compares all pairs of items. */
export function uniqueItems(isOn: Json): KeywordCheck {
  if (isOn !== true) return () => undefined;
  return (items) => {
    const equal = Array.isArray(items) ? equalItems(items) : undefined;
    return equal && { j: equal[0], i: equal[1] };
  };
}

/**
 * Equal for equal items only. Numbers, booleans and null are their own keys. Texts are quoted, so that none equals the key of a list or object.
 */
export function keyOfItem(item: unknown, kind: WorkKind): unknown {
  if (typeof item !== 'string' && typeof item !== 'object') return item;
  const key = canonical(item);
  spend(key.length / (typeof item === 'string' ? CHARACTERS_PER_STEP : NESTED_PER_STEP), kind);
  return key;
}

/** Texts of objects nest less deep than the limit, below which all values are the same. */
function canonical(value: unknown, depth = 0): string {
  if (typeof value !== 'object' || value === null)
    return typeof value === 'string' ? JSON.stringify(value) : String(value);
  if (depth > DEPTH_MAX) return '';
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, depth + 1)).join()}]`;
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}:${canonical(member, depth + 1)}`,
  );
  return `{${members.sort().join()}}`;
}
