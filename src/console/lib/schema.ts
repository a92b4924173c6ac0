import { arrayAt, isObject, objectAt, textAt, type JsonObject } from './json.js';

/** Represents any item of an array in the steps of a field. */
export const ITEM = '[]';

export function resolved(schema: JsonObject, root: JsonObject): JsonObject {
  const { $ref, ...own } = schema;
  if (typeof $ref !== 'string') return schema;
  const named = objectAt(objectAt(root, '$defs'), $ref.replace('#/$defs/', ''));
  return { ...named, ...own };
}

/** The title and the description of a schema, each on its own line; empty without both. */
export function aboutText(schema: JsonObject): string {
  return ['title', 'description']
    .map((name) => textAt(schema, name) ?? '')
    .filter((text) => text !== '')
    .join('\n');
}

/** The schema of a field; an empty one when it does not exist. @param field dotted */
export function schemaAt(root: JsonObject, field: string): JsonObject {
  return field
    .split('.')
    .reduce((at, name) => resolved(objectAt(objectAt(at, 'properties'), name), root), root);
}

/** A declared member of an object. */
export interface Member {
  readonly name: string;
  /** With its reference resolved. */
  readonly schema: JsonObject;
  readonly isRequired: boolean;
}

/** All schemas that may apply at a path, including the parts of composed schemas. */
export function schemasAt(root: JsonObject, path: readonly string[]): readonly JsonObject[] {
  return path.reduce<readonly JsonObject[]>(
    (found, step) => found.flatMap((schema) => getParts(memberAt(schema, step), root)),
    getParts(root, root),
  );
}

/** The declared members of schemas, each once. */
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
/** The limit of depth, because schemas may contain themselves. */
const DEPTH_MAX = 8;

/** A schema and the schemas that it is composed of. */
function getParts(given: JsonObject, root: JsonObject, depth = 0): readonly JsonObject[] {
  const schema = resolved(given, root);
  const parts = COMPOSED.flatMap((word) => arrayAt(schema, word).filter(isObject));
  if (depth >= DEPTH_MAX) return [schema];
  return [schema, ...parts.flatMap((part) => getParts(part, root, depth + 1))];
}
