import { deepEqual } from '../../../lib/json/json.js';
import { isSchema, type StructuralSchema } from './structural-schema.js';

/** The meaning of the schemas around a schema for it. */
export interface Surroundings {
  readonly isRoot: boolean;
  /** True below `allOf`, `anyOf`, `oneOf` and `not`: such a schema restricts values and declares no fields. */
  readonly isJunctor: boolean;
  /** True when `anyOf` of the schema may state that a value is an integer or a string. */
  readonly mayAlternate: boolean;
  /** True in a junctor for one of these alternatives. No other schema in a junctor may have a type. */
  readonly isAlternative: boolean;
  /** True for `apiVersion`, `kind` and `metadata` of a resource, and below them. */
  readonly isMeta: boolean;
  readonly mayHaveDefault: boolean;
  /** True when values have keys that the schema does not name. Kubernetes does not check defaults of such values. */
  readonly isBelowMap: boolean;
  /** True when the earlier value of the place can be found. */
  readonly hasOld: boolean;
}

/** A schema inside the schema of a version. */
export interface SchemaPlace {
  readonly schema: StructuralSchema;
  readonly path: string;
  readonly around: Surroundings;
}

export const META_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

const ROOT: Surroundings = {
  isRoot: true,
  isJunctor: false,
  mayAlternate: true,
  isAlternative: false,
  isMeta: false,
  mayHaveDefault: true,
  isBelowMap: false,
  hasOld: true,
};

/** The keywords that contain schemas. Most schemas have none of them. */
const WITH_SCHEMAS = ['properties', 'items', 'additionalProperties', 'allOf', 'anyOf', 'oneOf', 'not'];

/** All schemas of a version, outer ones first. */
export function getPlaces(schema: StructuralSchema, path: string): readonly SchemaPlace[] {
  const places: SchemaPlace[] = [{ schema, path, around: ROOT }];
  // The list grows while it is walked.
  for (const place of places) {
    if (!WITH_SCHEMAS.some((keyword) => place.schema[keyword] !== undefined)) continue;
    const inner: Surroundings = {
      ...place.around,
      isRoot: false,
      mayAlternate: !place.around.isJunctor,
      isAlternative: false,
    };
    const add: Add = (sub, step, around) =>
      places.push({ schema: sub, path: `${place.path}.${step}`, around });
    addFields(place, inner, add);
    addMembers(place, inner, add);
    addJunctors(place, inner, add);
  }
  return places;
}

type Add = (schema: StructuralSchema, step: string, around: Surroundings) => void;

function addFields({ schema, around }: SchemaPlace, inner: Surroundings, add: Add): void {
  if (schema.properties === undefined) return;
  const isResource = around.isRoot || schema['x-kubernetes-embedded-resource'] === true;
  const ofMeta = { ...inner, isMeta: true, mayHaveDefault: inner.mayHaveDefault && !around.isRoot };
  for (const name of Object.keys(schema.properties)) {
    const { [name]: property } = schema.properties;
    if (property !== undefined)
      add(property, `properties[${name}]`, isResource && META_FIELDS.has(name) ? ofMeta : inner);
  }
}

/** Adds the schemas of items, and of members that have no names in the schema. */
function addMembers({ schema }: SchemaPlace, inner: Surroundings, add: Add): void {
  const { items = [], additionalProperties: others } = schema;
  const ofItems = { ...inner, hasOld: inner.hasOld && schema['x-kubernetes-list-type'] === 'map' };
  if (isSchema(items)) add(items, 'items', ofItems);
  else items.forEach((item, i) => add(item, `items[${i}]`, ofItems));
  if (isSchema(others)) {
    const mayHaveDefault = inner.mayHaveDefault && !inner.isMeta;
    add(others, 'additionalProperties', { ...inner, isBelowMap: true, mayHaveDefault });
  }
}

const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }];

function addJunctors({ schema, around }: SchemaPlace, inner: Surroundings, add: Add): void {
  const { allOf = [], anyOf = [], oneOf = [], not } = schema;
  const junctor = { ...inner, isJunctor: true, mayAlternate: false };
  const isAlternative = around.mayAlternate && deepEqual(anyOf, INT_OR_STRING);
  const first = { ...junctor, mayAlternate: !around.isJunctor };
  allOf.forEach((sub, i) => add(sub, `allOf[${i}]`, i === 0 ? first : junctor));
  anyOf.forEach((sub, i) => add(sub, `anyOf[${i}]`, { ...junctor, isAlternative }));
  oneOf.forEach((sub, i) => add(sub, `oneOf[${i}]`, junctor));
  if (not !== undefined) add(not, 'not', junctor);
}
