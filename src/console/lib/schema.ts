import { arrayAt, isObject, objectAt, type JsonObject } from './json.js';

/** Stands for any item of an array, where a field is named by its steps. */
export const ITEM = '[]';

/** A schema with what its reference names. */
export function resolved(schema: JsonObject, root: JsonObject): JsonObject {
  const { $ref, ...own } = schema;
  if (typeof $ref !== 'string') return schema;
  const named = objectAt(objectAt(root, '$defs'), $ref.replace('#/$defs/', ''));
  return { ...named, ...own };
}

/** The schema of a field; an empty one where there is none. @param field dotted */
export function schemaAt(root: JsonObject, field: string): JsonObject {
  return field
    .split('.')
    .reduce((at, name) => resolved(objectAt(objectAt(at, 'properties'), name), root), root);
}

/** A member of an object that a schema names. */
export interface Member {
  readonly name: string;
  /** With what its reference names. */
  readonly schema: JsonObject;
  readonly isRequired: boolean;
}

/** All that may stand at a place, by the parts of a composed schema too. */
export function schemasAt(root: JsonObject, path: readonly string[]): readonly JsonObject[] {
  return path.reduce<readonly JsonObject[]>(
    (found, step) => found.flatMap((schema) => getParts(memberAt(schema, step), root)),
    getParts(root, root),
  );
}

/** The members that are named by schemas, each once. */
export function getMembers(schemas: readonly JsonObject[], root: JsonObject): readonly Member[] {
  const members = new Map<string, Member>();
  for (const schema of schemas) {
    const required = arrayAt(schema, 'required');
    for (const [name, member] of Object.entries(objectAt(schema, 'properties'))) {
      const known = members.get(name);
      const isRequired = required.includes(name) || known?.isRequired === true;
      const own = resolved(isObject(member) ? member : {}, root);
      members.set(name, { name, schema: known?.schema ?? own, isRequired });
    }
  }
  return [...members.values()];
}

function memberAt(schema: JsonObject, step: string): JsonObject {
  if (step === ITEM) return objectAt(schema, 'items');
  const properties = objectAt(schema, 'properties');
  return Object.hasOwn(properties, step)
    ? objectAt(properties, step)
    : objectAt(schema, 'additionalProperties');
}

const COMPOSED = ['allOf', 'anyOf', 'oneOf'];
/** Schemas may contain themselves. */
const DEPTH_MAX = 8;

/** A schema and what it is composed of. */
function getParts(given: JsonObject, root: JsonObject, depth = 0): readonly JsonObject[] {
  const schema = resolved(given, root);
  const parts = COMPOSED.flatMap((word) => arrayAt(schema, word).filter(isObject));
  if (depth >= DEPTH_MAX) return [schema];
  return [schema, ...parts.flatMap((part) => getParts(part, root, depth + 1))];
}
