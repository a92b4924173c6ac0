import { getMessage, type Cause, type CauseReason } from '../../errors.js';
import { re2RegExp } from '../../lib/linear-reg-exp.js';
import type { StructuralSchema } from './definition.js';
import { isSchema, META_FIELDS, type SchemaPlace } from './schema-places.js';

/** A condition that no schema may meet. */
export interface SchemaRule {
  /** The path from the schema to the fault; empty for the schema itself. */
  readonly at: string;
  readonly reason: 'Required' | 'Invalid' | 'NotSupported' | 'Forbidden';
  readonly message: string;
  readonly isBroken: (place: SchemaPlace) => boolean;
}

const PRESERVE = 'x-kubernetes-preserve-unknown-fields';
const EMBEDDED = 'x-kubernetes-embedded-resource';
const EITHER = 'x-kubernetes-int-or-string';
const LIST_TYPE = 'x-kubernetes-list-type';
const LIST_KEYS = 'x-kubernetes-list-map-keys';
const MAP_TYPE = 'x-kubernetes-map-type';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const MAP_TYPES = ['atomic', 'granular'];
const LIST_TYPES = ['atomic', 'map', 'set'];

/** The rule that a keyword must not be used, or only with a value that has no meaning. */
function forbidden(keyword: keyof StructuralSchema & string, message: string): SchemaRule {
  return { at: keyword, reason: 'Forbidden', message, isBroken: ({ schema }) => isGiven(schema[keyword]) };
}

/** Keywords that no schema may have. */
const UNSUPPORTED: readonly SchemaRule[] = [
  forbidden('id', 'is not supported'),
  forbidden('$schema', 'is not supported'),
  forbidden('$ref', 'is not supported: write the schema in its place'),
  {
    at: 'definitions',
    reason: 'Forbidden',
    message: 'are not supported: write each schema in its place',
    isBroken: ({ schema: { definitions = {} } }) => Object.keys(definitions).length > 0,
  },
  {
    at: 'patternProperties',
    reason: 'Forbidden',
    message: 'are not supported',
    isBroken: ({ schema: { patternProperties = {} } }) => Object.keys(patternProperties).length > 0,
  },
  forbidden('dependencies', 'are not supported'),
  {
    at: 'additionalItems',
    reason: 'Forbidden',
    message: 'is not supported',
    isBroken: ({ schema }) => schema.additionalItems !== undefined,
  },
  {
    at: 'items',
    reason: 'Forbidden',
    message: 'must be one schema, not a list of schemas',
    isBroken: ({ schema: { items } }) => Array.isArray(items) && items.length > 0,
  },
  {
    at: PRESERVE,
    reason: 'Invalid',
    message: 'must be true, or must not be set',
    isBroken: ({ schema }) => schema[PRESERVE] === false,
  },
];

