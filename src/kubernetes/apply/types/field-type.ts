import { isRecord } from '../../../lib/json/json.js';
import type { Json } from '../../../model/object.js';

/** The scalars that a field accepts. */
export type ScalarKind = 'string' | 'numeric' | 'boolean' | 'untyped';

/** The parts of a list that have owners: all of it as one value, each scalar of a set, or the fields of each item that its keys identify. */
export interface ListType {
  readonly items: ValueKinds;
  readonly relation: 'atomic' | 'set' | 'map';
  /** The fields that identify an item of a list map. */
  readonly keys: readonly string[];
}

export interface MapType {
  /** True where at least one field is declared. */
  readonly hasFields: boolean;
  /** The type of a declared field. */
  readonly field: (name: string) => ValueKinds | undefined;
  /** The type of all other fields; undefined where there may be none. */
  readonly others: ValueKinds | undefined;
  /** True where the whole map has one owner. */
  readonly isAtomic: boolean;
  /** The default of a field that is a key of a list map. */
  readonly keyDefault: (name: string) => Json | undefined;
}

/** The kinds of values that a field accepts. A field of several kinds has the type of its value. */
export interface ValueKinds {
  readonly scalar?: ScalarKind | undefined;
  readonly list?: ListType | undefined;
  readonly map?: MapType | undefined;
}

export type FieldKind = 'map' | 'scalar' | 'list';

export interface TypedValue {
  readonly value: unknown;
  readonly type: ValueKinds;
}

/**
 * The kind that decides about a value. Null, and a value that no kind of the type accepts, go to the first one of map, scalar, list
 * that the type has.
 */
export function kindOf(type: ValueKinds, value: unknown): FieldKind | undefined {
  const own = ownKind(value);
  if (own !== undefined && type[own] !== undefined) return own;
  if (type.map !== undefined) return 'map';
  if (type.scalar !== undefined) return 'scalar';
  return type.list === undefined ? undefined : 'list';
}

function ownKind(value: unknown): FieldKind | undefined {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) return 'list';
  return isRecord(value) ? 'map' : 'scalar';
}

/** The type of a member of a map; undefined where there may be none. */
export function memberType(map: MapType, name: string): ValueKinds | undefined {
  return map.field(name) ?? map.others;
}

/** A type that accepts nothing. */
export const NO_TYPE: ValueKinds = {};

/** Any value, with one owner. */
export const UNTYPED: ValueKinds = {
  scalar: 'untyped',
  get list(): ListType {
    return { items: UNTYPED, relation: 'atomic', keys: [] };
  },
  get map(): MapType {
    return { ...OPEN, others: UNTYPED, isAtomic: true };
  },
};

/** Any value: each member of its maps has an owner, lists have one. */
export const DEDUCED: ValueKinds = {
  scalar: 'untyped',
  list: { items: UNTYPED, relation: 'atomic', keys: [] },
  get map(): MapType {
    return { ...OPEN, others: DEDUCED, isAtomic: false };
  },
};

const OPEN = { hasFields: false, field: () => undefined, keyDefault: () => undefined };
