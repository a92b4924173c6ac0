import type { Json, JsonObject } from '../object.js';
import { followPointer, getList, isJsonObject, mapSubschemas } from './schema-walk.js';

/** Every type except null. */
const NOT_NULL: readonly string[] = ['string', 'number', 'boolean', 'object', 'array'];
/** Schemas under these keywords do not by themselves make a field accept or refuse a value. */
const CONDITIONS: ReadonlySet<string> = new Set(['not', 'if']);

/** True for the list of types by which {@link refuseNulls} disallows null. */
export function isNotNull(types: unknown): boolean {
  return Array.isArray(types) && NOT_NULL.every((type) => types.includes(type));
}

/**
 * Returns the schema, in which a declared field without a type refuses null unless null is allowed. For JSON Schema a
 * missing type means any; for OpenAPI only `nullable` allows null.
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

/** True when a schema allows null. @param root the target of its references */
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
