import { isEcmaPattern } from '../lib/linear-reg-exp.js';
import type { Json, JsonObject } from '../model/object.js';
import { NUMBERS, type ValueKind } from '../model/schema/keyword.js';
import { KEYWORDS } from '../model/schema/keywords.js';
import { getEntries, getItems, getList, isJsonObject } from '../model/schema/schema-walk.js';

/** The target in the document of a reference to the named definition; undefined when it has none. */
export type RefOf = (name: string) => string | undefined;

const LOCAL = '#/$defs/';

/** The name in a reference to `#/$defs/<name>`; undefined for any other. */
export function localName(ref: Json | undefined): string | undefined {
  return typeof ref === 'string' && ref.startsWith(LOCAL) ? ref.slice(LOCAL.length) : undefined;
}

type Check = (value: Json) => boolean;

const isText: Check = (value) => typeof value === 'string';

/** False for values that contain a reference: tools search for references everywhere, also in values. */
const isPlain: Check = (value) => !JSON.stringify(value).includes('"$ref"');

/** The kinds of values that OpenAPI 3.0.3 has in the same form. All other keywords are translated or left out. */
const SAME: Partial<Record<ValueKind, Check>> = {
  text: isText,
  format: isText,
  // OpenAPI's patterns are those of ECMAScript; others are described, see addPattern.
  pattern: (value) => typeof value === 'string' && isEcmaPattern(value),
  positive: NUMBERS.positive.accepts,
  number: NUMBERS.number.accepts,
  count: NUMBERS.count.accepts,
  flag: (value) => typeof value === 'boolean',
  values: (value) => Array.isArray(value) && value.length > 0 && isPlain(value),
  value: isPlain,
};
const CHECKS: ReadonlyMap<string, Check | undefined> = new Map(
  KEYWORDS.filter(({ notInOpenApi }) => !notInOpenApi).map(({ name, value }) => [name, SAME[value]]),
);
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'number', 'boolean', 'array', 'object']);

/**
 * Translates a schema to OpenAPI 3.0.3: lists of types, `const`, `examples`, tuples, numeric exclusive bounds and unions with null.
 * Parts without an equivalent (conditions, names of properties) are left out, so that the result never refuses a value that the
 * schema accepts.
 */
export function toOpenApi(schema: Json | undefined, findRef: RefOf): JsonObject {
  if (schema === false) return { not: {} };
  if (!isJsonObject(schema)) return {};
  const sub = (part: Json | undefined): JsonObject => toOpenApi(part, findRef);
  const out = sameKeywords(schema);
  const all: JsonObject[] = getList(schema.allOf).map(sub);
  addPattern(out, schema);
  addValues(out, schema);
  addBounds(out, schema);
  addItems(out, schema, sub);
  addProperties(out, schema, sub);
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const more = addUnion(out, schema, keyword, sub);
    if (more !== undefined) all.push(more);
  }
  addTypes(out, all, schema.type);
  if (schema.not !== undefined && schema.not !== false) out.not = sub(schema.not);
  addDiscriminator(out, schema.discriminator, findRef);
  if (schema.$ref !== undefined) all.unshift(reference(schema.$ref, findRef));
  return withParts(out, all);
}

function sameKeywords(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema).filter(
    ([keyword, value]) =>
      value !== undefined && (keyword.startsWith('x-') || CHECKS.get(keyword)?.(value) === true),
  );
  const out = Object.fromEntries(kept);
  if (out.readOnly === true && out.writeOnly === true) delete out.writeOnly;
  return out;
}

function reference($ref: Json, findRef: RefOf): JsonObject {
  const name = localName($ref);
  const target = name === undefined ? undefined : findRef(name);
  return target === undefined ? {} : { $ref: target };
}

/** In 3.0.3 a reference has no siblings, so the other keywords are wrapped around it. */
function withParts(out: JsonObject, all: readonly JsonObject[]): JsonObject {
  const [first, ...rest] = all;
  if (first === undefined) return out;
  if (rest.length === 0 && Object.keys(out).length === 0) return first;
  return { allOf: [...all], ...out };
}

/** Writes a pattern of RE2 only, with flags such as `(?i)`, into the description, because tools cannot parse it. */
function addPattern(out: JsonObject, { pattern, description }: JsonObject): void {
  if (typeof pattern !== 'string' || out.pattern !== undefined) return;
  const sentence = `Matches the RE2 pattern ${pattern}`;
  out.description = typeof description === 'string' ? `${description} (${sentence})` : sentence;
  out['x-re2-pattern'] = pattern;
}

function addValues(out: JsonObject, schema: JsonObject): void {
  if (schema.const !== undefined && isPlain(schema.const)) {
    out.enum = [schema.const];
    if (schema.const === null) out.nullable = true;
  }
  if (schema.nullable === true && Array.isArray(out.enum) && !out.enum.includes(null))
    out.enum = [...out.enum, null];
  const [example] = getList(schema.examples);
  if (out.example === undefined && example !== undefined && isPlain(example)) out.example = example;
}

