import { isRecord, joinPath } from '../../lib/json/json.js';
import type { Json, JsonObject } from '../../model/object.js';

/** A configuration for people: its schema and its values without secrets. */
export interface ShownConfig {
  /** Without the fields of secrets, and without references. */
  readonly schema: JsonObject;
  /** The declared values that are no secrets. */
  readonly value: JsonObject;
  readonly secrets: readonly ConfigSecret[];
}

/** A value that is never shown. */
export interface ConfigSecret {
  /** Dotted. */
  readonly path: string;
  readonly isSet: boolean;
}

/** Deeper fields are left out: a schema may contain itself. */
const DEPTH_MAX = 8;

/**
 * Removes secrets from a configuration: fields with `writeOnly`, `format: password` or the widget `password`. Members that the schema
 * does not declare, and those of composed schemas, may be secrets, so they are left out.
 */
export function showConfig(schema: JsonObject, value: unknown): ShownConfig {
  const secrets: ConfigSecret[] = [];
  const shown = new Redaction(schema, secrets).object(schema, value, { path: '', depth: 0 });
  return { schema: shown.schema, value: shown.value ?? {}, secrets };
}

interface ConfigPlace {
  readonly path: string;
  readonly depth: number;
}

interface ShownPart<V> {
  readonly schema: JsonObject;
  readonly value: V | undefined;
}

class Redaction {
  constructor(
    private readonly root: JsonObject,
    private readonly secrets: ConfigSecret[],
  ) {}

  object(given: JsonObject, value: unknown, { path, depth }: ConfigPlace): ShownPart<JsonObject> {
    const { properties, required, $defs: _, ...rest } = given;
    const members: Record<string, Json> = {};
    const values: Record<string, Json> = {};
    for (const [name, declared] of Object.entries(isRecord(properties) ? properties : {})) {
      if (!isRecord(declared) || depth > DEPTH_MAX) continue;
      const at = { path: joinPath(path, name), depth: depth + 1 };
      const member = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
      const part = this.#member(declared, member, at);
      if (part === undefined) continue;
      define(members, name, part.schema);
      if (part.value !== undefined) define(values, name, part.value);
    }
    const kept = Array.isArray(required)
      ? required.filter((name) => typeof name === 'string' && Object.hasOwn(members, name))
      : [];
    const schema = { ...rest, properties: members, ...(kept.length > 0 && { required: kept }) };
    return { schema, value: isRecord(value) ? values : undefined };
  }

  /** Undefined for a secret. */
  #member(given: JsonObject, value: unknown, at: ConfigPlace): ShownPart<Json> | undefined {
    const schema = this.#resolve(given);
    if (isSecret(schema)) {
      this.secrets.push({ path: at.path, isSet: value !== undefined && value !== null });
      return undefined;
    }
    if (isRecord(schema.properties)) return this.object(schema, value, at);
    const { items, additionalProperties } = schema;
    if (isRecord(items)) return this.#list(schema, value, at);
    if (isRecord(additionalProperties)) return this.#map(schema, value, at);
    return { schema, value: isScalar(value) && !isComposed(schema) ? value : undefined };
  }

  #list(schema: JsonObject, value: unknown, at: ConfigPlace): ShownPart<Json> | undefined {
    const of = schema.items as JsonObject;
    const item = this.#member(of, undefined, { ...at, path: `${at.path}[]` });
    if (item === undefined) return undefined;
    const known = this.secrets.length;
    const values = (Array.isArray(value) ? value : []).map(
      (one: unknown) => this.#member(of, one, at)?.value ?? null,
    );
    this.secrets.length = known;
    return { schema: { ...schema, items: item.schema }, value: Array.isArray(value) ? values : undefined };
  }

  #map(schema: JsonObject, value: unknown, at: ConfigPlace): ShownPart<Json> | undefined {
    const of = schema.additionalProperties as JsonObject;
    const item = this.#member(of, undefined, { ...at, path: `${at.path}.*` });
    if (item === undefined) return undefined;
    const known = this.secrets.length;
    const values: Record<string, Json> = {};
    for (const [name, one] of Object.entries(isRecord(value) ? value : {}))
      define(values, name, this.#member(of, one, at)?.value ?? null);
    this.secrets.length = known;
    return {
      schema: { ...schema, additionalProperties: item.schema },
      value: isRecord(value) ? values : undefined,
    };
  }

  /** A schema in the place of a reference to it. */
  #resolve(given: JsonObject): JsonObject {
    const { $ref, ...beside } = given;
    if (typeof $ref !== 'string') return given;
    const name = $ref.replace(/^#\/\$defs\//, '');
    const { $defs } = this.root;
    const found = isRecord($defs) && Object.hasOwn($defs, name) ? $defs[name] : {};
    return { ...(isRecord(found) ? found : {}), ...beside };
  }
}

function isSecret(schema: JsonObject): boolean {
  const hints = schema['x-xsvc-console'];
  return (
    schema.writeOnly === true ||
    schema.format === 'password' ||
    (isRecord(hints) && hints.widget === 'password')
  );
}

function isComposed(schema: JsonObject): boolean {
  return ['allOf', 'anyOf', 'oneOf'].some((word) => word in schema);
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** A name such as `__proto__` is an ordinary member. */
function define(target: Record<string, Json>, name: string, value: Json): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
