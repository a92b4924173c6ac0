import { arrayAt, getMember, isObject, objectAt, textAt, type JsonObject } from '../../../lib/json.js';
import { HINTS, OPEN, REFERENCE, TYPES, traitsOf } from './field-types.js';
import {
  DELETE_POLICIES,
  newField,
  NO_LIMITS,
  type FieldDraft,
  type FieldType,
  type Limits,
  type ReferenceTarget,
} from './model-draft.js';
import { labelOf } from './names.js';
import { limitWords } from './write-field.js';

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

/** Names that an object must have although it declares no such field. */
function undeclared(schema: JsonObject): readonly unknown[] {
  const declared = objectAt(schema, 'properties');
  return arrayAt(schema, 'required').filter((name) => !Object.hasOwn(declared, String(name)));
}

function readField(name: string, schema: JsonObject, base: string): FieldDraft {
  const id = `${base}/${name}`;
  const { title, description, ...rest } = schema;
  const about = {
    name,
    label: typeof title === 'string' ? title : labelOf(name),
    description: typeof description === 'string' ? description : '',
  };
  const type = findType(schema);
  const bare = { ...newField(type, id), ...about };
  if (type === 'other') return { ...bare, kept: rest };
  const isMany = type === 'reference' && schema.type === 'array';
  const content = readContent(type, schema, id);
  const preset = readPreset(type, schema.default);
  const limits = readLimits(type, isMany, schema);
  const read = { ...bare, ...content, isMany, preset, limits };
  return { ...read, kept: findKept(read, rest) };
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
  const { widget } = objectAt(schema, HINTS);
  const fits = (type: (typeof TEXTS)[number]): boolean =>
    (TYPES[type].widget === undefined || TYPES[type].widget === widget) &&
    Object.entries(TYPES[type].core).every(([word, value]) => schema[word] === value);
  return TEXTS.find(fits) ?? 'text';
}

/** Undefined for a mark that the builder would write otherwise. */
function findTarget(schema: JsonObject): ReferenceTarget | undefined {
  const { group, kind, onDelete = 'restrict', ...rest } = objectAt(schema, REFERENCE);
  const policy = DELETE_POLICIES.find((one) => one === onDelete);
  if (typeof group !== 'string' || typeof kind !== 'string' || policy === undefined) return undefined;
  return Object.keys(rest).length === 0 ? { group, kind, onDelete: policy } : undefined;
}

function readContent(type: FieldType, schema: JsonObject, id: string): Partial<FieldDraft> {
  switch (type) {
    case 'choice':
      return { choices: arrayAt(schema, 'enum').map(String) };
    case 'reference':
      return { target: findTarget(schema) };
    case 'group':
      return { fields: readFields(schema, id) };
    case 'groups':
      return { fields: readFields(objectAt(schema, 'items'), id) };
    default:
      return {};
  }
}

function readPreset(type: FieldType, preset: unknown): string {
  const { core, hasPreset } = traitsOf(type);
  const expected = core.type === 'integer' ? 'number' : core.type;
  return hasPreset === true && typeof preset === expected ? String(preset) : '';
}

function readLimits(type: FieldType, isMany: boolean, schema: JsonObject): Limits {
  const [least, most, pattern] = limitWords(type, isMany).map((word) =>
    word === undefined ? undefined : getMember(schema, word),
  );
  return {
    least: typeof least === 'number' ? String(least) : NO_LIMITS.least,
    most: typeof most === 'number' ? String(most) : NO_LIMITS.most,
    pattern: typeof pattern === 'string' ? pattern : NO_LIMITS.pattern,
  };
}

/** The keywords that the fields of a draft do not have. */
function findKept(field: FieldDraft, schema: JsonObject): JsonObject {
  const { type, isMany, preset, limits } = field;
  const { core, widget } = traitsOf(type);
  const [least, most, pattern] = limitWords(type, isMany);
  const drawn = new Set([
    ...Object.keys(core),
    ...(preset === '' ? [] : ['default']),
    ...(limits.least === '' ? [] : [least]),
    ...(limits.most === '' ? [] : [most]),
    ...(limits.pattern === '' ? [] : [pattern]),
    ...(type === 'choice' ? ['enum'] : []),
    ...(type === 'reference' ? [REFERENCE] : []),
    ...(type === 'group' ? ['properties', 'required'] : []),
    ...['items', HINTS],
  ]);
  const rest = Object.entries(schema).filter(([word]) => !drawn.has(word));
  const { widget: shown, ...others } = objectAt(schema, HINTS);
  const hints = { ...others, ...(shown !== undefined && shown !== widget && { widget: shown }) };
  const items = keptItems(type, objectAt(schema, 'items'));
  const names = type === 'group' ? undeclared(schema) : [];
  return {
    ...Object.fromEntries(rest),
    ...(names.length > 0 && { required: names }),
    ...(Object.keys(items).length > 0 && { items }),
    ...(Object.keys(hints).length > 0 && { [HINTS]: hints }),
  };
}

function keptItems(type: FieldType, items: JsonObject): JsonObject {
  const { type: _, ...rest } = items;
  if (type !== 'groups') return rest;
  const { properties: _p, required: _r, ...others } = rest;
  const names = undeclared(items);
  return { ...others, ...(names.length > 0 && { required: names }) };
}

/** The keywords of a field that the builder does not draw, for people. */
export function keptWords({ type, kept }: FieldDraft): readonly string[] {
  if (type === 'other') return [textAt(kept, 'type') ?? Object.keys(kept)[0] ?? ''];
  return Object.keys(kept);
}
