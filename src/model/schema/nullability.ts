import type { Json, JsonObject } from '../object.js';
import { followPointer, isJsonObject, mapSubschemas } from './schema-walk.js';

/** Every type but null. */
const NOT_NULL: readonly string[] = ['string', 'number', 'boolean', 'object', 'array'];
/** What these say of a field does not make it refuse or accept a value by itself. */
const CONDITIONS: ReadonlySet<string> = new Set(['not', 'if']);

/** Whether a list of types is how {@link refuseNulls} says that null is not allowed. */
export function isNotNull(types: unknown): boolean {
  return Array.isArray(types) && NOT_NULL.every((type) => types.includes(type));
}

/**
 * The schema, in which a declared field without a type refuses null unless it says that null is allowed: to JSON Schema
 * a missing type means any, to OpenAPI only `nullable` allows null.
 */
export function refuseNulls(schema: JsonObject): JsonObject {
  const refuse = (node: Json, isField: boolean): Json => {
    if (typeof node === 'boolean') return node && isField ? { type: [...NOT_NULL] } : node;
    if (!isJsonObject(node)) return node;
    const below = mapSubschemas(node, (sub, [keyword]) =>
      CONDITIONS.has(keyword) ? sub : refuse(sub, keyword === 'properties'),
    );
    if (!isField || node.type !== undefined || allowsNull(node, schema)) return below;
    return { ...below, type: [...NOT_NULL] };
  };
  const refused = refuse(schema, false);
  return isJsonObject(refused) ? refused : schema;
}

/** Whether a schema says that null is allowed. @param root where its references lead */
export function allowsNull(
  node: Json | undefined,
  root: JsonObject,
  passed: ReadonlySet<Json> = new Set(),
): boolean {
  if (!isJsonObject(node) || passed.has(node)) return false;
  if (node.nullable === true || node.const === null || node.default === null) return true;
  if ([node.type].flat().includes('null') || getList(node.enum).includes(null)) return true;
  const now = new Set([...passed, node]);
  const target = typeof node.$ref === 'string' ? followPointer(root, node.$ref)?.at(-1) : undefined;
  const parts = [
    target,
    node.then,
    node.else,
    ...['allOf', 'anyOf', 'oneOf'].flatMap((k) => getList(node[k])),
  ];
  return parts.some((part) => allowsNull(part, root, now));
}

function getList(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
