import type { FaultReason } from './fault.js';
import { META_FIELDS, type Surroundings } from './schema-places.js';
import { isSchema, propertyOf, type StructuralSchema } from './structural-schema.js';

/** A condition that no schema may meet. */
export interface SchemaRule {
  /** The keyword whose presence the rule is about. Absent for a rule about every schema. */
  readonly on?: keyof StructuralSchema & string;
  /** The path from the schema to the fault, empty for the schema itself. Default: the keyword. */
  readonly at?: string;
  readonly reason: FaultReason;
  readonly message: string;
  /** Default: true for a value that has a meaning. */
  readonly isBroken?: (schema: StructuralSchema, around: Surroundings) => boolean;
}

const PRESERVE = 'x-kubernetes-preserve-unknown-fields';
const EMBEDDED = 'x-kubernetes-embedded-resource';
const EITHER = 'x-kubernetes-int-or-string';
const LIST_TYPE = 'x-kubernetes-list-type';
const LIST_KEYS = 'x-kubernetes-list-map-keys';
const MAP_TYPE = 'x-kubernetes-map-type';
const RULES = 'x-kubernetes-validations';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

const always = (): boolean => true;
const UNKNOWN = { reason: 'Forbidden', message: 'is not supported' } as const;

/** Of all schemas: keywords that none may have. */
export const UNSUPPORTED: readonly SchemaRule[] = [
  { on: 'id', ...UNKNOWN },
  { on: '$schema', ...UNKNOWN },
  { on: '$ref', ...UNKNOWN, message: 'is not supported: write the schema in its place', isBroken: always },
  { on: 'definitions', ...UNKNOWN, isBroken: ({ definitions }) => hasMembers(definitions) },
  { on: 'patternProperties', ...UNKNOWN, isBroken: ({ patternProperties }) => hasMembers(patternProperties) },
  { on: 'dependencies', ...UNKNOWN },
  { on: 'additionalItems', ...UNKNOWN, isBroken: always },
  {
    on: 'items',
    reason: 'Forbidden',
    message: 'must be one schema, not a list of schemas',
    isBroken: ({ items }) => Array.isArray(items) && items.length > 0,
  },
  {
    on: PRESERVE,
    reason: 'Invalid',
    message: 'must be true, or must not be set',
    isBroken: ({ [PRESERVE]: preserves }) => preserves === false,
  },
];

/** Of schemas that declare the structure of objects. */
export const DECLARING: readonly SchemaRule[] = [
  {
    on: 'type',
    at: 'items',
    reason: 'Required',
    message: 'must be set where the type is "array"',
    isBroken: ({ type, items }) => type === 'array' && !isSchema(items),
  },
  {
    at: 'type',
    reason: 'Required',
    message: `must be set, unless ${EITHER} or ${PRESERVE} is`,
    isBroken: (schema) => !isGiven(schema.type) && schema[EITHER] !== true && schema[PRESERVE] !== true,
  },
  {
    on: EMBEDDED,
    at: 'type',
    reason: 'Invalid',
    message: `must be "object" where ${EMBEDDED} is set`,
    isBroken: (schema) => schema[EMBEDDED] === true && schema.type !== 'object',
  },
  {
    on: EMBEDDED,
    at: 'properties',
    reason: 'Required',
    message: `must be set where ${EMBEDDED} is, unless ${PRESERVE} is set as well`,
    isBroken: (schema) =>
      schema[EMBEDDED] === true && schema[PRESERVE] !== true && !hasMembers(schema.properties),
  },
  {
    on: EMBEDDED,
    at: 'additionalProperties',
    reason: 'Forbidden',
    message: `must not be set where ${EMBEDDED} is`,
    isBroken: (schema) => schema[EMBEDDED] === true && schema.additionalProperties !== undefined,
  },
  ...([PRESERVE, EMBEDDED] as const).map((at): SchemaRule => ({
    on: EITHER,
    at,
    reason: 'Invalid',
    message: `must not be set where ${EITHER} is`,
    isBroken: (schema) => schema[EITHER] === true && schema[at] === true,
  })),
  ...[...META_FIELDS].map((name): SchemaRule => {
    const type = name === 'metadata' ? 'object' : 'string';
    return {
      on: 'properties',
      at: `properties[${name}].type`,
      reason: 'Invalid',
      message: `must be "${type}" in a resource`,
      isBroken: (schema, { isRoot }) => {
        const field = isRoot || schema[EMBEDDED] === true ? propertyOf(schema, name) : undefined;
        return field !== undefined && field.type !== type;
      },
    };
  }),
];