/** In 3.0.3 the exclusive bounds are flags next to the bounds. */
function addBounds(out: JsonObject, schema: JsonObject): void {
  for (const [bound, exclusive, sign] of [
    ['minimum', 'exclusiveMinimum', 1],
    ['maximum', 'exclusiveMaximum', -1],
  ] as const) {
    const [value, limit] = [schema[exclusive], schema[bound]];
    if (value === true && typeof limit === 'number') out[exclusive] = true;
    if (typeof value !== 'number') continue;
    if (typeof limit === 'number' && sign * (limit - value) > 0) continue;
    out[bound] = value;
    out[exclusive] = true;
  }
}

function addItems(out: JsonObject, schema: JsonObject, sub: (part: Json | undefined) => JsonObject): void {
  const { tuple, rest } = getItems(schema);
  if (tuple.length === 0) {
    if (rest !== undefined) out.items = rest === false ? {} : sub(rest);
    if (rest === false) out.maxItems = 0;
    return;
  }
  if (rest === false) out.maxItems ??= tuple.length;
  const isOpen = rest === undefined || rest === true;
  out.items = isOpen ? {} : { anyOf: [...tuple, ...(rest === false ? [] : [rest])].map(sub) };
}

function addProperties(
  out: JsonObject,
  schema: JsonObject,
  sub: (part: Json | undefined) => JsonObject,
): void {
  const properties = getEntries(schema.properties).map(([name, part]) => [name, sub(part)] as const);
  const required = [...new Set(getList(schema.required).filter((name) => typeof name === 'string'))];
  const known = new Set(properties.map(([name]) => name));
  // Tools that check documents report a required property that is not declared.
  const missing = required.filter((name) => !known.has(name)).map((name) => [name, {}] as const);
  const all = [...properties, ...missing];
  if (all.length > 0) out.properties = Object.fromEntries(all);
  if (required.length > 0) out.required = required;
  const { additionalProperties } = schema;
  const patterns = getEntries(schema.patternProperties).map(([, part]) => part);
  if (patterns.length > 0 && additionalProperties !== undefined && additionalProperties !== true) {
    const rest = additionalProperties === false ? [] : [additionalProperties];
    out.additionalProperties = union([...patterns, ...rest].map(sub));
  } else if (typeof additionalProperties === 'boolean') out.additionalProperties = additionalProperties;
  else if (additionalProperties !== undefined) out.additionalProperties = sub(additionalProperties);
}

function union(parts: readonly JsonObject[]): JsonObject {
  const [first] = parts;
  return parts.length === 1 && first !== undefined ? first : { anyOf: [...parts] };
}

/**
 * Translates a union with null to the remaining union, marked as nullable.
 * @returns the only other schema of the union, when `out` cannot contain its members
 */
function addUnion(
  out: JsonObject,
  schema: JsonObject,
  keyword: 'anyOf' | 'oneOf',
  sub: (part: Json) => JsonObject,
): JsonObject | undefined {
  const parts = getList(schema[keyword]);
  if (parts.length === 0) return undefined;
  const others = parts.filter((part) => !isNull(part)).map(sub);
  if (others.length < parts.length) out.nullable = true;
  const [first] = others;
  if (first === undefined) out.enum = [null];
  else if (others.length > 1) out[keyword] = others;
  else if (others.length === parts.length || Object.keys(first).some((name) => name in out)) return first;
  else if (first.$ref !== undefined) return first;
  else Object.assign(out, first);
  return undefined;
}

function isNull(part: Json): boolean {
  return isJsonObject(part) && (part.type === 'null' || part.const === null);
}

function addTypes(out: JsonObject, all: JsonObject[], type: Json | undefined): void {
  const types = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === 'string');
  const named = types.filter((one) => TYPES.has(one));
  if (types.includes('null')) {
    out.nullable = true;
    if (named.length === 0) out.enum ??= [null];
  }
  const [first] = named;
  if (first === undefined) return;
  if (named.length === 1) {
    out.type = first;
    if (first === 'array') out.items ??= {};
    return;
  }
  const { items = {}, nullable } = out;
  delete out.items;
  const branches = named.map((one) => ({
    type: one,
    ...(one === 'array' ? { items } : {}),
    ...(nullable === undefined ? {} : { nullable }),
  }));
  if (out.anyOf === undefined) out.anyOf = branches;
  else all.push({ anyOf: branches });
}

function addDiscriminator(out: JsonObject, value: Json | undefined, findRef: RefOf): void {
  if (!isJsonObject(value) || typeof value.propertyName !== 'string') return;
  const mapping = getEntries(value.mapping).flatMap(([key, target]) => {
    const name = localName(target);
    const found = name === undefined ? undefined : findRef(name);
    return found === undefined ? [] : [[key, found] as const];
  });
  out.discriminator = {
    propertyName: value.propertyName,
    ...(mapping.length === 0 ? {} : { mapping: Object.fromEntries(mapping) }),
  };
}
