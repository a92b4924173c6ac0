import type { Json, JsonObject } from '../object.js';
import { Fallback } from '../schema/fallback.js';
import { getEntries, getList, isJsonObject } from '../schema/schema-walk.js';
import { makeChecks, type Checks } from './keywords.js';

/** The fields that every resource has, whether its schema declares them or not. */
export const RESOURCE_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** A whole object, or a resource inside one. */
export type ResourcePlace = 'object' | 'embedded';

export interface NodePlace {
  /** Default `embedded` with `x-kubernetes-embedded-resource`. */
  readonly resource?: ResourcePlace | undefined;
  /** False below lists whose items cannot be matched with earlier items. Default true. */
  readonly isMatched?: boolean;
}

/** The schemas of a junctor, each with its position. */
export interface Junctors {
  readonly all: readonly SchemaNode[];
  readonly any: readonly SchemaNode[];
  readonly one: readonly SchemaNode[];
  readonly not: SchemaNode | undefined;
}

/** A node of a structural schema, prepared for walks. Each part of it is prepared on first use. */
export class SchemaNode {
  /** Null is a value, not an absent one. */
  readonly allowsNull: boolean;
  /** Undeclared fields are kept. */
  readonly keepsUnknown: boolean;
  readonly resource: ResourcePlace | undefined;
  readonly isMatched: boolean;
  readonly default: Fallback | undefined;
  readonly hasRules: boolean;
  readonly isSet: boolean;
  /** The fields that identify an item; undefined where the list is no map. */
  readonly keys: readonly string[] | undefined;
  #fields: ReadonlyMap<string, SchemaNode> | undefined;
  #defaults: ReadonlyMap<string, Fallback> | undefined;
  #others: SchemaNode | null | undefined;
  #items: SchemaNode | undefined;
  #junctors: Junctors | null | undefined;
  #checks: Checks | undefined;

  constructor(
    readonly schema: JsonObject,
    { resource, isMatched = true }: NodePlace = {},
  ) {
    this.resource = resource ?? (schema['x-kubernetes-embedded-resource'] === true ? 'embedded' : undefined);
    this.allowsNull = schema.nullable === true;
    this.keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true;
    this.isMatched = isMatched;
    // A default of null is none.
    const { default: fallback = null } = schema;
    this.default = fallback === null ? undefined : new Fallback(fallback);
    this.hasRules = schema['x-kubernetes-validations'] !== undefined;
    const listType = schema['x-kubernetes-list-type'];
    this.isSet = listType === 'set';
    this.keys =
      listType === 'map'
        ? getList(schema['x-kubernetes-list-map-keys']).filter((key) => typeof key === 'string')
        : undefined;
  }

  get fields(): ReadonlyMap<string, SchemaNode> {
    return (this.#fields ??= new Map(
      getEntries(this.schema.properties).map(([name, schema]) => [name, this.#below(schema)]),
    ));
  }

  /** The schema of a field; undefined when it is not declared. */
  field(name: string): SchemaNode | undefined {
    return this.fields.get(name) ?? this.others;
  }

  /** The schema of fields that no declaration names. */
  get others(): SchemaNode | undefined {
    if (this.#others === undefined) {
      const { additionalProperties: others = false } = this.schema;
      this.#others = others === false ? null : this.#below(others);
    }
    return this.#others ?? undefined;
  }

  get items(): SchemaNode {
    return (this.#items ??= this.#below(
      this.schema.items ?? true,
      this.isMatched && this.keys !== undefined,
    ));
  }

  /** The declared fields with defaults. */
  get defaults(): ReadonlyMap<string, Fallback> {
    return (this.#defaults ??= new Map(
      [...this.fields].flatMap(([name, { default: value }]) => (value === undefined ? [] : [[name, value]])),
    ));
  }

  /** Undefined where it has none. */
  get junctors(): Junctors | undefined {
    if (this.#junctors === undefined) this.#junctors = this.#makeJunctors();
    return this.#junctors ?? undefined;
  }

  /** The keywords that limit a value by itself. */
  get checks(): Checks {
    return (this.#checks ??= makeChecks(this.schema));
  }

  #below(schema: Json, isMatched = this.isMatched): SchemaNode {
    return isJsonObject(schema) ? new SchemaNode(schema, { isMatched }) : ANYTHING;
  }

  #makeJunctors(): Junctors | null {
    const { allOf, anyOf, oneOf, not } = this.schema;
    if ((allOf ?? anyOf ?? oneOf ?? not) === undefined) return null;
    const all = (schemas: Json | undefined): SchemaNode[] =>
      getList(schemas).map((schema) => this.#below(schema));
    return {
      all: all(allOf),
      any: all(anyOf),
      one: all(oneOf),
      not: not === undefined ? undefined : this.#below(not),
    };
  }
}

/** Declares no fields and accepts every value, as in Kubernetes where a schema is only `true`. */
export const ANYTHING = new SchemaNode({ nullable: true });

/** The node for values of a schema, which must not change. It lives as long as the schema. */
export function nodeOf(schema: JsonObject): SchemaNode {
  return find(values, schema);
}

/** {@link nodeOf} for whole objects, which have the fields of a resource. */
export function objectNodeOf(schema: JsonObject): SchemaNode {
  return find(objects, schema, 'object');
}

const values = new WeakMap<JsonObject, SchemaNode>();
const objects = new WeakMap<JsonObject, SchemaNode>();

function find(
  nodes: WeakMap<JsonObject, SchemaNode>,
  schema: JsonObject,
  resource?: ResourcePlace,
): SchemaNode {
  const node = nodes.get(schema) ?? new SchemaNode(schema, { resource });
  nodes.set(schema, node);
  return node;
}