/** Of the schema of a whole object. */
export const WHOLE: readonly SchemaRule[] = [
  {
    on: 'type',
    reason: 'Invalid',
    message: 'must be "object" at the root',
    isBroken: ({ type }) => isGiven(type) && type !== 'object',
  },
  {
    on: 'additionalProperties',
    reason: 'Forbidden',
    message: 'must not be set at the root',
    isBroken: always,
  },
  {
    on: 'properties',
    at: 'properties[metadata]',
    reason: 'Forbidden',
    message: 'may restrict only name and generateName, because Kubernetes defines metadata',
    isBroken: (schema) => restrictsMore(propertyOf(schema, 'metadata')),
  },
];

const NOT_IN_JUNCTORS = [
  ...(['additionalProperties', 'title', 'description', 'nullable'] as const),
  ...([PRESERVE, EMBEDDED, EITHER, LIST_KEYS, LIST_TYPE, MAP_TYPE, RULES] as const),
];
const OUTSIDE = { reason: 'Forbidden', message: 'must not be set in allOf, anyOf, oneOf and not' } as const;

/** Of schemas that restrict values whose structure is declared elsewhere. */
export const JUNCTOR: readonly SchemaRule[] = [
  { on: 'type', ...OUTSIDE, isBroken: ({ type }, { isAlternative }) => isGiven(type) && !isAlternative },
  {
    on: 'properties',
    at: 'properties[metadata]',
    ...OUTSIDE,
    isBroken: (schema) => propertyOf(schema, 'metadata') !== undefined,
  },
  { on: 'default', ...OUTSIDE, isBroken: always },
  ...NOT_IN_JUNCTORS.map((on) => ({ on, ...OUTSIDE })),
];

/** Of all schemas: the values of keywords, and their combinations. */
export const USAGE: readonly SchemaRule[] = [
  {
    on: 'uniqueItems',
    reason: 'Forbidden',
    message: `must not be true: a list with ${LIST_TYPE} "set" has unique items`,
  },
  {
    on: 'type',
    reason: 'NotSupported',
    message: `must be one of ${TYPES.join(', ')}; a field that may be null has nullable: true`,
    isBroken: ({ type }) => isGiven(type) && isOther(type, TYPES),
  },
  {
    on: 'additionalProperties',
    reason: 'Forbidden',
    message: 'must not be used together with properties',
    isBroken: ({ additionalProperties, properties }) =>
      hasMembers(properties) && additionalProperties !== true,
  },
  {
    on: 'nullable',
    reason: 'Forbidden',
    message: 'must not be true at the root',
    isBroken: ({ nullable }, { isRoot }) => isRoot && nullable === true,
  },
  {
    on: 'default',
    reason: 'Forbidden',
    message: 'must not be set for apiVersion, kind and metadata',
    isBroken: (_, { mayHaveDefault }) => !mayHaveDefault,
  },
  {
    on: EMBEDDED,
    reason: 'Forbidden',
    message: 'must not be used inside apiVersion, kind and metadata',
    isBroken: (schema, { isMeta }) => isMeta && schema[EMBEDDED] === true,
  },
  ...mergeRules(MAP_TYPE, 'object', ['atomic', 'granular']),
  ...mergeRules(LIST_TYPE, 'array', ['atomic', 'map', 'set']),
  {
    on: LIST_TYPE,
    at: `items.${LIST_TYPE}`,
    reason: 'Invalid',
    message: 'must be "atomic" in a list of type "set"',
    isBroken: (schema) => {
      const item = itemOf(schema, 'set');
      return item?.type === 'array' && isOther(item[LIST_TYPE], ['atomic']);
    },
  },
  {
    on: LIST_TYPE,
    at: `items.${MAP_TYPE}`,
    reason: 'Invalid',
    message: 'must be "atomic" in a list of type "set"',
    isBroken: (schema) => {
      const item = itemOf(schema, 'set');
      return item?.type === 'object' && item[MAP_TYPE] !== 'atomic';
    },
  },
  {
    on: LIST_TYPE,
    at: 'items.nullable',
    reason: 'Forbidden',
    message: 'must not be true in a list of type "set" or "map"',
    isBroken: (schema) => (itemOf(schema, 'set') ?? itemOf(schema, 'map'))?.nullable === true,
  },
  {
    on: LIST_KEYS,
    at: LIST_TYPE,
    reason: 'Invalid',
    message: `must be "map" where ${LIST_KEYS} are given`,
    isBroken: (schema) => isGiven(schema[LIST_KEYS]) && !isMapList(schema),
  },
  {
    on: LIST_KEYS,
    reason: 'Invalid',
    message: 'must name declared properties of the items',
    isBroken: (schema) => {
      const item = itemOf(schema, 'map');
      return item?.type === 'object' && (schema[LIST_KEYS] ?? []).some((key) => !propertyOf(item, key));
    },
  },
  {
    on: LIST_KEYS,
    reason: 'Invalid',
    message: 'must not name a key twice',
    isBroken: (schema) => isMapList(schema) && hasTwice(schema[LIST_KEYS] ?? []),
  },
  {
    on: LIST_TYPE,
    at: LIST_KEYS,
    reason: 'Required',
    message: 'must name at least one key of the items in a list of type "map"',
    isBroken: (schema) => isMapList(schema) && !isGiven(schema[LIST_KEYS]),
  },
  {
    on: LIST_TYPE,
    at: 'items',
    reason: 'Required',
    message: 'must be set in a list of type "map"',
    isBroken: (schema) => isMapList(schema) && schema.items === undefined,
  },
  {
    on: LIST_TYPE,
    at: 'items.type',
    reason: 'Invalid',
    message: 'must be "object" in a list of type "map"',
    isBroken: (schema) => {
      const item = itemOf(schema, 'map');
      return item !== undefined && item.type !== 'object';
    },
  },
];