/** Of the values of keywords, and of their combinations. */
const USAGE: readonly SchemaRule[] = [
  {
    at: 'uniqueItems',
    reason: 'Forbidden',
    message: 'must not be true: a list with x-kubernetes-list-type "set" has unique items',
    isBroken: ({ schema }) => schema.uniqueItems === true,
  },
  {
    at: 'type',
    reason: 'NotSupported',
    message: `must be one of ${TYPES.join(', ')}; a field that may be null has nullable: true`,
    isBroken: ({ schema: { type = '' } }) => type !== '' && !TYPES.includes(type),
  },
  {
    at: 'additionalProperties',
    reason: 'Forbidden',
    message: 'must not be used together with properties',
    isBroken: ({ schema }) =>
      hasProperties(schema) &&
      schema.additionalProperties !== undefined &&
      schema.additionalProperties !== true,
  },
  {
    at: 'default',
    reason: 'Forbidden',
    message: 'must not be set for apiVersion, kind and metadata',
    isBroken: ({ schema, mayHaveDefault }) => schema.default !== undefined && !mayHaveDefault,
  },
  {
    at: EMBEDDED,
    reason: 'Forbidden',
    message: 'must not be used inside apiVersion, kind and metadata',
    isBroken: ({ schema, isMeta }) => isMeta && schema[EMBEDDED] === true,
  },
  {
    at: 'type',
    reason: 'Invalid',
    message: `must be "object" where ${MAP_TYPE} is set`,
    isBroken: ({ schema }) => schema[MAP_TYPE] !== undefined && schema.type !== 'object',
  },
  {
    at: MAP_TYPE,
    reason: 'NotSupported',
    message: `must be one of ${MAP_TYPES.join(', ')}`,
    isBroken: ({ schema }) => isOther(schema[MAP_TYPE], MAP_TYPES),
  },
  {
    at: 'type',
    reason: 'Invalid',
    message: `must be "array" where ${LIST_TYPE} is set`,
    isBroken: ({ schema }) => schema[LIST_TYPE] !== undefined && schema.type !== 'array',
  },
  {
    at: LIST_TYPE,
    reason: 'NotSupported',
    message: `must be one of ${LIST_TYPES.join(', ')}`,
    isBroken: ({ schema }) => isOther(schema[LIST_TYPE], LIST_TYPES),
  },
  {
    at: `items.${LIST_TYPE}`,
    reason: 'Invalid',
    message: 'must be "atomic" in a list of type "set"',
    isBroken: ({ schema }) => {
      const item = itemOfSet(schema);
      return item?.type === 'array' && isOther(item[LIST_TYPE], ['atomic']);
    },
  },
  {
    at: `items.${MAP_TYPE}`,
    reason: 'Invalid',
    message: 'must be "atomic" in a list of type "set"',
    isBroken: ({ schema }) => {
      const item = itemOfSet(schema);
      return item?.type === 'object' && item[MAP_TYPE] !== 'atomic';
    },
  },
  {
    at: LIST_TYPE,
    reason: 'Invalid',
    message: `must be "map" where ${LIST_KEYS} are given`,
    isBroken: ({ schema }) => isGiven(schema[LIST_KEYS]) && schema[LIST_TYPE] !== 'map',
  },
  {
    at: LIST_KEYS,
    reason: 'Required',
    message: 'must name at least one key of the items in a list of type "map"',
    isBroken: ({ schema }) => isMapList(schema) && !isGiven(schema[LIST_KEYS]),
  },
  {
    at: LIST_KEYS,
    reason: 'Invalid',
    message: 'must name declared properties of the items',
    isBroken: ({ schema }) => {
      const { items } = schema;
      const isOfObjects = isMapList(schema) && isSchema(items) && items.type === 'object';
      return isOfObjects && (schema[LIST_KEYS] ?? []).some((key) => !hasProperty(items, key));
    },
  },
  {
    at: LIST_KEYS,
    reason: 'Invalid',
    message: 'must not name a key twice',
    isBroken: ({ schema }) => {
      const keys = schema[LIST_KEYS] ?? [];
      return isMapList(schema) && new Set(keys).size < keys.length;
    },
  },
  {
    at: 'items',
    reason: 'Required',
    message: 'must be set in a list of type "map"',
    isBroken: ({ schema }) => isMapList(schema) && schema.items === undefined,
  },
  {
    at: 'items.type',
    reason: 'Invalid',
    message: 'must be "object" in a list of type "map"',
    isBroken: ({ schema }) => isMapList(schema) && isSchema(schema.items) && schema.items.type !== 'object',
  },
  {
    at: 'items.nullable',
    reason: 'Forbidden',
    message: 'must not be true in a list of type "set" or "map"',
    isBroken: ({ schema }) =>
      ['set', 'map'].includes(schema[LIST_TYPE] ?? '') &&
      isSchema(schema.items) &&
      schema.items.nullable === true,
  },
  {
    at: 'nullable',
    reason: 'Forbidden',
    message: 'must not be true at the root',
    isBroken: ({ schema, isRoot }) => isRoot && schema.nullable === true,
  },
];

