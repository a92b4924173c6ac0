import { arrayAt, objectAt, type JsonObject } from '../../../lib/json.js';
import { HINTS, isGroup, REFERENCE } from '../draft/field-types.js';
import type { FieldDraft, FieldType } from '../draft/model-draft.js';
import { fieldNameOf, toKind } from '../draft/names.js';
import { writeField } from '../draft/field-schema.js';
import { key, toCode } from './code.js';

/** A class of the code, with the classes that it needs before it. */
export interface ClassCode {
  readonly lines: readonly string[];
  readonly name: string;
  /** Keywords that decorators cannot express. */
  readonly leftOut: readonly string[];
}

/** The keywords that `@Schema` has as attributes. */
const ATTRIBUTES = [
  ...['type', 'title', 'description', 'minLength', 'maxLength', 'minimum', 'maximum', 'format', 'pattern'],
  ...['enum', 'minItems', 'maxItems', 'uniqueItems', 'nullable', 'default', 'example', 'deprecated'],
];
/** Keywords that have another form in code, or no meaning for plugins. */
const KNOWN = ['items', 'properties', 'required', HINTS, REFERENCE, 'x-kubernetes-preserve-unknown-fields'];

const TYPES: Readonly<Partial<Record<FieldType, string>>> = {
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  texts: 'string[]',
  json: 'unknown',
  other: 'unknown',
};

/** The class for the fields of an object. */
export function classOf(name: string, fields: readonly FieldDraft[]): ClassCode {
  const parts = fields.map((field) => fieldCode(name, field));
  const own = [
    `class ${name} {`,
    ...parts.flatMap(({ member }) => member.map((line) => `  ${line}`)),
    '}',
    '',
  ];
  return {
    name,
    lines: [...parts.flatMap(({ before }) => before), ...own],
    leftOut: parts.flatMap(({ leftOut }) => leftOut),
  };
}

interface FieldCode {
  /** Classes of nested objects. */
  readonly before: readonly string[];
  readonly member: readonly string[];
  readonly leftOut: readonly string[];
}

function fieldCode(parent: string, field: FieldDraft): FieldCode {
  const { type, isMany, isRequired } = field;
  const name = fieldNameOf(field);
  const nested = isGroup(type)
    ? classOf(`${parent.replace(/Spec$/, '')}${toKind(name) || 'Part'}`, field.fields)
    : undefined;
  const schema = type === 'other' ? {} : writeField(field);
  const mark = isRequired ? '!' : '?';
  const decorators = [
    ...referenceCode(field),
    `@Schema(${toCode(attributes(schema, isRequired, nested))})`,
  ].map((line) => (nested === undefined ? line : line.replaceAll(`'class ${nested.name}'`, nested.name)));
  return {
    before: nested?.lines ?? [],
    member: [...decorators, `${key(name)}${mark}: ${typeOf(type, isMany, nested?.name)};`],
    leftOut: [...leftOut(field, schema), ...(nested?.leftOut ?? [])],
  };
}

function typeOf(type: FieldType, isMany: boolean, nested: string | undefined): string {
  if (nested !== undefined) return type === 'groups' ? `${nested}[]` : nested;
  return isMany ? 'string[]' : (TYPES[type] ?? 'string');
}

/** @param nested its name is a mark here, because code is no value */
function attributes(schema: JsonObject, isRequired: boolean, nested: ClassCode | undefined): JsonObject {
  const given = Object.fromEntries(
    ATTRIBUTES.flatMap((word) => (word in schema ? [[word, schema[word]]] : [])),
  );
  const items = objectAt(schema, 'items');
  const hints = objectAt(schema, HINTS);
  const isList = schema.type === 'array';
  const ofClass = nested === undefined ? undefined : `class ${nested.name}`;
  return {
    ...given,
    ...(ofClass !== undefined && !isList && { type: ofClass }),
    ...(isList && { items: ofClass === undefined ? attributes(items, false, undefined) : { type: ofClass } }),
    ...(isRequired && { requiredMode: 'REQUIRED' }),
    ...(Object.keys(hints).length > 0 && { console: hints }),
  };
}

function referenceCode({ target }: FieldDraft): readonly string[] {
  if (target === undefined) return [];
  const { group, kind, onDelete } = target;
  return [`@Reference({ to: ${toCode({ group, kind })}, onDelete: ${toCode(onDelete)} })`];
}

function leftOut(field: FieldDraft, schema: JsonObject): readonly string[] {
  const name = fieldNameOf(field);
  if (field.type === 'other') return [`${name}: ${Object.keys(field.kept).join(', ')}`];
  const names = arrayAt(field.kept, 'required');
  const words = Object.keys(schema).filter((word) => !ATTRIBUTES.includes(word) && !KNOWN.includes(word));
  return [...words.map((word) => `${name}: ${word}`), ...(names.length > 0 ? [`${name}: required`] : [])];
}
