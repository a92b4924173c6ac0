import { arrayAt, getMember, isObject, objectAt, textAt, type JsonObject } from '../../../lib/json.js';
import { HINTS, OPEN, REFERENCE, traitsOf } from './field-types.js';
import {
  DELETE_POLICIES,
  newField,
  type FieldDraft,
  type FieldType,
  type Limits,
  type ReferenceTarget,
} from './model-draft.js';
import { fieldNameOf, labelOf } from './names.js';

/** Keywords that describe several types, or another schema. */
const COMPOSED = [
  ...['allOf', 'anyOf', 'oneOf', 'not', '$ref', 'additionalProperties'],
  ...['x-kubernetes-int-or-string', 'x-kubernetes-embedded-resource'],
];

/** The fields of an object schema, in its order. @param base the id of the object */
export function readFields(schema: JsonObject, base: string): readonly FieldDraft[] {
  const required = arrayAt(schema, 'required');
  return Object.entries(objectAt(schema, 'properties')).map(([name, given]) => ({
    ...readField(name, isObject(given) ? given : {}, base),
    isRequired: required.includes(name),
  }));
}

/** The members of an object schema for fields. @param kept names that must be there although no field has them */
export function writeFields(fields: readonly FieldDraft[], kept: readonly unknown[] = []): JsonObject {
  const required = [...kept, ...fields.filter(({ isRequired }) => isRequired).map(fieldNameOf)];
  return {
    properties: Object.fromEntries(fields.map((field) => [fieldNameOf(field), writeField(field)])),
    ...(required.length > 0 && { required }),
  };
}

function readField(name: string, schema: JsonObject, base: string): FieldDraft {
  const id = `${base}/${name}`;
  const { title, description, ...rest } = schema;
  const type = findType(schema);
  const bare: FieldDraft = {
    ...newField(type, id),
    name,
    label: typeof title === 'string' ? title : labelOf(name),
    description: typeof description === 'string' ? description : '',
  };
  if (type === 'other') return { ...bare, kept: rest };
  const isMany = type === 'reference' && schema.type === 'array';
  const object = type === 'groups' ? objectAt(schema, 'items') : schema;
  const read: FieldDraft = {
    ...bare,
    isMany,
    choices: type === 'choice' ? arrayAt(schema, 'enum').map(String) : [],
    target: type === 'reference' ? findTarget(schema) : undefined,
    fields: type === 'group' || type === 'groups' ? readFields(object, id) : [],
    preset: readPreset(type, schema.default),
    limits: readLimits(type, isMany, schema),
  };
  return { ...read, kept: without(rest, writeField(read)) };
}

export function writeField(field: FieldDraft): JsonObject {
  const { type, label, description, kept } = field;
  const isUsual = label.trim() === '' || label === labelOf(fieldNameOf(field));
  const about = { ...(!isUsual && { title: label }), ...(description !== '' && { description }) };
  if (type === 'other') return { ...about, ...kept };
  const { core, widget } = traitsOf(type);
  const hints = { ...objectAt(kept, HINTS), ...(widget !== undefined && { widget }) };
  return {
    ...core,
    ...about,
    ...kept,
    ...writeContent(field),
    ...writePreset(field),
    ...writeLimits(field),
    ...(Object.keys(hints).length > 0 && { [HINTS]: hints }),
  };
}

/** The keywords that depend on the type. */
function writeContent({ type, choices, target, isMany, fields, kept }: FieldDraft): JsonObject {
  const items = objectAt(kept, 'items');
  switch (type) {
    case 'choice':
      return { enum: choices };
    case 'reference':
      return {
        ...(isMany && { type: 'array', items: { ...items, type: 'string' } }),
        ...(target !== undefined && { [REFERENCE]: target }),
      };
    case 'texts':
      return { items: { ...items, type: 'string' } };
    case 'group':
      return writeFields(fields, arrayAt(kept, 'required'));
    case 'groups':
      return { items: { ...items, type: 'object', ...writeFields(fields, arrayAt(items, 'required')) } };
    default:
      return {};
  }
}

/** The keywords of a schema that a field does not write: the builder does not draw them. */
function without(schema: JsonObject, written: JsonObject): JsonObject {
  const kept = Object.entries(schema).map(([word, value]): readonly [string, unknown] => {
    if (word === 'items' || word === HINTS) {
      const members = without(objectAt(schema, word), objectAt(written, word));
      return [word, Object.keys(members).length > 0 ? members : undefined];
    }
    if (word === 'required') {
      const names = undeclared(schema);
      return [word, names.length > 0 ? names : undefined];
    }
    const isDrawn = word in written && (word !== 'widget' || value === written.widget);
    return [word, isDrawn ? undefined : value];
  });
  return Object.fromEntries<unknown>(kept.filter(([, value]) => value !== undefined));
}

