import { getOwn, isRecord, setOwn } from '../../../lib/json/json.js';
import {
  kindOf,
  memberType,
  NO_TYPE,
  type ValueKinds,
  type ListType,
  type MapType,
} from '../types/field-type.js';
import { mergeLists } from './merge-lists.js';

/**
 * A value with what another one states put into it. Nothing is removed. Both follow the type.
 * @returns undefined for nothing
 */
export function merge(base: unknown, stated: unknown, type: ValueKinds): unknown {
  const kind = kindOf(type, stated === undefined ? base : stated);
  if (kind === 'map' && type.map !== undefined) return mergeMaps(base, stated, type.map);
  if (kind === 'list' && type.list !== undefined) return mergeItems(base, stated, type.list);
  return last(base, stated);
}

function last(base: unknown, stated: unknown): unknown {
  return stated === undefined ? base : stated;
}

function mergeMaps(base: unknown, stated: unknown, map: MapType): unknown {
  const left = isRecord(base) ? base : {};
  const right = isRecord(stated) ? stated : {};
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  if (map.isAtomic || names.size === 0) return last(base, stated);
  const out: Record<string, unknown> = {};
  for (const name of names) {
    const merged = merge(getOwn(left, name), getOwn(right, name), memberType(map, name) ?? NO_TYPE);
    if (merged !== undefined) setOwn(out, name, merged);
  }
  return Object.keys(out).length === 0 ? undefined : out;
}

function mergeItems(base: unknown, stated: unknown, list: ListType): unknown {
  const left: readonly unknown[] = Array.isArray(base) ? base : [];
  const right: readonly unknown[] = Array.isArray(stated) ? stated : [];
  if (list.relation === 'atomic' || left.length + right.length === 0) return last(base, stated);
  const out = mergeLists(left, right, list, (a, b) => merge(a, b, list.items));
  return out.length === 0 ? undefined : out;
}
