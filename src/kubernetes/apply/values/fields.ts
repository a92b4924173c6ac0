import { isRecord } from '../../../lib/json/json.js';
import { fieldElement, fieldOf } from '../paths/element.js';
import { NO_PATHS, PathSet, type PathNode } from '../paths/path-set.js';
import {
  kindOf,
  memberType,
  NO_TYPE,
  type ValueKinds,
  type ListType,
  type MapType,
  type TypedValue,
} from '../types/field-type.js';
import { groupItems } from './list-item.js';

export function fieldsOf({ value, type }: TypedValue): PathSet {
  return fieldsAt(value, type).below ?? NO_PATHS;
}

const WHOLE: PathNode = { isMember: true, below: undefined };
const NOTHING: PathNode = { isMember: false, below: undefined };

function fieldsAt(value: unknown, type: ValueKinds): PathNode {
  const { map, list } = type;
  switch (kindOf(type, value)) {
    case 'map':
      if (map?.isAtomic === true) return WHOLE;
      return map !== undefined && isRecord(value)
        ? { isMember: false, below: membersOf(value, map) }
        : NOTHING;
    case 'list':
      if (list?.relation === 'atomic') return WHOLE;
      return list !== undefined && Array.isArray(value)
        ? { isMember: false, below: itemsOf(value, list) }
        : NOTHING;
    default:
      return WHOLE;
  }
}

function membersOf(value: Readonly<Record<string, unknown>>, map: MapType): PathSet {
  const out = new PathSet();
  for (const name of Object.keys(value)) {
    const member = value[name];
    const { isMember, below } = fieldsAt(member, memberType(map, name) ?? NO_TYPE);
    // A declared struct that is not empty is only owned through its members.
    const isOwned = isMember || isEmpty(member) || map.field(name) === undefined;
    out.put(fieldElement(name), { isMember: isOwned, below });
  }
  return out;
}

function isEmpty(value: unknown): boolean {
  return value === null || (isRecord(value) && Object.keys(value).length === 0);
}

function itemsOf(items: readonly unknown[], list: ListType): PathSet {
  const out = new PathSet();
  for (const [step, same] of groupItems(items, list)) {
    // An item that is there several times is owned as a whole.
    const below = same.length === 1 ? fieldsAt(same[0], list.items).below : undefined;
    out.put(step, { isMember: true, below });
  }
  return out;
}

/** The set with those declared fields of structs as members that have fields below them in the set. */
export function withDeclared(set: PathSet, type: ValueKinds): PathSet {
  const out = new PathSet();
  for (const [element, { isMember, below }] of set.nodes) {
    const name = fieldOf(element);
    const declared = name === undefined ? undefined : type.map?.field(name);
    const next = name === undefined ? itemType(element, type) : (declared ?? type.map?.others);
    out.put(element, {
      isMember: isMember || (declared !== undefined && below !== undefined),
      below: below && withDeclared(below, next ?? NO_TYPE),
    });
  }
  return out;
}

function itemType(element: string, { list }: ValueKinds): ValueKinds | undefined {
  return element.startsWith('k:') ? list?.items : undefined;
}
