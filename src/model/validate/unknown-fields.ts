import { isNested } from '../../lib/json/json.js';
import { suggest } from '../../lib/suggest.js';
import type { Json, JsonObject } from '../object.js';
import { followPointer, getEntries, getFields, getList, isJsonObject } from '../schema/schema-walk.js';
import { fieldPath } from './field-path.js';
import type { UnknownField } from '../declare/scheme.js';

const COMPOSITIONS = ['allOf', 'anyOf', 'oneOf'] as const;
const BRANCHES = ['then', 'else', 'if'] as const;

/** The common declarations of all schemas for one place; built on first use. */
interface Shape {
  /** True when unknown fields are reported: fields are declared here, and no schema describes other ones. */
  readonly closed: boolean;
  readonly names: readonly string[];
  field(name: string): Shape | undefined;
  item(index: number): Shape | undefined;
  /** True when no field of an object, or below one, can be unknown. */
  ignoresFields(): boolean;
}

interface Search {
  readonly limit: number;
  readonly found: UnknownField[];
  /** The current path: names of fields, and positions in lists. */
  readonly way: (string | number)[];
}

/**
 * Finds fields that no schema declares. This is a separate walk, not a keyword of the validator, because the parts of
 * `allOf` and the branches of `oneOf` declare fields for one another.
 */
export class UnknownFieldFinder {
  readonly #shapes = new Map<string, Shape>();
  readonly #ids = new Map<JsonObject, number>();

  /** @param schema the root, for its references */
  constructor(private readonly schema: JsonObject) {}

  /** Unknown fields in the order of the data, at most `limit`. A field below an unknown one is not listed. */
  find(data: unknown, limit: number): UnknownField[] {
    const search: Search = { limit, found: [], way: [] };
    if (isNested(data)) walk(data, this.#shapeOf([this.schema]), search);
    return search.found;
  }

  #shapeOf(schemas: readonly Json[]): Shape | undefined {
    const parts = new Set<JsonObject>();
    for (const schema of schemas) this.#flatten(schema, parts);
    if (parts.size === 0) return undefined;
    const key = [...parts].map((part) => this.#idOf(part)).join();
    const known = this.#shapes.get(key);
    if (known) return known;
    const shape = saysNothing(parts) ? ANYTHING : this.#build([...parts]);
    this.#shapes.set(key, shape);
    return shape;
  }

  #flatten(schema: Json | undefined, parts: Set<JsonObject>): void {
    if (!isJsonObject(schema) || parts.has(schema)) return;
    parts.add(schema);
    if (typeof schema.$ref === 'string')
      this.#flatten(followPointer(this.schema, schema.$ref)?.at(-1), parts);
    for (const part of COMPOSITIONS.flatMap((keyword) => getList(schema[keyword])))
      this.#flatten(part, parts);
    for (const keyword of BRANCHES) this.#flatten(schema[keyword], parts);
    for (const [, part] of getEntries(schema.dependentSchemas)) this.#flatten(part, parts);
  }

  #build(parts: readonly JsonObject[]): Shape {
    const declared = getFields(parts);
    const fields = new Map<string, Shape>();
    const others = parts.filter((part) => saysOthers(part));
    const other = once(() => (others.length === 0 ? undefined : this.#shapeOf(others.flatMap(valueSchemas))));
    const tupleLength = Math.max(...parts.map(getTupleLength));
    const items = new Map<number, Shape | undefined>();
    return {
      closed: declared.size > 0 && others.length === 0,
      names: [...declared.keys()],
      field: (name) => {
        const cached = fields.get(name);
        if (cached) return cached;
        const schemas = declared.get(name);
        if (!schemas) return other();
        const shape = this.#shapeOf(schemas) ?? ANYTHING;
        fields.set(name, shape);
        return shape;
      },
      item: (index) => {
        // All items after the tuple share a schema.
        const at = Math.min(index, tupleLength);
        if (!items.has(at)) items.set(at, this.#shapeOf(parts.flatMap((part) => itemSchemas(part, at))));
        return items.get(at);
      },
      ignoresFields: () => declared.size === 0 && (other() ?? ANYTHING) === ANYTHING,
    };
  }

  #idOf(part: JsonObject): number {
    const id = this.#ids.get(part) ?? this.#ids.size;
    this.#ids.set(part, id);
    return id;
  }
}

const ANYTHING: Shape = {
  closed: false,
  names: [],
  field: () => undefined,
  item: () => undefined,
  ignoresFields: () => true,
};

function walk(data: object, shape: Shape | undefined, search: Search): void {
  if (shape === undefined || shape === ANYTHING || search.found.length >= search.limit) return;
  if (Array.isArray(data)) walkItems(data, shape, search);
  else if (!shape.ignoresFields()) walkFields(data as Readonly<Record<string, unknown>>, shape, search);
}

function walkItems(items: readonly unknown[], shape: Shape, search: Search): void {
  for (let at = 0; at < items.length; at++) {
    const item = items[at];
    if (!isNested(item)) continue;
    search.way.push(at);
    walk(item, shape.item(at), search);
    search.way.pop();
  }
}

function walkFields(data: Readonly<Record<string, unknown>>, shape: Shape, search: Search): void {
  for (const name of Object.keys(data)) {
    const value = data[name];
    const below = shape.field(name);
    if (below === undefined && !shape.closed) continue;
    search.way.push(name);
    if (below === undefined) search.found.push(unknownField(search, name, shape.names));
    else if (isNested(value)) walk(value, below, search);
    search.way.pop();
    if (search.found.length >= search.limit) return;
  }
}

/** Limit of the unknown fields of an object that are compared with declared ones. */
export const SUGGESTED_MAX = 20;

function unknownField({ way, found }: Search, name: string, names: readonly string[]): UnknownField {
  const suggestion = found.length < SUGGESTED_MAX ? suggest(name, names) : undefined;
  const path = fieldPath(way);
  return suggestion === undefined ? { path } : { path, suggestion };
}

/** True when no schema declares a field, other fields, or items. */
function saysNothing(parts: ReadonlySet<JsonObject>): boolean {
  return [...parts].every(
    (part) =>
      getEntries(part.properties).length === 0 &&
      !saysOthers(part) &&
      part.items === undefined &&
      part.prefixItems === undefined,
  );
}

/** Computes a value on first use. */
function once<T>(compute: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => (known ??= { value: compute() }).value;
}

function saysOthers(part: JsonObject): boolean {
  return (
    part.additionalProperties !== undefined ||
    part.patternProperties !== undefined ||
    part.unevaluatedProperties !== undefined
  );
}

function valueSchemas(part: JsonObject): Json[] {
  const named = getEntries(part.patternProperties).map(([, schema]) => schema);
  return [
    ...named,
    ...[part.additionalProperties, part.unevaluatedProperties].filter((schema) => schema !== undefined),
  ];
}

function getTuple(part: JsonObject): readonly Json[] {
  return getList(part.prefixItems ?? part.items);
}

function getTupleLength(part: JsonObject): number {
  return getTuple(part).length;
}

function itemSchemas(part: JsonObject, index: number): Json[] {
  const own = getTuple(part)[index];
  if (own !== undefined) return [own];
  return isJsonObject(part.items) ? [part.items] : [];
}
