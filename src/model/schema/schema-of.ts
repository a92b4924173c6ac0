import { badRequest, getMessage } from '../../errors.js';
import { BASE_FIELDS, baseProperties } from './base-schema.js';
import { Definitions } from './definitions.js';
import { findGvk } from '../declare/gvk.js';
import { referenceKeyword } from '../references/decorator.js';
import { REFERENCE } from '../references/reference.js';
import { HINTS } from './hints.js';
import { hoistRefs } from './hoist-refs.js';
import type { Json, JsonObject } from '../object.js';
import {
  getClassSchema,
  getSchemaFields,
  type Ctor,
  type SchemaTypeName,
  type ValueOptions,
} from '../declare/schema-decorator.js';
import { RULES } from '../rules/declaration.js';
import { rulesOfClass, rulesOfFields } from '../rules/rule-decorator.js';
import { KEYWORDS } from './keywords.js';
import { isJsonObject } from './schema-walk.js';
import type { ModelClass } from '../declare/model-class.js';

/**
 * OpenAPI 3 schema of a model's whole object: `apiVersion`, `kind`, `metadata`, then the declared fields (or the
 * properties of the class's `static schema`). Nested named types are under `$defs`.
 * @throws ServiceError `BadRequest` with the class, when the declaration cannot be a schema
 */
export function getSchema(model: ModelClass): JsonObject {
  const definitions = new Definitions(`model ${model.name}`);
  return withDefinitions(wholeObject(model, definitions), definitions);
}

/**
 * OpenAPI 3 schema of any class with `@Schema` fields or a `static schema`, for example the body of an endpoint; for
 * a model class, of the whole object. Nested named types are under `$defs`.
 * @throws ServiceError `BadRequest` with the class, when the declaration cannot be a schema
 */
export function schemaOfType(type: Ctor): JsonObject {
  const definitions = new Definitions(`class ${type.name}`);
  return withDefinitions(getObject(type, definitions), definitions);
}

/** The schema name of a class: that of its `@Schema({ name })`, otherwise its own. */
export function getSchemaName(type: Ctor): string {
  return getClassSchema(type).name ?? type.name;
}

function withDefinitions(schema: JsonObject, definitions: Definitions): JsonObject {
  return Object.keys(definitions.schemas).length === 0 ? schema : { ...schema, $defs: definitions.schemas };
}

function getObject(type: Ctor, definitions: Definitions): JsonObject {
  return findGvk(type) ? wholeObject(type, definitions) : ownObject(type, definitions);
}

function wholeObject(type: Ctor, definitions: Definitions): JsonObject {
  const own = ownObject(type, definitions);
  const properties = isJsonObject(own.properties) ? { ...own.properties } : {};
  for (const field of BASE_FIELDS) delete properties[field];
  const required = Array.isArray(own.required) ? own.required : [];
  return {
    ...own,
    type: 'object',
    properties: { ...baseProperties(), ...properties },
    required: [...new Set([...BASE_FIELDS, ...required])],
  };
}

function ownObject(type: Ctor, definitions: Definitions): JsonObject {
  const foreign: unknown = 'schema' in type ? type.schema : undefined;
  checkRuledFields(type, foreign === undefined, definitions);
  if (foreign === undefined) return fromFields(type, definitions);
  const schema = hoistRefs(plainSchema(foreign, definitions), definitions);
  const rules = rulesOfClass(type);
  if (rules.length === 0) return schema;
  const own = schema[RULES];
  return { ...schema, [RULES]: [...(Array.isArray(own) ? own : []), ...rules] };
}

/** Rules of fields outside the schema would be lost. */
function checkRuledFields(type: Ctor, hasFields: boolean, { subject }: Definitions): void {
  const declared = getSchemaFields(type);
  for (const name of rulesOfFields(type).keys()) {
    if (!hasFields)
      throw badRequest(
        `${subject}: @Rule on ${type.name}.${name} is ignored because the class has a static schema; put ${RULES} there`,
      );
    if (!declared.has(name))
      throw badRequest(`${subject}: @Rule on ${type.name}.${name} needs a @Schema on the same field`);
  }
}

/**
 * A copy without values that JSON cannot represent: generators leave symbols and undefined members in their schemas.
 */
function plainSchema(schema: unknown, definitions: Definitions): JsonObject {
  let copy: unknown;
  try {
    const text = JSON.stringify(schema, (_key, value: unknown) =>
      value instanceof RegExp ? value.source : value,
    );
    copy = JSON.parse(text);
  } catch (error) {
    throw badRequest(`${definitions.subject}: static schema must be JSON: ${getMessage(error)}`);
  }
  if (isJsonObject(copy)) return copy;
  throw badRequest(`${definitions.subject}: static schema must be a JSON schema object`);
}

