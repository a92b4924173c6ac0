import type { Json, JsonObject } from '../model/object.js';
import { getApiVersion, type Resource } from '../model/resource.js';
import { getEntries, getList, isJsonObject } from '../model/schema/schema-walk.js';
import { localName } from './convert.js';

/** The limit of an example's depth; schemas may contain themselves. */
const DEPTH_MAX = 8;

const TEXTS: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  time: '08:00:00Z',
  'date-time': '2026-01-31T08:00:00Z',
  duration: 'PT1H',
  email: 'ada@example.com',
  hostname: 'www.example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://www.example.com/',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
};

/**
 * Builds an object of a model to begin with: the required members, and those with examples. A pattern without an example may refuse
 * it.
 */
export function exampleObject(
  resource: Resource,
  root: JsonObject,
  definitions: ReadonlyMap<string, JsonObject>,
): JsonObject {
  const { apiVersion: _a, kind: _k, metadata: _m, status: _s, ...properties } = getMembers(root);
  const required = getList(root.required).filter((name) => name !== 'status');
  const rest = exampleMembers({ properties, required }, definitions, 0);
  const metadata = { name: `${resource.singular}-1` };
  return { apiVersion: getApiVersion(resource), kind: resource.kind, metadata, ...rest };
}

function findExample(
  schema: Json | undefined,
  definitions: ReadonlyMap<string, JsonObject>,
  depth: number,
): Json | undefined {
  if (!isJsonObject(schema) || depth > DEPTH_MAX) return null;
  const stated = statedValue(schema);
  if (stated !== undefined) return stated;
  const name = localName(schema.$ref);
  if (name !== undefined) return findExample(definitions.get(name), definitions, depth + 1);
  const [part] = [schema.allOf, schema.anyOf, schema.oneOf].flatMap(getList);
  if (part !== undefined && schema.type === undefined && schema.properties === undefined)
    return findExample(part, definitions, depth + 1);
  return exampleOfType(schema, definitions, depth);
}

function statedValue({
  example,
  examples,
  default: fallback,
  const: fixed,
  enum: values,
}: JsonObject): Json | undefined {
  return example ?? getList(examples)[0] ?? fallback ?? fixed ?? getList(values)[0];
}

function exampleOfType(
  schema: JsonObject,
  definitions: ReadonlyMap<string, JsonObject>,
  depth: number,
): Json {
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type ?? (schema.properties === undefined ? undefined : 'object')) {
    case 'string':
      return exampleText(schema);
    case 'integer':
    case 'number':
      return exampleNumber(schema);
    case 'boolean':
      return true;
    case 'array':
      return typeof schema.minItems === 'number' && schema.minItems > 0
        ? [findExample(schema.items, definitions, depth + 1) ?? null]
        : [];
    case 'object':
      return exampleMembers(schema, definitions, depth);
    default:
      return null;
  }
}

function exampleText({ format, minLength, maxLength }: JsonObject): string {
  const text = (typeof format === 'string' ? TEXTS[format] : undefined) ?? 'text';
  const longer = typeof minLength === 'number' ? text.padEnd(Math.min(minLength, 1000), 'x') : text;
  return typeof maxLength === 'number' ? longer.slice(0, maxLength) : longer;
}

function exampleNumber({ minimum, maximum, exclusiveMinimum }: JsonObject): number {
  const isOpen = exclusiveMinimum === true || typeof exclusiveMinimum === 'number';
  const least =
    typeof exclusiveMinimum === 'number' ? exclusiveMinimum : typeof minimum === 'number' ? minimum : 1;
  const value = isOpen ? least + 1 : least;
  return typeof maximum === 'number' ? Math.min(value, maximum) : value;
}

/** Required members, and those with their own example. */
function exampleMembers(
  schema: JsonObject,
  definitions: ReadonlyMap<string, JsonObject>,
  depth: number,
): JsonObject {
  const required = new Set(getList(schema.required));
  const entries = getEntries(schema.properties).flatMap(([name, part]) => {
    const isShown = required.has(name) || (isJsonObject(part) && part.example !== undefined);
    return isShown ? [[name, findExample(part, definitions, depth + 1)] as const] : [];
  });
  return Object.fromEntries(entries);
}

function getMembers({ properties }: JsonObject): JsonObject {
  return isJsonObject(properties) ? properties : {};
}
