import { badRequest } from '../../errors.js';
import type { Definitions } from './definitions.js';
import type { JsonObject } from '../object.js';
import { eachSubschema, followPointer, isJsonObject, mapSubschemas } from './schema-walk.js';

/** The schemas that a reference may be relative to, from the outermost to the innermost. */
type Scopes = readonly [JsonObject, ...JsonObject[]];

/**
 * Converts a foreign JSON schema (written by hand, by TypeBox or by zod) to the form of all schemas here: referenced
 * schemas are under the root's `$defs`. Generators write a separate document for a part, with `$schema` or `$id` and
 * references relative to it. The position of such a document distinguishes it.
 * @throws ServiceError `BadRequest` when a reference has no target, or a target outside the schema
 */
export function hoistRefs(schema: JsonObject, definitions: Definitions): JsonObject {
  return hoist(buildRoot(schema, definitions), [schema], definitions);
}

/** A root that only refers to one of its definitions is replaced by that definition. */
function buildRoot(schema: JsonObject, definitions: Definitions): JsonObject {
  let root = schema;
  for (let n = 0; typeof root.$ref === 'string' && root.properties === undefined; n++) {
    if (n > 100)
      throw badRequest(`${definitions.subject}: the $ref ${root.$ref} of the schema refers to itself`);
    root = getTarget(root.$ref, [schema], definitions).node;
  }
  return root;
}

function hoist(node: JsonObject, outer: Scopes, definitions: Definitions): JsonObject {
  const scopes: Scopes = isScope(node) && node !== outer.at(-1) ? [...outer, node] : outer;
  const { $schema: _s, $id: _i, $anchor: _a, $defs: _d, definitions: _o, $ref, ...rest } = node;
  const out = mapSubschemas(rest, (sub) => (isJsonObject(sub) ? hoist(sub, scopes, definitions) : sub));
  if (typeof $ref !== 'string') return out;
  const target = getTarget($ref, scopes, definitions);
  const reference = definitions.ofPart(target.node, target.name, () =>
    hoist(target.node, target.scopes, definitions),
  );
  return { ...out, ...reference };
}

interface Target {
  readonly node: JsonObject;
  readonly scopes: Scopes;
  readonly name: string;
}

function getTarget(ref: string, scopes: Scopes, definitions: Definitions): Target {
  for (let depth = scopes.length; depth > 0; depth--) {
    const [first, ...more] = scopes;
    const found = targetIn(ref, [first, ...more.slice(0, depth - 1)]);
    if (found) return found;
  }
  throw badRequest(`${definitions.subject}: the $ref ${ref} of the schema does not exist`);
}

function targetIn(ref: string, scopes: Scopes): Target | undefined {
  const scope = scopes.at(-1) ?? scopes[0];
  if (ref === '#')
    return isDocument(scope) || scopes.length === 1
      ? { node: scope, scopes, name: getName(scope) }
      : undefined;
  if (!ref.startsWith('#/')) {
    const node = findById(scope, ref);
    return node && { node, scopes, name: getName(node) };
  }
  const way = followPointer(scope, ref);
  const node = way?.at(-1);
  if (!way || !isJsonObject(node)) return undefined;
  const passed = way.slice(1, -1).filter(isJsonObject).filter(isScope);
  return { node, scopes: [...scopes, ...passed], name: ref.slice(ref.lastIndexOf('/') + 1) };
}

function findById(schema: JsonObject, ref: string): JsonObject | undefined {
  if (schema.$id === ref || (typeof schema.$anchor === 'string' && `#${schema.$anchor}` === ref))
    return schema;
  let found: JsonObject | undefined;
  eachSubschema(schema, (sub) => {
    if (!found && isJsonObject(sub)) found = findById(sub, ref);
  });
  return found;
}

function getName(node: JsonObject): string {
  const text =
    typeof node.$id === 'string' ? node.$id : typeof node.title === 'string' ? node.title : 'Schema';
  return text.slice(text.lastIndexOf('/') + 1).replace(/^#/, '');
}

function isDocument(node: JsonObject): boolean {
  return typeof node.$schema === 'string' || typeof node.$id === 'string';
}

function isScope(node: JsonObject): boolean {
  return isDocument(node) || isJsonObject(node.$defs) || isJsonObject(node.definitions);
}
