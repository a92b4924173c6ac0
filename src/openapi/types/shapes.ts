import type { Json, JsonObject } from '../../model/object.js';
import { getEntries, getItems, getList, isJsonObject } from '../../model/schema/schema-walk.js';
import { identifier, type TypedModels, type DeclaredSchema } from './declared.js';
import { commentLines, impliedType } from './typescript-type.js';

/** A type of a language without anonymous object types. */
export type TypeShape =
  | { readonly is: 'any' | 'string' | 'boolean' | 'integer' | 'number' | 'null' }
  | { readonly is: 'literals'; readonly values: readonly (string | number | boolean)[] }
  | { readonly is: 'list' | 'map'; readonly of: TypeShape }
  | { readonly is: 'union'; readonly of: readonly TypeShape[] }
  | { readonly is: 'named'; readonly name: string };

export interface ShapeMember {
  /** As in JSON. */
  readonly name: string;
  readonly shape: TypeShape;
  readonly isRequired: boolean;
  readonly comment: readonly string[];
}

/** An object type with members, or a name for another type. */
export interface NamedShape {
  readonly name: string;
  readonly comment: readonly string[];
  readonly members?: readonly ShapeMember[];
  readonly shape?: TypeShape;
}

const ANY: TypeShape = { is: 'any' };

/** The types of models, where each object type and each choice of texts has a name. */
export function readShapes({ schemas, names }: TypedModels): NamedShape[] {
  return schemas.flatMap((declared) => new ShapeReader(declared, schemas, names).read());
}

class ShapeReader {
  readonly #named: NamedShape[] = [];

  constructor(
    private readonly declared: DeclaredSchema,
    private readonly schemas: readonly DeclaredSchema[],
    private readonly names: TypedModels['names'],
  ) {}

  /** The type itself comes first. */
  read(): NamedShape[] {
    const { name, schema } = this.declared;
    this.#declare(name, schema);
    return this.#named;
  }

  #declare(name: string, schema: JsonObject): void {
    const comment = commentLines(schema);
    const at = this.#named.length;
    this.#named.push({ name, comment });
    const whole = this.#merged(schema);
    const isObject = whole !== undefined && getEntries(whole.properties).length > 0;
    this.#named[at] = isObject
      ? { name, comment, members: this.#members(name, whole) }
      : { name, comment, shape: this.#shape(schema, name) };
  }

  /** An object type with the members of all its parts; undefined when the schema may be something else. */
  #merged(schema: Json | undefined, seen: readonly Json[] = []): JsonObject | undefined {
    if (!isJsonObject(schema) || seen.includes(schema)) return undefined;
    const { $ref, allOf, anyOf, oneOf, nullable, type = impliedType(schema) } = schema;
    if ([anyOf, oneOf].some((one) => one !== undefined) || nullable === true) return undefined;
    if (type !== undefined && type !== 'object') return undefined;
    const target = typeof $ref === 'string' ? this.#target($ref) : undefined;
    const parts = [...(target === undefined ? [] : [target]), ...getList(allOf)];
    const all = parts.map((part) => this.#merged(part, [...seen, schema]));
    if (all.includes(undefined)) return undefined;
    const wholes = [...all, schema].flatMap((part) => (part === undefined ? [] : [part]));
    return {
      ...schema,
      properties: Object.fromEntries(wholes.flatMap(({ properties }) => getEntries(properties))),
      required: wholes.flatMap(({ required }) => getList(required)),
    };
  }

  #target(ref: string): JsonObject | undefined {
    const name = this.declared.refType(ref);
    return this.schemas.find((one) => one.name === name)?.schema;
  }

