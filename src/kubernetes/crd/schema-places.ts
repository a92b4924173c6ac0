import { deepEqual } from '../../lib/json/json.js';
import { isJsonObject } from '../../model/schema/schema-walk.js';
import type { StructuralSchema } from './definition.js';

/** A schema inside the schema of a version, with what its surroundings mean for it. */
export interface SchemaPlace {
  readonly schema: StructuralSchema;
  readonly path: string;
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

export const META_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** All schemas of a version, outer ones first. */
export function getPlaces(schema: StructuralSchema, path: string): readonly SchemaPlace[] {
  const nodes: SchemaPlace[] = [];
  const visit = (node: SchemaPlace): void => {
    nodes.push(node);
    for (const child of getChildren(node)) visit(child);
  };
  visit({
    schema,
    path,
    isRoot: true,
    isJunctor: false,
    mayAlternate: true,
    isAlternative: false,
    isMeta: false,
    mayHaveDefault: true,
    isBelowMap: false,
    hasOld: true,
  });
  return nodes;
}

/** Makes the node of a schema inside another. */
type Below = (schema: StructuralSchema, step: string, change?: Partial<SchemaPlace>) => SchemaPlace;

function getChildren(node: SchemaPlace): readonly SchemaPlace[] {
  const inside = { ...node, isRoot: false, mayAlternate: !node.isJunctor, isAlternative: false };
  const below: Below = (schema, step, change) => ({
    ...inside,
    ...change,
    schema,
    path: `${node.path}.${step}`,
  });
  return [...getFields(node, below), ...getMembers(node, below), ...getJunctors(node, below)];
}

function getFields({ schema, isRoot, isMeta, mayHaveDefault }: SchemaPlace, below: Below): SchemaPlace[] {
  const isResource = isRoot || schema['x-kubernetes-embedded-resource'] === true;
  return Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const isOfMeta = isResource && META_FIELDS.has(name);
    return below(property, `properties[${name}]`, {
      isMeta: isMeta || isOfMeta,
      mayHaveDefault: mayHaveDefault && !(isRoot && isOfMeta),
    });
  });
}

/** The schemas of items, and of members that have no names in the schema. */
function getMembers({ schema, isMeta, mayHaveDefault, hasOld }: SchemaPlace, below: Below): SchemaPlace[] {
  const { items, additionalProperties } = schema;
  const ofItems = { hasOld: hasOld && schema['x-kubernetes-list-type'] === 'map' };
  const ofOthers = { isBelowMap: true, mayHaveDefault: mayHaveDefault && !isMeta };
  return [
    ...(Array.isArray(items) ? items.map((item, i) => below(item, `items[${i}]`, ofItems)) : []),
    ...(isSchema(items) ? [below(items, 'items', ofItems)] : []),
    ...(isSchema(additionalProperties)
      ? [below(additionalProperties, 'additionalProperties', ofOthers)]
      : []),
  ];
}

const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }];

function getJunctors({ schema, isJunctor, mayAlternate }: SchemaPlace, below: Below): SchemaPlace[] {
  const { allOf = [], anyOf = [], oneOf = [], not } = schema;
  const isAlternative = mayAlternate && deepEqual(anyOf, INT_OR_STRING);
  const inside = { isJunctor: true, mayAlternate: false };
  return [
    ...allOf.map((sub, i) =>
      below(sub, `allOf[${i}]`, { isJunctor: true, mayAlternate: !isJunctor && i === 0 }),
    ),
    ...anyOf.map((sub, i) => below(sub, `anyOf[${i}]`, { ...inside, isAlternative })),
    ...oneOf.map((sub, i) => below(sub, `oneOf[${i}]`, inside)),
    ...(not === undefined ? [] : [below(not, 'not', inside)]),
  ];
}

/** True for one schema: not for a boolean, a list or nothing. */
export function isSchema(value: StructuralSchema['items'] | boolean): value is StructuralSchema {
  return isJsonObject(value);
}
