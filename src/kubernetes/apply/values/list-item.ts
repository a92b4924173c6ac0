import { isRecord } from '../../../lib/json/json.js';
import { keyElement, valueElement, type PathElement } from '../paths/element.js';
import type { ListType } from '../types/field-type.js';

/** The step to an item of a set or a list map; else the reason why the item has none. */
export function stepTo(
  item: unknown,
  list: ListType,
): { readonly step: PathElement } | { readonly fault: string } {
  return list.relation === 'map' ? stepToMap(item, list) : stepToScalar(item);
}

/** {@link stepTo} for an item that was checked; undefined when it has none. */
export function findStep(item: unknown, list: ListType): PathElement | undefined {
  const found = stepTo(item, list);
  return 'step' in found ? found.step : undefined;
}

function stepToScalar(item: unknown): ReturnType<typeof stepTo> {
  if (item === null || typeof item === 'object') return { fault: 'an item of a set must be a scalar' };
  return { step: valueElement(item) };
}

function stepToMap(item: unknown, { items, keys }: ListType): ReturnType<typeof stepTo> {
  if (!isRecord(item)) return { fault: 'an item of a list map must be an object' };
  const fields: [string, unknown][] = [];
  for (const key of keys) {
    const value = Object.hasOwn(item, key) ? item[key] : items.map?.keyDefault(key);
    if (value !== undefined) fields.push([key, value]);
  }
  if (fields.length === 0) return { fault: `an item of a list map must have one of ${keys.join(', ')}` };
  return { step: keyElement(fields) };
}

/** The items of a list by their steps, in order. Items without a step are left out. */
export function groupItems(items: readonly unknown[], list: ListType): Map<PathElement, unknown[]> {
  const groups = new Map<PathElement, unknown[]>();
  for (const item of items) {
    const step = findStep(item, list);
    if (step === undefined) continue;
    const group = groups.get(step);
    if (group === undefined) groups.set(step, [item]);
    else group.push(item);
  }
  return groups;
}
