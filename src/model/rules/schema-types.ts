import { escapedName } from '../../cel/data.js';
import * as types from '../../cel/types.js';
import type { FieldType, ObjectType, Type } from '../../cel/types.js';
import type { Json, JsonObject } from '../object.js';
import { isJsonObject, schemaParts } from '../schema/schema-walk.js';
import type { RuleShape } from './shapes.js';

const SIMPLE: ReadonlyMap<unknown, Type> = new Map([
  ['boolean', types.BOOL],
  ['integer', types.INT],
  ['number', types.DOUBLE],
]);
const FORMATS: ReadonlyMap<unknown, Type> = new Map([
  ['byte', types.BYTES],
  ['duration', types.DURATION],
  ['date', types.TIMESTAMP],
  ['date-time', types.TIMESTAMP],
]);
const PRESERVES = 'x-kubernetes-preserve-unknown-fields';
/** Keywords whose schemas may declare conditional fields. */
const ALTERNATIVES = ['anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas'];

/** The types in expressions for the places of a schema, as in Kubernetes. */
export class SchemaTypes {
  readonly #known = new Map<RuleShape, Type>();

  constructor(private readonly root: JsonObject) {}

  of(shape: RuleShape): Type {
    const type = this.#known.get(shape) ?? this.#make(shape);
    this.#known.set(shape, type);
    return type;
  }

  #make(shape: RuleShape): Type {
    if (shape.all('x-kubernetes-int-or-string').includes(true)) return types.DYN;
    const [name, ...more] = namedTypes(shape);
    if (more.length > 0) return types.DYN;
    if (name === 'string') return FORMATS.get(shape.all('format')[0]) ?? types.STRING;
    if (name === 'array') return types.listType(shape.items === undefined ? types.DYN : this.of(shape.items));
    if (name === 'object') return this.#object(shape);
    return SIMPLE.get(name) ?? types.DYN;
  }

  #object(shape: RuleShape): Type {
    const fields = new Map<string, FieldType>();
    for (const [name, field] of shape.fields) addField(fields, { name, type: () => this.of(field) });
    for (const name of this.#alternativeNames(shape)) addField(fields, { name, type: () => types.DYN });
    const others = this.#others(shape);
    const type = fields.size === 0 ? types.mapType(others ?? types.DYN) : objectType(fields, others);
    return shape.all('x-kubernetes-embedded-resource').includes(true) ? resourceType(type) : type;
  }

  #others(shape: RuleShape): Type | undefined {
    if (shape.others !== undefined) return this.of(shape.others);
    const isOpen = shape.all('additionalProperties').includes(true) || shape.all(PRESERVES).includes(true);
    return isOpen || shape.all('patternProperties').length > 0 ? types.DYN : undefined;
  }

  /** Fields that the schema declares only under a condition. */
  #alternativeNames(shape: RuleShape): readonly string[] {
    const schemas = ALTERNATIVES.flatMap((keyword) => shape.all(keyword)).flatMap(schemasIn);
    return schemas
      .flatMap((schema) => schemaParts(this.root, schema))
      .flatMap(({ properties }) => (isJsonObject(properties) ? Object.keys(properties) : []));
  }
}

/**
 * An object of a model as its rules read it: always with `spec` and `status`, and with only the name of its metadata.
 */
export function modelType(type: Type): Type {
  if (type.kind !== 'object') return type;
  const unknown = (name: string): [string, FieldType] => [name, { name, type: () => types.DYN }];
  const metadata = metadataType('name');
  return {
    ...type,
    fields: new Map([
      unknown('spec'),
      unknown('status'),
      ...type.fields,
      ['metadata', { name: 'metadata', type: () => metadata }],
    ]),
  };
}

/** An object of a custom resource as its rules read it, as in Kubernetes. */
export function resourceType(type: Type): Type {
  if (type.kind !== 'object') return type;
  const metadata = metadataType('name', 'generateName');
  const texts = fieldsOf(['apiVersion', 'kind'], types.STRING);
  return {
    ...type,
    fields: new Map([...type.fields, ...texts, ['metadata', { name: 'metadata', type: () => metadata }]]),
  };
}

function metadataType(...names: readonly string[]): ObjectType {
  return objectType(fieldsOf(names, types.STRING), undefined);
}

function objectType(fields: ReadonlyMap<string, FieldType>, others: Type | undefined): ObjectType {
  return { kind: 'object', fields, others };
}

function fieldsOf(names: readonly string[], type: Type): ReadonlyMap<string, FieldType> {
  return new Map(names.map((name) => [name, { name, type: () => type }]));
}

/** Names are escaped as in Kubernetes. Plain words are available without escapes, too. */
function addField(fields: Map<string, FieldType>, field: FieldType): void {
  const { name } = field;
  for (const one of new Set([escapedName(name), name])) if (!fields.has(one)) fields.set(one, field);
}

function schemasIn(value: Json): Json[] {
  if (Array.isArray(value)) return [...value];
  // The members of dependentSchemas are schemas themselves. In any other schema this has no effect.
  return isJsonObject(value) ? [value, ...Object.values(value).filter((member) => member !== undefined)] : [];
}

/** Types without null: a field that may be null has its other type. */
function namedTypes(shape: RuleShape): readonly Json[] {
  const named = new Set(
    shape
      .all('type')
      .flat()
      .filter((type) => type !== 'null'),
  );
  if (named.has('integer') && named.has('number')) named.delete('number');
  if (named.size > 0) return [...named];
  if (shape.fields.size > 0) return ['object'];
  if (shape.items !== undefined) return ['array'];
  return typesOfValues([...shape.all('enum').flat(), ...shape.all('const')]);
}

function typesOfValues(values: readonly Json[]): readonly Json[] {
  const known = new Set(values.filter((value) => value !== null).map((value) => typeof value));
  if (known.size !== 1) return [];
  return known.has('string') ? ['string'] : known.has('boolean') ? ['boolean'] : [];
}