/** Keywords at the root that would be lost when the status is validated alone. */
const NOT_WITH_STATUS = [
  ...['default', 'enum', 'maxProperties', 'minProperties', 'allOf', 'oneOf', 'anyOf', 'not', 'nullable'],
  ...['additionalProperties', EMBEDDED, EITHER, LIST_TYPE, LIST_KEYS, MAP_TYPE],
];

/** Of the schema of a whole object that has a separate status. */
export const WITH_STATUS: readonly SchemaRule[] = [
  {
    at: '',
    reason: 'Invalid',
    message: `must not have any of ${NOT_WITH_STATUS.join(', ')} where the subresource status is set`,
    isBroken: (schema) =>
      schema.default !== undefined || NOT_WITH_STATUS.some((keyword) => isGiven(schema[keyword])),
  },
];

/** The rules of a keyword that states how maps or lists are merged. */
function mergeRules(
  on: typeof MAP_TYPE | typeof LIST_TYPE,
  type: string,
  known: readonly string[],
): readonly SchemaRule[] {
  return [
    {
      on,
      at: 'type',
      reason: 'Invalid',
      message: `must be "${type}" where ${on} is set`,
      isBroken: (schema) => schema.type !== type,
    },
    {
      on,
      reason: 'NotSupported',
      message: `must be one of ${known.join(', ')}`,
      isBroken: (schema) => isOther(schema[on], known),
    },
  ];
}

/** False for a value that has no meaning. */
export function isGiven(value: unknown): boolean {
  return (
    value !== undefined && value !== '' && value !== false && !(Array.isArray(value) && value.length === 0)
  );
}

export function itemOf(schema: StructuralSchema, listType: string): StructuralSchema | undefined {
  return schema[LIST_TYPE] === listType && isSchema(schema.items) ? schema.items : undefined;
}

function isMapList(schema: StructuralSchema): boolean {
  return schema[LIST_TYPE] === 'map';
}

function isOther(value: string | undefined, known: readonly string[]): boolean {
  return value !== undefined && !known.includes(value);
}

function hasMembers(map: object = {}): boolean {
  return Object.keys(map).length > 0;
}

function hasTwice(names: readonly string[]): boolean {
  return new Set(names).size < names.length;
}

function restrictsMore(metadata: StructuralSchema = {}): boolean {
  const { type: _, properties = {}, default: __, additionalProperties, ...others } = metadata;
  const isNamed = Object.keys(properties).some((name) => name !== 'name' && name !== 'generateName');
  return isNamed || additionalProperties !== undefined || Object.values(others).some(isGiven);
}
