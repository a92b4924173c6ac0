import type { Json, JsonObject } from '../object.js';
import { KEYWORDS } from './keywords.js';
import { isJsonObject, mapSubschemas } from './schema-walk.js';

const NAMES = new Set(KEYWORDS.filter(({ isNote }) => !isNote).map(({ name }) => name));
const COMPOSITIONS = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'const', 'if'];

/**
 * Converts an OpenAPI 3.0 or 3.1 schema to JSON Schema 2020-12: translates `nullable`, boolean `exclusiveMinimum` and
 * the tuples of older drafts, and omits descriptive keywords.
 */
export function toJsonSchema(schema: Json): JsonObject | boolean {
  if (!isJsonObject(schema)) return schema !== false;
  const known = Object.fromEntries(Object.entries(schema).filter(([keyword]) => NAMES.has(keyword)));
  const converted = bounds(tuples(mapSubschemas(known, toJsonSchema)));
  return schema.nullable === true ? orNull(converted) : converted;
}

function orNull(schema: JsonObject): JsonObject {
  if (COMPOSITIONS.every((keyword) => schema[keyword] === undefined)) {
    const type = schema.type === undefined ? undefined : [...new Set([schema.type, 'null'].flat())];
    const values = Array.isArray(schema.enum) ? [...new Set([...schema.enum, null])] : undefined;
    return { ...schema, ...(type && { type }), ...(values && { enum: values }) };
  }
  // Not anyOf: its failing branch for null would be reported, and defaults below it would not be set.
  const { default: fallback, ...rest } = schema;
  return { if: { type: 'null' }, else: rest, ...(fallback === undefined ? {} : { default: fallback }) };
}

function bounds(schema: JsonObject): JsonObject {
  const out = { ...schema };
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (typeof out[exclusive] !== 'boolean') continue;
    const isExclusive = out[exclusive] && out[bound] !== undefined;
    if (isExclusive) out[exclusive] = out[bound];
    else delete out[exclusive];
    if (isExclusive) delete out[bound];
  }
  return out;
}

function tuples(schema: JsonObject): JsonObject {
  const { items, additionalItems, ...rest } = schema;
  if (!Array.isArray(items)) return items === undefined ? rest : { ...rest, items };
  return {
    ...rest,
    prefixItems: items,
    ...(additionalItems === undefined ? {} : { items: additionalItems }),
  };
}
