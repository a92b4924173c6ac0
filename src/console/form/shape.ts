import { arrayAt, isObject, objectAt, textAt, type JsonObject } from '../lib/json.js';
import { resolved } from '../lib/schema.js';

/** The type of an input. */
export type ScalarKind = 'text' | 'integer' | 'number' | 'boolean' | 'date' | 'date-time';

export interface ScalarShape {
  readonly shape: 'scalar';
  readonly kind: ScalarKind;
  /** The only allowed values; undefined when others are allowed. */
  readonly choices: readonly unknown[] | undefined;
  /** The model whose objects' names are the values. */
  readonly target?: Target;
}

/** The target model of a reference. */
export interface Target {
  readonly group: string;
  readonly kind: string;
}

export interface GroupShape {
  readonly shape: 'group';
  readonly fields: readonly Field[];
  /** Hidden members. */
  readonly hidden?: readonly string[];
}

export type Shape =
  | ScalarShape
  /** Its schema has the limits of the list. */
  | { readonly shape: 'list'; readonly item: Shape; readonly schema: JsonObject }
  | { readonly shape: 'map'; readonly item: ScalarShape }
  | GroupShape
  /** The form displays it but cannot edit it. */
  | { readonly shape: 'other' };

/** A member of an object in a form. */
export interface Field {
  readonly name: string;
  /** Its label instead of the name; empty without one. */
  readonly title: string;
  readonly shape: Shape;
  readonly description: string;
  readonly isRequired: boolean;
  /** The default; empty without one. */
  readonly preset: string;
  /** For a field without choices; empty without an example. */
  readonly example: string;
  /** For the name of a new object. */
  readonly naming?: Naming;
}

/** The origin of a new object's name: chosen or generated. */
export type Naming = 'chosen' | 'generated';

const OTHER: Shape = { shape: 'other' };
/** Metadata that people write, except a name; the rest is for programs. */
const OF_METADATA = ['labels', 'annotations'];
const NAMES: Readonly<Record<Naming, string>> = { chosen: 'name', generated: 'generateName' };
const NOT_IN_FORM = ['apiVersion', 'kind', 'metadata', 'status'];
const COMPOSED = ['allOf', 'anyOf', 'oneOf', 'not', 'if', '$dynamicRef'];
/** The limit of fields in a form: schemas that refer to one another have thousands. */
const FIELDS_MAX = 1_000;

interface At {
  readonly root: JsonObject;
  /** The references on the path: a schema that contains itself is displayed once. */
  readonly refs: readonly unknown[];
  /** True when it is an item of an array itself, not only part of one. */
  readonly isItem: boolean;
  /** The number of fields so far. */
  readonly fields: { count: number };
}

/** The fields of a form for objects of a schema. @param naming undefined for an existing object, which keeps its name */
export function getFields(schema: JsonObject, naming: Naming | undefined): readonly Field[] {
  const at: At = { root: schema, refs: [], isItem: false, fields: { count: 0 } };
  const metadata = getField('metadata', objectAt(objectAt(schema, 'properties'), 'metadata'), at);
  const members = metadata.shape.shape === 'group' ? metadata.shape.fields : [];
  const ofMetadata = members.flatMap((field): Field[] => {
    if (naming !== undefined && field.name === NAMES[naming]) return [{ ...field, isRequired: true, naming }];
    return OF_METADATA.includes(field.name) ? [field] : [];
  });
  const shape: GroupShape = { shape: 'group', fields: ofMetadata, hidden: Object.values(NAMES) };
  const others = getMembers(schema, at).filter(({ name }) => !NOT_IN_FORM.includes(name));
  // The name is first in a new object; in an existing one, labels matter less than the rest.
  return naming !== undefined ? [{ ...metadata, shape }, ...others] : [...others, { ...metadata, shape }];
}

function getMembers(schema: JsonObject, at: At): readonly Field[] {
  const required = arrayAt(schema, 'required');
  return Object.entries(objectAt(schema, 'properties'))
    .filter(([, member]) => isObject(member))
    .map(([name, member]) => ({
      ...getField(name, isObject(member) ? member : {}, at),
      isRequired: required.includes(name),
    }));
}

function getField(name: string, given: JsonObject, at: At): Field {
  const schema = resolved(given, at.root);
  const { default: preset, example, examples } = schema;
  at.fields.count++;
  return {
    name,
    shape: getShape(given, at),
    preset: plain(preset),
    example: plain(example ?? (Array.isArray(examples) ? examples[0] : undefined)),
    title: textAt(schema, 'title') ?? '',
    description: textAt(schema, 'description') ?? '',
    isRequired: false,
  };
}

/** The text of a value that an input can display; empty for any other. */
function plain(value: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '';
}

function getShape(given: JsonObject, above: At): Shape {
  const { $ref } = given;
  const schema = resolved(given, above.root);
  const at = $ref === undefined ? above : { ...above, refs: [...above.refs, $ref] };
  const { type, additionalProperties } = schema;
  if (COMPOSED.some((word) => word in schema) || '$ref' in schema || schema.readOnly === true) return OTHER;
  const types = (Array.isArray(type) ? type : [type]).filter((one) => one !== 'null');
  if (types.length !== 1) return Array.isArray(schema.enum) && type === undefined ? getChoice(schema) : OTHER;
  const isEndless = above.refs.includes($ref) || at.fields.count > FIELDS_MAX;
  switch (types[0]) {
    case 'array':
      return isEndless ? OTHER : getList(schema, at);
    case 'object':
      if (isEndless) return OTHER;
      if (isObject(additionalProperties) && !('properties' in schema))
        return getMap(additionalProperties, at);
      return 'properties' in schema
        ? { shape: 'group', fields: getMembers(schema, { ...at, isItem: false }) }
        : OTHER;
    default:
      return getScalar(schema, types[0]);
  }
}

function getList(schema: JsonObject, at: At): Shape {
  const given = schema.items;
  if (at.isItem || !isObject(given)) return OTHER;
  const item = getShape(given, { ...at, isItem: true });
  return item.shape === 'scalar' || item.shape === 'group' ? { shape: 'list', item, schema } : OTHER;
}

function getMap(values: JsonObject, at: At): Shape {
  const item = getShape(values, at);
  return item.shape === 'scalar' ? { shape: 'map', item } : OTHER;
}

function getScalar(schema: JsonObject, type: unknown): Shape {
  if (Array.isArray(schema.enum)) return getChoice(schema);
  if (type === 'boolean') return { shape: 'scalar', kind: 'boolean', choices: [true, false] };
  if (type === 'integer' || type === 'number') return { shape: 'scalar', kind: type, choices: undefined };
  if (type !== 'string') return OTHER;
  const { format, 'x-xsvc-reference': mark } = schema;
  if (isObject(mark)) {
    const target = { group: textAt(mark, 'group') ?? '', kind: textAt(mark, 'kind') ?? '' };
    return { shape: 'scalar', kind: 'text', choices: undefined, target };
  }
  const kind = format === 'date' || format === 'date-time' ? format : 'text';
  return { shape: 'scalar', kind, choices: undefined };
}

function getChoice(schema: JsonObject): Shape {
  const choices = arrayAt(schema, 'enum').filter((one) => one !== null && typeof one !== 'object');
  return { shape: 'scalar', kind: 'text', choices };
}