/** Of schemas that declare the structure of objects. */
const STRUCTURE: readonly SchemaRule[] = [
  {
    at: 'items',
    reason: 'Required',
    message: 'must be set where the type is "array"',
    isBroken: ({ schema }) => schema.type === 'array' && !isSchema(schema.items),
  },
  {
    at: 'type',
    reason: 'Required',
    message: `must be set, unless ${EITHER} or ${PRESERVE} is`,
    isBroken: ({ schema }) => !isGiven(schema.type) && schema[EITHER] !== true && schema[PRESERVE] !== true,
  },
  {
    at: 'type',
    reason: 'Invalid',
    message: `must be "object" where ${EMBEDDED} is set`,
    isBroken: ({ schema }) => schema[EMBEDDED] === true && schema.type !== 'object',
  },
  {
    at: 'properties',
    reason: 'Required',
    message: `must be set where ${EMBEDDED} is, unless ${PRESERVE} is set as well`,
    isBroken: ({ schema }) =>
      schema[EMBEDDED] === true && schema[PRESERVE] !== true && !hasProperties(schema),
  },
  {
    at: 'additionalProperties',
    reason: 'Forbidden',
    message: `must not be set where ${EMBEDDED} is`,
    isBroken: ({ schema }) => schema[EMBEDDED] === true && schema.additionalProperties !== undefined,
  },
  {
    at: PRESERVE,
    reason: 'Invalid',
    message: `must not be set where ${EITHER} is`,
    isBroken: ({ schema }) => schema[EITHER] === true && schema[PRESERVE] === true,
  },
  {
    at: EMBEDDED,
    reason: 'Invalid',
    message: `must not be set where ${EITHER} is`,
    isBroken: ({ schema }) => schema[EITHER] === true && schema[EMBEDDED] === true,
  },
  ...[...META_FIELDS].map((name): SchemaRule => ({
    at: `properties[${name}].type`,
    reason: 'Invalid',
    message: `must be "${name === 'metadata' ? 'object' : 'string'}" in a resource`,
    isBroken: ({ schema, isRoot }) =>
      (isRoot || schema[EMBEDDED] === true) &&
      hasProperty(schema, name) &&
      schema.properties?.[name]?.type !== (name === 'metadata' ? 'object' : 'string'),
  })),
];

/** Of the schema of a whole object. */
const ROOT: readonly SchemaRule[] = [
  {
    at: 'type',
    reason: 'Invalid',
    message: 'must be "object" at the root',
    isBroken: ({ schema }) => isGiven(schema.type) && schema.type !== 'object',
  },
  {
    at: 'additionalProperties',
    reason: 'Forbidden',
    message: 'must not be set at the root',
    isBroken: ({ schema }) => schema.additionalProperties !== undefined,
  },
  {
    at: 'properties[metadata]',
    reason: 'Forbidden',
    message: 'may restrict only name and generateName, because Kubernetes defines metadata',
    isBroken: ({ schema }) =>
      hasProperty(schema, 'metadata') && !isPlainMetadata(schema.properties?.metadata),
  },
];

/** Keywords at the root that would be lost when the status is validated alone. */
const NOT_WITH_STATUS = [
  'enum',
  'maxProperties',
  'minProperties',
  'allOf',
  'oneOf',
  'anyOf',
  'not',
  'nullable',
  'additionalProperties',
  EMBEDDED,
  EITHER,
  LIST_TYPE,
  LIST_KEYS,
  MAP_TYPE,
];

/** Of the schema of a whole object that has a separate status. */
const ROOT_WITH_STATUS: readonly SchemaRule[] = [
  {
    at: 'type',
    reason: 'Invalid',
    message: 'must be "object" where the subresource status is set',
    isBroken: ({ schema }) => isGiven(schema.type) && schema.type !== 'object',
  },
  {
    at: '',
    reason: 'Invalid',
    message: `must not have default, ${NOT_WITH_STATUS.join(', ')} where the subresource status is set`,
    isBroken: ({ schema }) =>
      schema.default !== undefined || NOT_WITH_STATUS.some((keyword) => isGiven(schema[keyword])),
  },
];

/** Of schemas that restrict values whose structure is declared elsewhere. */
const JUNCTOR: readonly SchemaRule[] = [
  {
    at: 'default',
    reason: 'Forbidden',
    message: 'must not be set in allOf, anyOf, oneOf and not',
    isBroken: ({ schema }) => schema.default !== undefined,
  },
  {
    at: 'type',
    reason: 'Forbidden',
    message: 'must be declared outside of allOf, anyOf, oneOf and not',
    isBroken: ({ schema, isAlternative }) => isGiven(schema.type) && !isAlternative,
  },
  {
    at: 'properties[metadata]',
    reason: 'Forbidden',
    message: 'must not be restricted in allOf, anyOf, oneOf and not',
    isBroken: ({ schema }) => hasProperty(schema, 'metadata'),
  },
  ...(
    [
      'additionalProperties',
      'title',
      'description',
      'nullable',
      PRESERVE,
      EMBEDDED,
      EITHER,
      LIST_KEYS,
      LIST_TYPE,
      MAP_TYPE,
      'x-kubernetes-validations',
    ] as const
  ).map((keyword) => forbidden(keyword, 'must not be set in allOf, anyOf, oneOf and not')),
];

