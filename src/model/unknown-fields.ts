import { joinPath } from '../lib/json.js';
import { suggest } from '../lib/suggest.js';
import type { Json, JsonObject } from './object.js';
import { followPointer, isJsonObject } from './schema-walk.js';
import type { UnknownField } from './scheme.js';

const COMPOSITIONS = ['allOf', 'anyOf', 'oneOf'] as const;
const BRANCHES = ['then', 'else', 'if'] as const;

/** What all schemas that may apply to one place declare together; built when it is reached first. */
interface Shape {
  /** Whether unknown fields are reported: fields are declared here, and nothing says what others may be. */
  readonly closed: boolean;
  readonly names: readonly string[];
  field(name: string): Shape | undefined;
  item(index: number): Shape | undefined;
}

/**
 * Finds fields that no schema declares. A separate walk and not a keyword of the validator, because the parts of
 * `allOf` and the branches of `oneOf` declare fields for one another.
 */
export class UnknownFieldFinder {
  readonly #shapes = new Map<string, Shape>();
  readonly #ids = new Map<JsonObject, number>();

  /** @param schema the root; references in it lead below it */
  constructor(private readonly schema: JsonObject) {}

  /** Unknown fields in the order of the data, at most `limit`. A field below an unknown one is not listed. */
  find(data: unknown, limit: number): UnknownField[] {
    const found: UnknownField[] = [];
    this.#walk(data, this.#shapeOf([this.schema]), '', found, limit);
    return found;
  }

  #walk(data: unknown, shape: Shape | undefined, path: string, found: UnknownField[], limit: number): void {
    if (!shape || typeof data !== 'object' || data === null || found.length >= limit) return;
    if (Array.isArray(data)) {
      const items: readonly unknown[] = data;
      items.forEach((item, i) => {
        if (isNested(item)) this.#walk(item, shape.item(i), `${path}[${i}]`, found, limit);
      });
      return;
    }
    for (const [name, value] of Object.entries(data)) {
      const below = shape.field(name);
      if (below) {
        if (isNested(value)) this.#walk(value, below, joinPath(path, name), found, limit);
      } else if (shape.closed && found.length < limit)
        found.push(unknownField(joinPath(path, name), name, shape.names));
    }
  }

  #shapeOf(schemas: readonly Json[]): Shape | undefined {
    const parts = new Set<JsonObject>();
    for (const schema of schemas) this.#flatten(schema, parts);
    if (parts.size === 0) return undefined;
    const key = [...parts].map((part) => this.#idOf(part)).join();
    const known = this.#shapes.get(key);
    if (known) return known;
    const shape = this.#build([...parts]);
    this.#shapes.set(key, shape);
    return shape;
  }

  #flatten(schema: Json | undefined, parts: Set<JsonObject>): void {
    if (!isJsonObject(schema) || parts.has(schema)) return;
    parts.add(schema);
    if (typeof schema.$ref === 'string')
      this.#flatten(followPointer(this.schema, schema.$ref)?.at(-1), parts);
    for (const keyword of COMPOSITIONS) {
      const list = schema[keyword];
      if (Array.isArray(list)) for (const part of list) this.#flatten(part, parts);
    }
    for (const keyword of BRANCHES) this.#flatten(schema[keyword], parts);
    if (isJsonObject(schema.dependentSchemas)) {
      for (const part of Object.values(schema.dependentSchemas)) this.#flatten(part, parts);
    }
  }

  #build(parts: readonly JsonObject[]): Shape {
    const declared = new Map<string, Json[]>();
    for (const part of parts) {
      for (const [name, schema] of entriesOf(part.properties)) {
        declared.set(name, [...(declared.get(name) ?? []), schema]);
      }
    }
    const fields = new Map<string, Shape>();
    const others = parts.filter((part) => saysOthers(part));
    return {
      closed: declared.size > 0 && others.length === 0,
      names: [...declared.keys()],
      field: (name) => {
        const cached = fields.get(name);
        if (cached) return cached;
        const schemas = declared.get(name);
        if (!schemas) return others.length === 0 ? undefined : this.#shapeOf(others.flatMap(valueSchemas));
        const shape = this.#shapeOf(schemas) ?? ANYTHING;
        fields.set(name, shape);
        return shape;
      },
      item: (index) => this.#shapeOf(parts.flatMap((part) => itemSchemas(part, index))),
    };
  }

  #idOf(part: JsonObject): number {
    const id = this.#ids.get(part) ?? this.#ids.size;
    this.#ids.set(part, id);
    return id;
  }
}

/** Only these have fields to look at. */
function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

const ANYTHING: Shape = { closed: false, names: [], field: () => undefined, item: () => undefined };

function unknownField(path: string, name: string, names: readonly string[]): UnknownField {
  const suggestion = suggest(name, names);
  return suggestion === undefined ? { path } : { path, suggestion };
}

function saysOthers(part: JsonObject): boolean {
  return (
    part.additionalProperties !== undefined ||
    part.patternProperties !== undefined ||
    part.unevaluatedProperties !== undefined
  );
}

function valueSchemas(part: JsonObject): Json[] {
  const named = entriesOf(part.patternProperties).map(([, schema]) => schema);
  return [
    ...named,
    ...[part.additionalProperties, part.unevaluatedProperties].filter((schema) => schema !== undefined),
  ];
}

function itemSchemas(part: JsonObject, index: number): Json[] {
  const tuple = part.prefixItems ?? part.items;
  const own = Array.isArray(tuple) ? tuple[index] : undefined;
  if (own !== undefined) return [own];
  return isJsonObject(part.items) ? [part.items] : [];
}

function entriesOf(map: Json | undefined): [string, Json][] {
  if (!isJsonObject(map)) return [];
  return Object.entries(map).flatMap(([name, schema]) => (schema === undefined ? [] : [[name, schema]]));
}
