import { arrayAt, getMember, isObject, objectAt, textAt, type JsonObject } from './json.js';

/** A field whose value is the name of an object of another model. */
export interface Reference {
  readonly group: string;
  readonly kind: string;
  /** The path of the field, without steps for the items of arrays. */
  readonly path: readonly string[];
}

/** The keyword that marks such a field in schemas. */
const MARK = 'x-xsvc-reference';
/** The limit of depth, because schemas that refer to one another have thousands of fields. */
const DEPTH_MAX = 8;

export function getReferences(schema: JsonObject): readonly Reference[] {
  return below(schema, { schema, path: [], open: [] });
}

interface Part {
  readonly schema: JsonObject;
  readonly path: readonly string[];
  /** The schemas that contain it. A schema that contains itself has no references. */
  readonly open: readonly JsonObject[];
}

function below(root: JsonObject, { schema, path, open }: Part): readonly Reference[] {
  const mark = schema[MARK];
  if (isObject(mark)) return [{ group: textAt(mark, 'group') ?? '', kind: textAt(mark, 'kind') ?? '', path }];
  if (open.length >= DEPTH_MAX || open.includes(schema)) return [];
  const { $ref, items } = schema;
  const named =
    typeof $ref === 'string' ? [objectAt(objectAt(root, '$defs'), $ref.replace('#/$defs/', ''))] : [];
  const parts = [...arrayAt(schema, 'allOf'), items].filter(isObject);
  const fields = Object.entries(objectAt(schema, 'properties'));
  const within = [...open, schema];
  return [
    ...[...named, ...parts].map((part) => ({ schema: part, path, open: within })),
    ...fields.flatMap(([name, field]) =>
      isObject(field) ? [{ schema: field, path: [...path, name], open: within }] : [],
    ),
  ].flatMap((part) => below(root, part));
}

/** The different texts at a path of an object, in all items of the arrays on it. */
export function valuesAt(object: unknown, path: readonly string[]): readonly string[] {
  return [...new Set(textsAt(object, path))];
}

function textsAt(value: unknown, path: readonly string[]): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => textsAt(item, path));
  const [name, ...rest] = path;
  if (name !== undefined) return textsAt(getMember(value, name), rest);
  return typeof value === 'string' ? [value] : [];
}
