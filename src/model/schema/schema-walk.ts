import type { Json, JsonObject } from '../object.js';
import type { ValueKind } from './keyword.js';
import { KEYWORDS } from './keywords.js';

const SINGLE = keywordsWith('schema', 'schema or schemas');
const LISTS = keywordsWith('schemas', 'schema or schemas');
const MAPS = keywordsWith('schema map', 'fields', 'patterns');

function keywordsWith(...kinds: readonly ValueKind[]): ReadonlySet<string> {
  return new Set(KEYWORDS.filter(({ value }) => kinds.includes(value)).map(({ name }) => name));
}

/** True for an object that is not null and not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The elements of an array; none for any other value. */
export function getList(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** The members of an object; none for any other value. */
export function getEntries(map: Json | undefined): [string, Json][] {
  if (!isJsonObject(map)) return [];
  return Object.entries(map).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
}

/** The fields that schemas of one place declare, each with its schemas. */
export function getFields(parts: readonly JsonObject[]): ReadonlyMap<string, readonly Json[]> {
  const fields = new Map<string, Json[]>();
  for (const [name, schema] of parts.flatMap(({ properties }) => getEntries(properties)))
    fields.set(name, [...(fields.get(name) ?? []), schema]);
  return fields;
}

/** The types that a value with all these schemas may have, without null. */
export function getTypes(parts: readonly JsonObject[]): readonly string[] {
  const types = parts.flatMap(({ type }) => (Array.isArray(type) ? type : [type]));
  return [...new Set(types.filter((type) => typeof type === 'string' && type !== 'null'))].map(String);
}

/** The schemas of the first items of an array, and that of all others. */
export function getItems({ items, prefixItems, additionalItems }: JsonObject): {
  readonly tuple: readonly Json[];
  readonly rest: Json | undefined;
} {
  // Older drafts of JSON Schema state the first items in `items`.
  return Array.isArray(items)
    ? { tuple: items, rest: additionalItems }
    : { tuple: getList(prefixItems), rest: items };
}

/** The position of a schema below its parent: `['properties', 'age']`, `['allOf', '0']`, `['items']`. */
export type SchemaStep = readonly [keyword: string, member?: string];

/**
 * A copy of the schema with each direct sub-schema replaced. Values that only look like schemas (in `default`,
 * `enum`, `example`) are not visited.
 */
export function mapSubschemas(
  schema: JsonObject,
  replace: (sub: Json, step: SchemaStep) => Json,
): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, mapKeyword(keyword, value, replace)]),
  );
}

export function eachSubschema(schema: JsonObject, visit: (sub: Json, step: SchemaStep) => void): void {
  mapSubschemas(schema, (sub, step) => {
    visit(sub, step);
    return sub;
  });
}

/** The target of a JSON pointer (`#/a/b`), with the values on the path; `undefined` when it has no target. */
export function followPointer(root: JsonObject, pointer: string): readonly Json[] | undefined {
  const way: Json[] = [];
  let at: Json | undefined = root;
  for (const raw of pointer.split('/').slice(1)) {
    if (typeof at !== 'object' || at === null) return undefined;
    way.push(at);
    const step = unescapePointer(raw);
    const next: Json | undefined = Array.isArray(at)
      ? at[Number(step)]
      : Object.hasOwn(at, step)
        ? at[step]
        : undefined;
    if (next === undefined) return undefined;
    at = next;
  }
  return [...way, at];
}

/** A schema itself and all schemas added by its references and `allOf`. References are relative to the root. */
export function schemaParts(
  root: JsonObject,
  schema: Json | undefined,
  parts: JsonObject[] = [],
): readonly JsonObject[] {
  if (!isJsonObject(schema) || parts.includes(schema)) return parts;
  parts.push(schema);
  if (typeof schema.$ref === 'string') schemaParts(root, followPointer(root, schema.$ref)?.at(-1), parts);
  if (Array.isArray(schema.allOf)) for (const part of schema.allOf) schemaParts(root, part, parts);
  return parts;
}

/** Decodes one step of a JSON pointer. */
export function unescapePointer(step: string): string {
  const text = step.includes('%') ? decoded(step) : step;
  return text.replaceAll('~1', '/').replaceAll('~0', '~');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a single percent sign is not an escape
  }
}

function mapKeyword(
  keyword: string,
  value: Json | undefined,
  replace: (sub: Json, step: SchemaStep) => Json,
): Json | undefined {
  if (LISTS.has(keyword) && Array.isArray(value)) {
    return value.map((sub, i) => replace(sub, [keyword, String(i)]));
  }
  if (SINGLE.has(keyword) && value !== undefined) return replace(value, [keyword]);
  if (!MAPS.has(keyword) || !isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, sub]) =>
      // `dependencies` contains lists of names as well as schemas.
      [name, sub === undefined || Array.isArray(sub) ? sub : replace(sub, [keyword, name])],
    ),
  );
}