/** Faults in the structure that a schema declares, without those of the schemas in it. */
export function structureFaults(place: SchemaPlace): readonly Cause[] {
  const rules = [UNSUPPORTED, place.isJunctor ? JUNCTOR : STRUCTURE, place.isRoot ? ROOT : []];
  return [...broken(rules.flat(), place), ...checkPattern(place)];
}

/** Other faults of a schema, without those of the schemas in it. */
export function usageFaults(place: SchemaPlace, hasStatus: boolean): readonly Cause[] {
  const rules = [USAGE, place.isRoot && hasStatus ? ROOT_WITH_STATUS : []];
  return [...broken(rules.flat(), place), ...checkKeys(place)];
}

function broken(rules: readonly SchemaRule[], place: SchemaPlace): readonly Cause[] {
  return rules
    .filter(({ isBroken }) => isBroken(place))
    .map(({ at, reason, message }) => causeAt(place, at, { reason: `FieldValue${reason}`, message }));
}

function checkPattern(place: SchemaPlace): readonly Cause[] {
  const { pattern = '' } = place.schema;
  if (pattern === '') return [];
  try {
    re2RegExp(pattern);
    return [];
  } catch (error) {
    const message = `must be a regular expression of RE2: ${getMessage(error)}`;
    return [causeAt(place, 'pattern', { reason: 'FieldValueInvalid', message })];
  }
}

/** Items of a list are found by their keys, so each item needs a value for each key. */
function checkKeys(place: SchemaPlace): readonly Cause[] {
  const { items } = place.schema;
  if (!isMapList(place.schema) || !isSchema(items)) return [];
  return (place.schema[LIST_KEYS] ?? []).flatMap((name) => {
    const key = hasProperty(items, name) ? items.properties?.[name] : undefined;
    if (key === undefined) return [];
    const fault = (at: string, reason: CauseReason, message: string): Cause =>
      causeAt(place, `items.properties[${name}].${at}`, { reason, message });
    const isScalar = key.type !== 'array' && key.type !== 'object';
    const isThere = key.default !== undefined || items.required?.includes(name) === true;
    return [
      ...(isScalar ? [] : [fault('type', 'FieldValueInvalid', 'must be a scalar type, as a key of a list')]),
      ...(isThere
        ? []
        : [fault('default', 'FieldValueRequired', 'must be set, or the key must be required')]),
      ...(key.nullable === true
        ? [fault('nullable', 'FieldValueForbidden', 'must not be true for a key of a list')]
        : []),
    ];
  });
}

function causeAt({ path }: SchemaPlace, at: string, fault: Omit<Cause, 'field'>): Cause {
  return { field: at === '' ? path : `${path}.${at}`, ...fault };
}

/** False for a value that has no meaning. */
function isGiven(value: unknown): boolean {
  return (
    value !== undefined && value !== '' && value !== false && !(Array.isArray(value) && value.length === 0)
  );
}

function isOther(value: string | undefined, known: readonly string[]): boolean {
  return value !== undefined && !known.includes(value);
}

function isMapList(schema: StructuralSchema): boolean {
  return schema[LIST_TYPE] === 'map';
}

function itemOfSet({ items, ...schema }: StructuralSchema): StructuralSchema | undefined {
  return schema[LIST_TYPE] === 'set' && isSchema(items) ? items : undefined;
}

function hasProperties({ properties = {} }: StructuralSchema): boolean {
  return Object.keys(properties).length > 0;
}

function hasProperty({ properties = {} }: StructuralSchema, name: string): boolean {
  return Object.hasOwn(properties, name);
}

/** The keywords of metadata that restrict nothing, or only names. */
const PLAIN = ['type', 'properties', 'default'];

function isPlainMetadata(schema: StructuralSchema = {}): boolean {
  const areNames = Object.keys(schema.properties ?? {}).every(
    (name) => name === 'name' || name === 'generateName',
  );
  return (
    areNames &&
    Object.keys(schema).every(
      (key) => PLAIN.includes(key) || (key !== 'additionalProperties' && !isGiven(schema[key])),
    )
  );
}
