import { isRecord, setOwn } from '../../../lib/json/json.js';
import { fieldElement } from '../paths/element.js';
import type { PathSet } from '../paths/path-set.js';
import {
  kindOf,
  memberType,
  NO_TYPE,
  type ValueKinds,
  type ListType,
  type MapType,
} from '../types/field-type.js';
import { findStep } from './list-item.js';

/**
 * A value without the fields and items of a set. A part that loses all its members becomes null, as does an atomic value that has fields in
 * the set.
 */
export function removeFields(value: unknown, set: PathSet, type: ValueKinds): unknown {
  const { map, list } = type;
  switch (kindOf(type, value)) {
    case 'map':
      if (map === undefined || map.isAtomic || !isRecord(value)) return null;
      return removeMembers(value, set, map);
    case 'list':
      if (list === undefined || list.relation === 'atomic' || !Array.isArray(value)) return null;
      return removeItems(value, set, list);
    default:
      return value;
  }
}

function removeMembers(value: Readonly<Record<string, unknown>>, set: PathSet, map: MapType): unknown {
  const out: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const node = set.nodes.get(fieldElement(name));
    if (node?.isMember === true) continue;
    const kept =
      node?.below === undefined ? member : removeFields(member, node.below, memberType(map, name) ?? NO_TYPE);
    setOwn(out, name, kept);
  }
  return Object.keys(out).length === 0 ? null : out;
}

function removeItems(items: readonly unknown[], set: PathSet, list: ListType): unknown {
  const out: unknown[] = [];
  for (const item of items) {
    const step = findStep(item, list);
    const node = step === undefined ? undefined : set.nodes.get(step);
    if (node?.isMember === true) continue;
    out.push(node?.below === undefined ? item : removeFields(item, node.below, list.items));
  }
  return out.length === 0 ? null : out;
}