/** Names that an object must have although it declares no such field. */
export function undeclared(schema: JsonObject): readonly unknown[] {
  const declared = objectAt(schema, 'properties');
  return arrayAt(schema, 'required').filter((name) => !Object.hasOwn(declared, String(name)));
}

function findType(schema: JsonObject): FieldType {
  const { type } = schema;
  if (COMPOSED.some((word) => word in schema)) return 'other';
  if (schema[OPEN] === true && !('properties' in schema) && !('items' in schema)) return 'json';
  if (type === 'number' || type === 'integer' || type === 'boolean') return type;
  if (type === 'object') return 'properties' in schema ? 'group' : 'other';
  if (type === 'array') return typeOfList(schema);
  return type === 'string' ? typeOfText(schema) : 'other';
}

function typeOfList(schema: JsonObject): FieldType {
  const items = objectAt(schema, 'items');
  if (COMPOSED.some((word) => word in items)) return 'other';
  if (items.type === 'string') return findTarget(schema) === undefined ? 'texts' : 'reference';
  return items.type === 'object' && 'properties' in items ? 'groups' : 'other';
}

/** Types with more keywords come first. */
const TEXTS = ['color', 'image', 'markdown', 'longText', 'email', 'url', 'date', 'dateTime'] as const;

function typeOfText(schema: JsonObject): FieldType {
  if (findTarget(schema) !== undefined) return 'reference';
  const choices = arrayAt(schema, 'enum');
  if (choices.length > 0 && choices.every((one) => typeof one === 'string')) return 'choice';
  const given = objectAt(schema, HINTS).widget;
  const fits = (type: (typeof TEXTS)[number]): boolean => {
    const { widget = given, core } = traitsOf(type);
    return widget === given && Object.entries(core).every(([word, value]) => schema[word] === value);
  };
  return TEXTS.find(fits) ?? 'text';
}

/** Undefined for a mark that the builder would write otherwise. */
function findTarget(schema: JsonObject): ReferenceTarget | undefined {
  const { group, kind, onDelete = 'restrict', ...rest } = objectAt(schema, REFERENCE);
  const policy = DELETE_POLICIES.find((one) => one === onDelete);
  if (typeof group !== 'string' || typeof kind !== 'string' || policy === undefined) return undefined;
  return Object.keys(rest).length === 0 ? { group, kind, onDelete: policy } : undefined;
}

function readPreset(type: FieldType, preset: unknown): string {
  const { core, hasPreset } = traitsOf(type);
  const expected = core.type === 'integer' ? 'number' : core.type;
  return hasPreset === true && typeof preset === expected ? String(preset) : '';
}

function writePreset({ type, preset }: FieldDraft): JsonObject {
  const { core, hasPreset } = traitsOf(type);
  if (preset === '' || hasPreset !== true) return {};
  if (core.type === 'boolean') return { default: preset === 'true' };
  return { default: core.type === 'string' ? preset : parseNumber(preset) };
}

/** The keywords of the limits of a field; empty without any. */
export function limitWords(type: FieldType, isMany: boolean): readonly (string | undefined)[] {
  return traitsOf(isMany ? 'texts' : type).limits ?? [];
}

function readLimits(type: FieldType, isMany: boolean, schema: JsonObject): Limits {
  const [least, most, pattern] = limitWords(type, isMany).map((word = '') => getMember(schema, word));
  return {
    least: typeof least === 'number' ? String(least) : '',
    most: typeof most === 'number' ? String(most) : '',
    pattern: typeof pattern === 'string' ? pattern : '',
  };
}

function writeLimits({ type, isMany, limits: { least, most, pattern } }: FieldDraft): JsonObject {
  const values = [parseNumber(least), parseNumber(most), pattern];
  const words = limitWords(type, isMany).map((word = '', i) => [word, values[i]] as const);
  return Object.fromEntries(words.filter(([, value]) => value !== ''));
}

/** A text that is no number stays one: the service says what is wrong with it. */
function parseNumber(text: string): number | string {
  const value = Number(text);
  return text.trim() === '' || !Number.isFinite(value) ? text : value;
}

/** The keywords of a field that the builder does not draw, for people. */
export function keptWords({ type, kept }: FieldDraft): readonly string[] {
  if (type === 'other') return [textAt(kept, 'type') ?? Object.keys(kept)[0] ?? ''];
  return Object.keys(kept);
}
