import { isJsonObject } from '../../../model/schema/schema-walk.js';
import {
  anything,
  flag,
  integer,
  listOf,
  mapOf,
  number,
  object,
  recordOf,
  text,
  type Read,
  type Reader,
  type ReadRecord,
} from '../reader.js';

/** Limit for schemas inside schemas. Checks and validators recurse. */
export const SCHEMA_DEPTH_MAX = 200;

const rule = recordOf({
  rule: text,
  message: text,
  messageExpression: text,
  reason: text,
  fieldPath: text,
  optionalOldSelf: flag,
});

export type DeclaredRule = Read<typeof rule>;

/** The keywords that contain no schemas, or none that Kubernetes reads. */
const KEYWORDS = {
  id: text,
  $schema: text,
  $ref: text,
  description: text,
  type: text,
  format: text,
  title: text,
  default: anything,
  maximum: number,
  exclusiveMaximum: flag,
  minimum: number,
  exclusiveMinimum: flag,
  maxLength: integer,
  minLength: integer,
  pattern: text,
  maxItems: integer,
  minItems: integer,
  uniqueItems: flag,
  multipleOf: number,
  enum: listOf(anything),
  maxProperties: integer,
  minProperties: integer,
  required: listOf(text),
  patternProperties: object,
  dependencies: object,
  additionalItems: anything,
  definitions: object,
  externalDocs: object,
  example: anything,
  nullable: flag,
  'x-kubernetes-preserve-unknown-fields': flag,
  'x-kubernetes-embedded-resource': flag,
  'x-kubernetes-int-or-string': flag,
  'x-kubernetes-list-map-keys': listOf(text),
  'x-kubernetes-list-type': text,
  'x-kubernetes-map-type': text,
  'x-kubernetes-validations': listOf(rule),
};

/** A schema of a definition, which describes the structure of objects. */
export interface StructuralSchema extends ReadRecord<typeof KEYWORDS> {
  items?: StructuralSchema | StructuralSchema[];
  allOf?: StructuralSchema[];
  oneOf?: StructuralSchema[];
  anyOf?: StructuralSchema[];
  not?: StructuralSchema;
  properties?: Record<string, StructuralSchema>;
  additionalProperties?: StructuralSchema | boolean;
}

/** Reads a schema, unless it is nested too deep. */
export const schema: Reader<StructuralSchema> = (value, path, reading) => {
  if (reading.depth >= SCHEMA_DEPTH_MAX) {
    const message = `schemas must not be nested deeper than ${SCHEMA_DEPTH_MAX} levels`;
    reading.causes.push({ field: path, reason: 'FieldValueInvalid', message });
    return undefined;
  }
  reading.depth += 1;
  const read = readMembers(value, path, reading);
  reading.depth -= 1;
  return read;
};

const schemas = listOf(schema);
const schemaOrList: Reader<StructuralSchema | StructuralSchema[]> = (value, path, reading) =>
  Array.isArray(value) ? schemas(value, path, reading) : schema(value, path, reading);
const schemaOrFlag: Reader<StructuralSchema | boolean> = (value, path, reading) =>
  typeof value === 'boolean' ? value : schema(value, path, reading);

const readMembers: Reader<StructuralSchema> = recordOf({
  ...KEYWORDS,
  items: schemaOrList,
  allOf: schemas,
  oneOf: schemas,
  anyOf: schemas,
  not: schema,
  properties: mapOf(schema),
  additionalProperties: schemaOrFlag,
});

/** True for one schema: not for a boolean, a list or nothing. */
export function isSchema(value: StructuralSchema['items'] | boolean): value is StructuralSchema {
  return isJsonObject(value);
}

export function propertyOf(
  { properties = {} }: StructuralSchema,
  name: string,
): StructuralSchema | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}