  #members(owner: string, { properties, required }: JsonObject): ShapeMember[] {
    const needed = new Set(getList(required));
    const declared = getEntries(properties);
    const names = new Set(declared.map(([name]) => name));
    const others = [...needed].flatMap((name): [string, Json][] =>
      typeof name === 'string' && !names.has(name) ? [[name, true]] : [],
    );
    return [...declared, ...others].map(([name, part]) => ({
      name,
      shape: this.#shape(part, `${owner}${identifier(name)}`),
      isRequired: needed.has(name),
      comment: commentLines(part),
    }));
  }

  /** @param wanted the name of the type when it needs one */
  #shape(schema: Json | undefined, wanted: string): TypeShape {
    if (!isJsonObject(schema)) return ANY;
    const isOwn = wanted === this.declared.name;
    const shape = this.#bareShape(schema, wanted, isOwn);
    return schema.nullable === true ? union([shape, { is: 'null' }]) : shape;
  }

  #bareShape(schema: JsonObject, wanted: string, isOwn: boolean): TypeShape {
    const { $ref, allOf, anyOf, oneOf, enum: values } = schema;
    const refs = [$ref, ...getList(allOf).map((part) => (isJsonObject(part) ? part.$ref : undefined))];
    const [ref] = refs.filter((one) => typeof one === 'string');
    const bare = { ...schema, nullable: undefined };
    const isOneRef = typeof ref === 'string' && getList(allOf).length <= 1 && schema.properties === undefined;
    if (isOneRef) {
      const name = this.declared.refType(ref);
      return name === undefined ? ANY : { is: 'named', name };
    }
    const alternatives = [...getList(anyOf), ...getList(oneOf)];
    if (alternatives.length > 0)
      return union(alternatives.map((part, i) => this.#shape(part, `${wanted}${i + 1}`)));
    if (schema.const !== undefined) return literals([schema.const]);
    if (Array.isArray(values)) {
      const shape = literals(values);
      const isChoice = shape.is === 'literals' && shape.values.every((value) => typeof value === 'string');
      return isChoice && !isOwn ? this.#name(wanted, schema) : shape;
    }
    const whole = this.#merged(bare);
    if (whole !== undefined && getEntries(whole.properties).length > 0) return this.#name(wanted, bare);
    const types = [schema.type ?? impliedType(schema)].flat().filter((type) => type !== undefined);
    return union(types.map((type) => this.#typed(type, schema, wanted)));
  }

  /** Declares a type beside this one. */
  #name(wanted: string, schema: JsonObject): TypeShape {
    const name = this.names.take(wanted, () => `${wanted}Type`);
    this.#named.push(...new ShapeReader({ ...this.declared, name, schema }, this.schemas, this.names).read());
    return { is: 'named', name };
  }

  #typed(type: Json, schema: JsonObject, wanted: string): TypeShape {
    switch (type) {
      case 'string':
      case 'boolean':
      case 'integer':
      case 'number':
      case 'null':
        return { is: type };
      case 'array': {
        const { tuple, rest } = getItems(schema);
        return { is: 'list', of: tuple.length > 0 ? ANY : this.#shape(rest, wanted) };
      }
      case 'object': {
        if (getEntries(schema.properties).length > 0)
          return this.#name(wanted, { ...schema, type, nullable: undefined });
        const patterns = getEntries(schema.patternProperties).map(([, part]) => part);
        const values = [...patterns, schema.additionalProperties ?? (patterns.length > 0 ? false : true)];
        const kept = values.filter((value) => value !== false);
        return {
          is: 'map',
          of: union(kept.map((value, i) => this.#shape(value, i === 0 ? wanted : `${wanted}${i}`))),
        };
      }
      default:
        return ANY;
    }
  }
}

/** A value of the literals; null is a type, and other values have no literal. */
function literals(values: readonly Json[]): TypeShape {
  const known = values.filter(
    (value) => typeof value === 'string' || typeof value === 'boolean' || isWhole(value),
  );
  const hasNull = values.includes(null);
  if (known.length + (hasNull ? 1 : 0) < values.length) return ANY;
  const shapes: TypeShape[] = known.length === 0 ? [] : [{ is: 'literals', values: [...new Set(known)] }];
  return union(hasNull ? [...shapes, { is: 'null' }] : shapes);
}

function isWhole(value: Json): value is number {
  return Number.isSafeInteger(value);
}

/** Joins types, equal ones once. Without any it is any value. */
function union(shapes: readonly TypeShape[]): TypeShape {
  const flat = shapes.flatMap((shape) => (shape.is === 'union' ? shape.of : [shape]));
  const distinct = [...new Map(flat.map((shape) => [JSON.stringify(shape), shape])).values()];
  const [first] = distinct;
  if (first === undefined || distinct.some(({ is }) => is === 'any')) return ANY;
  return distinct.length === 1 ? first : { is: 'union', of: distinct };
}
