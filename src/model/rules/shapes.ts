import type { Json, JsonObject } from '../object.js';
import { getFields, isJsonObject, schemaParts } from '../schema/schema-walk.js';

/**
 * All schemas that apply to one place of the data: one schema, those that it refers to, and those that it is composed
 * of.
 */
export class RuleShape {
  #fields: ReadonlyMap<string, RuleShape> | undefined;

  constructor(
    private readonly shapes: Shapes,
    readonly parts: readonly JsonObject[],
  ) {}

  /** The values of a keyword in all parts that have it. */
  all(keyword: string): Json[] {
    return this.parts.flatMap((part) => {
      const value = part[keyword];
      return value === undefined ? [] : [value];
    });
  }

  /** The declared fields, by their names in the data. */
  get fields(): ReadonlyMap<string, RuleShape> {
    return (this.#fields ??= this.#declared());
  }

  /** The schema of fields with other names; undefined when no schema declares them. */
  get others(): RuleShape | undefined {
    return this.#of('additionalProperties');
  }

  get items(): RuleShape | undefined {
    return this.#of('items');
  }

  #of(keyword: string): RuleShape | undefined {
    const schemas = this.all(keyword).filter(isJsonObject);
    return schemas.length === 0 ? undefined : this.shapes.of(schemas);
  }

  #declared(): ReadonlyMap<string, RuleShape> {
    return new Map([...getFields(this.parts)].map(([name, all]) => [name, this.shapes.of(all)]));
  }
}

/** The shapes of a schema's places. Places with the same schemas share one shape, so that recursion ends. */
export class Shapes {
  readonly #byKey = new Map<string, RuleShape>();
  readonly #ids = new Map<JsonObject, number>();

  constructor(private readonly root: JsonObject) {}

  of(schemas: readonly Json[]): RuleShape {
    const parts = [...new Set(schemas.flatMap((schema) => schemaParts(this.root, schema)))];
    const key = parts.map((part) => this.#idOf(part)).join();
    const shape = this.#byKey.get(key) ?? new RuleShape(this, parts);
    this.#byKey.set(key, shape);
    return shape;
  }

  #idOf(part: JsonObject): number {
    const id = this.#ids.get(part) ?? this.#ids.size;
    this.#ids.set(part, id);
    return id;
  }
}
