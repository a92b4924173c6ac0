import { isObject, objectAt, textAt, type JsonObject } from '../../lib/json.js';

/** A field whose value is the name of an object of another model. */
export interface Reference {
  readonly group: string;
  readonly kind: string;
  /** The path of the field; for several names that of the array. */
  readonly path: readonly string[];
}

/** The keyword that marks such a field in schemas. */
const MARK = 'x-xsvc-reference';
/** The limit of depth, because schemas may contain themselves. */
const DEPTH_MAX = 8;

/** All references of a model. */
export function getReferences(schema: JsonObject): readonly Reference[] {
  return below(schema, { schema, path: [], depth: 0 });
}

interface Part {
  readonly schema: JsonObject;
  readonly path: readonly string[];
  readonly depth: number;
}

function below(root: JsonObject, { schema, path, depth }: Part): readonly Reference[] {
  const mark = schema[MARK];
  if (isObject(mark)) return [{ group: textAt(mark, 'group') ?? '', kind: textAt(mark, 'kind') ?? '', path }];
  if (depth >= DEPTH_MAX) return [];
  const { $ref, allOf } = schema;
  const named =
    typeof $ref === 'string' ? [objectAt(objectAt(root, '$defs'), $ref.replace('#/$defs/', ''))] : [];
  const parts = Array.isArray(allOf) ? allOf.filter(isObject) : [];
  const fields = Object.entries(objectAt(schema, 'properties'));
  return [
    ...[...named, ...parts].map((part) => ({ schema: part, path, depth: depth + 1 })),
    ...fields.flatMap(([name, field]) =>
      isObject(field) ? [{ schema: field, path: [...path, name], depth: depth + 1 }] : [],
    ),
  ].flatMap((part) => below(root, part));
}

/** The texts at a path of an object. */
export function valuesAt(object: JsonObject, path: readonly string[]): readonly string[] {
  let value: unknown = object;
  for (const name of path) value = isObject(value) ? value[name] : undefined;
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((one) => typeof one === 'string');
}
