import type { Condition, Limit, Scalar } from '../../src/query/condition.js';
import type { ExtensionObject } from '../../src/model/object.js';
import type { PersonSpec } from '../helpers/models.js';

/** The plain definition of a list, written without any of the code under test. */

/** A value that can be compared: text as code points, everything else unchanged. */
type Comparable = readonly number[] | number | bigint;
type Kind = 'string' | 'boolean' | 'integer' | 'long' | 'number' | 'instant';

export interface Field {
  readonly name: string;
  readonly kind: Kind;
  /** The values an object has in the field. */
  read(object: ExtensionObject): readonly (string | number | boolean)[];
}

function spec(name: keyof PersonSpec, kind: Kind): Field {
  return {
    name: `spec.${name}`,
    kind,
    read: (object) => {
      const value = (object.spec as PersonSpec)[name];
      return value === undefined ? [] : Array.isArray(value) ? value : [value];
    },
  };
}

export const FIELDS: readonly Field[] = [
  spec('owner', 'string'),
  spec('tags', 'string'),
  spec('age', 'integer'),
  spec('ages', 'integer'),
  spec('serial', 'long'),
  spec('serials', 'long'),
  spec('score', 'number'),
  spec('scores', 'number'),
  spec('active', 'boolean'),
  spec('flags', 'boolean'),
  spec('born', 'instant'),
  spec('visits', 'instant'),
];

export const NAME: Field = { name: 'metadata.name', kind: 'string', read: (o) => [o.metadata.name] };
export const CREATED: Field = {
  name: 'metadata.creationTimestamp',
  kind: 'instant',
  read: (o) => [o.metadata.creationTimestamp],
};

export function fieldNamed(name: string): Field {
  const field = [...FIELDS, NAME, CREATED].find((one) => one.name === name);
  if (field === undefined) throw new RangeError(`no field ${name}`);
  return field;
}

export function comparable(kind: Kind, value: Scalar): Comparable {
  switch (kind) {
    case 'string':
      return Array.from(String(value), (character) => character.codePointAt(0) ?? 0);
    case 'long':
      return BigInt(value as string | number | bigint);
    case 'instant':
      return new Date(value as string | Date).getTime();
    case 'boolean':
      return Number(value === true || value === 'true');
    default:
      return Number(value);
  }
}

export function compare(a: Comparable, b: Comparable): number {
  if (typeof a !== 'object' || typeof b !== 'object') return a < b ? -1 : a > b ? 1 : 0;
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = (a[i] ?? 0) - (b[i] ?? 0);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

export function holds(condition: Condition, object: ExtensionObject): boolean {
  switch (condition.op) {
    case 'all':
      return true;
    case 'and':
      return condition.of.every((part) => holds(part, object));
    case 'or':
      return condition.of.some((part) => holds(part, object));
    case 'not':
      return !holds(condition.of, object);
    case 'namespace':
      return object.metadata.namespace === condition.namespace;
    case 'labelExists':
      return condition.key in (object.metadata.labels ?? {});
    case 'labelIn': {
      const own = object.metadata.labels?.[condition.key];
      return own !== undefined && condition.values.includes(own);
    }
    default:
      return holdsField(condition, fieldNamed(condition.field), object);
  }
}

type FieldCondition = Extract<Condition, { readonly field: string }>;

function holdsField(condition: FieldCondition, field: Field, object: ExtensionObject): boolean {
  const values = field.read(object);
  switch (condition.op) {
    case 'isNull':
      return values.length === 0;
    case 'in':
      return values.some((value) => condition.values.some((wanted) => order(field, value, wanted) === 0));
    case 'range':
      return values.some((value) => within(field, value, condition.from, condition.to));
    case 'any':
    case 'ref':
      throw new RangeError('requests have no such condition');
    default:
      return values.some((value) => holdsText(condition, String(value)));
  }
}

function order(field: Field, a: Scalar, b: Scalar): number {
  return compare(comparable(field.kind, a), comparable(field.kind, b));
}

function within(field: Field, value: Scalar, from: Limit | undefined, to: Limit | undefined): boolean {
  const above = from === undefined ? 1 : order(field, value, from.value);
  const below = to === undefined ? -1 : order(field, value, to.value);
  const low = above > 0 || (above === 0 && from?.inclusive === true);
  return low && (below < 0 || (below === 0 && to?.inclusive === true));
}

type TextCondition = Extract<Condition, { readonly ignoreCase: boolean }>;

function holdsText({ op, text, ignoreCase }: TextCondition, value: string): boolean {
  const own = ignoreCase ? value.toLowerCase() : value;
  const wanted = ignoreCase ? text.toLowerCase() : text;
  if (op === 'startsWith') return own.slice(0, wanted.length) === wanted;
  if (op === 'endsWith')
    return wanted.length <= own.length && own.slice(own.length - wanted.length) === wanted;
  return op === 'equals' ? own === wanted : own.includes(wanted);
}

export interface Sort {
  readonly field: string;
  readonly direction: 'asc' | 'desc';
}

/** Absent values first ascending, last descending; several by the smallest, or the largest; ties by name. */
export function sorted(objects: readonly ExtensionObject[], sorts: readonly Sort[]): ExtensionObject[] {
  const sortEntryOf = objects.map((object) => ({ object, keys: sorts.map((sort) => placeOf(object, sort)) }));
  sortEntryOf.sort((a, b) => {
    for (const [i, { direction }] of sorts.entries()) {
      const byValue = compareAbsent(a.keys[i], b.keys[i]);
      if (byValue !== 0) return direction === 'asc' ? byValue : -byValue;
    }
    return a.object.metadata.name < b.object.metadata.name ? -1 : 1;
  });
  return sortEntryOf.map(({ object }) => object);
}

function placeOf(object: ExtensionObject, { field, direction }: Sort): Comparable | undefined {
  const place = fieldNamed(field);
  const values = place.read(object).map((value) => comparable(place.kind, value));
  return values.reduce<Comparable | undefined>((best, value) => {
    if (best === undefined) return value;
    return compare(value, best) < 0 === (direction === 'asc') ? value : best;
  }, undefined);
}

function compareAbsent(a: Comparable | undefined, b: Comparable | undefined): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  return compare(a, b);
}