function fromFields(type: Ctor, definitions: Definitions): JsonObject {
  const fields = [...getSchemaFields(type)];
  const required = fields.filter(([, options]) => options.requiredMode === 'REQUIRED').map(([name]) => name);
  const { title, description, example, deprecated, additionalProperties, console } = getClassSchema(type);
  const rules = rulesOfFields(type);
  const properties = fields.map(([name, options]) => {
    const where = `${definitions.subject}: ${type.name}.${name}`;
    const schema = valueSchema(options, where, definitions, rules.get(name));
    const reference = referenceKeyword(type, name, where);
    return [name, reference === undefined ? schema : { ...schema, [REFERENCE]: reference }] as const;
  });
  return compact({
    type: 'object',
    title,
    description,
    example: findJson(example, definitions.subject),
    deprecated,
    properties: properties.length === 0 ? undefined : Object.fromEntries(properties),
    required: required.length === 0 ? undefined : required,
    additionalProperties: mapValues(
      additionalProperties,
      `${definitions.subject}: ${type.name}`,
      definitions,
    ),
    ...listed(rulesOfClass(type)),
    [HINTS]: findJson(console, definitions.subject),
  });
}

function listed(rules: readonly JsonObject[]): JsonObject {
  return rules.length === 0 ? {} : { [RULES]: [...rules] };
}

function valueSchema(
  options: ValueOptions,
  where: string,
  definitions: Definitions,
  rules: readonly JsonObject[] = [],
): JsonObject {
  const attributes = { ...getAttributes(options, where, definitions), ...listed(rules) };
  const type = findType(options, where);
  if (typeof type === 'string') return { type, ...attributes };
  if (type === undefined) return attributes;
  const reference = definitions.ofClass(type, getSchemaName(type), () => getObject(type, definitions));
  // OpenAPI 3.0 ignores all keywords next to a $ref.
  return Object.keys(attributes).length === 0 ? reference : { allOf: [reference], ...attributes };
}

const OPTIONS = KEYWORDS.filter(({ isOption }) => isOption);

function getAttributes(options: ValueOptions, where: string, definitions: Definitions): JsonObject {
  const given: Readonly<Record<string, unknown>> = { ...options };
  return compact({
    description: options.description,
    format: options.format,
    ...Object.fromEntries(OPTIONS.map(({ name }) => [name, findJson(given[name], where)])),
    pattern: patternText(options.pattern, where),
    enum: options.enum && [...options.enum],
    items: options.items && valueSchema(options.items, `${where}[]`, definitions),
    additionalProperties: mapValues(options.additionalProperties, where, definitions),
    nullable: options.nullable,
    default: findJson(options.default, where),
    example: findJson(options.example, where),
    readOnly: options.readOnly,
    deprecated: options.deprecated,
    [HINTS]: findJson(options.console, where),
  });
}

function mapValues(
  values: ValueOptions['additionalProperties'],
  where: string,
  definitions: Definitions,
): Json | undefined {
  return typeof values === 'object' ? valueSchema(values, `${where}.*`, definitions) : values;
}

function patternText(pattern: string | RegExp | undefined, where: string): string | undefined {
  if (!(pattern instanceof RegExp)) return pattern;
  const flags = pattern.flags.replace(/[guvy]/g, '');
  if (flags !== '')
    throw badRequest(`${where}: the flags "${flags}" of the pattern ${String(pattern)} are not supported`);
  return pattern.source;
}

const NUMBER_FORMATS: Record<string, SchemaTypeName> = {
  int32: 'integer',
  int64: 'integer',
  float: 'number',
  double: 'number',
};

function findType(options: ValueOptions, where: string): SchemaTypeName | Ctor | undefined {
  const { type } = options;
  if (typeof type === 'string') return type;
  if (typeof type === 'function') return isClass(type) ? type : resolved(type(), where);
  if ('type' in options)
    throw badRequest(`${where}: type is ${String(type)}; use () => Class for a class that is declared later`);
  return givenType(options);
}

function givenType(options: ValueOptions): SchemaTypeName | undefined {
  if (options.items) return 'array';
  if (options.additionalProperties !== undefined) return 'object';
  const given: Readonly<Record<string, unknown>> = { ...options };
  const limits = OPTIONS.filter(({ name }) => given[name] !== undefined).map(({ of }) => of);
  if (limits.includes('string') || options.pattern !== undefined) return 'string';
  if (options.format !== undefined) return NUMBER_FORMATS[options.format] ?? 'string';
  if (limits.includes('number')) return 'number';
  if (limits.includes('array')) return 'array';
  return typeOfAll(options.enum ?? (options.default === undefined ? [] : [options.default]));
}

function typeOfAll(values: readonly unknown[]): SchemaTypeName | undefined {
  const types = new Set(values.map((value) => typeof value));
  for (const type of ['string', 'number', 'boolean'] as const)
    if (types.size === 1 && types.has(type)) return type;
  return undefined;
}

/** A class has a prototype; an arrow function that returns one does not. */
export function isClass(type: Ctor | (() => Ctor)): type is Ctor {
  return Object.hasOwn(type, 'prototype');
}

function resolved(type: unknown, where: string): Ctor {
  if (isConstructor(type)) return type;
  throw badRequest(`${where}: type must refer to a class, got ${String(type)}`);
}

export function isConstructor(type: unknown): type is Ctor {
  return typeof type === 'function' && Object.hasOwn(type, 'prototype');
}

function findJson(value: unknown, where: string): Json | undefined {
  if (value === undefined) return undefined;
  try {
    const copy: Json = JSON.parse(JSON.stringify(value)) as Json;
    return copy;
  } catch (error) {
    throw badRequest(`${where}: default, example and console must be JSON: ${getMessage(error)}`);
  }
}

function compact(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}
