import { arrayAt, objectAt, type JsonObject } from '../../../lib/json.js';
import { quote } from '../../../lib/snippets.js';
import { HINTS, isGroup, REFERENCE } from '../draft/field-types.js';
import type { FieldDraft, FieldType, ReferenceTarget } from '../draft/model-draft.js';
import { fieldNameOf, toKind } from '../draft/names.js';
import { writeField } from '../draft/field-schema.js';

/** A class of the code, with the classes that it needs before it. */
interface ClassCode {
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

export function classOf(name: string, fields: readonly FieldDraft[]): ClassCode {
  const parts = fields.map((field) => fieldCode(name, field));
  const members = parts.flatMap(({ member }) => member.map((line) => `  ${line}`));
  return {
    name,
    lines: [...parts.flatMap(({ before }) => before), `class ${name} {`, ...members, '}', ''],
    leftOut: parts.flatMap((part) => part.leftOut),
  };
}

interface FieldCode {
  /** Classes of nested objects. */
  readonly before: readonly string[];
  readonly member: readonly string[];
  readonly leftOut: readonly string[];
}

function fieldCode(parent: string, field: FieldDraft): FieldCode {
  const { type, isMany, isRequired, target } = field;
  const name = fieldNameOf(field);
  const nested = isGroup(type)
    ? classOf(`${parent.replace(/Spec$/, '')}${toKind(name) || 'Part'}`, field.fields)
    : undefined;
  const schema = type === 'other' ? {} : writeField(field);
  return {
    before: nested?.lines ?? [],
    member: [
      ...(target === undefined ? [] : [referenceCode(target)]),
      `@Schema(${toCode(attributes(schema, isRequired, nested?.name))})`,
      `${key(name)}${isRequired ? '!' : '?'}: ${typeOf(type, isMany, nested?.name)};`,
    ],
    leftOut: [...leftOut(field, schema), ...(nested?.leftOut ?? [])],
  };
}

function referenceCode({ group, kind, onDelete }: ReferenceTarget): string {
  return `@Reference({ to: ${toCode({ group, kind })}, onDelete: ${toCode(onDelete)} })`;
}

function typeOf(type: FieldType, isMany: boolean, nested: string | undefined): string {
  if (nested !== undefined) return type === 'groups' ? `${nested}[]` : nested;
  return isMany ? 'string[]' : (TYPES[type] ?? 'string');
}

/** The attributes of `@Schema`. @param nested the class of a nested object */
function attributes(schema: JsonObject, isRequired = false, nested?: string): JsonObject {
  const given = ATTRIBUTES.filter((word) => word in schema).map((word) => [word, schema[word]] as const);
  const hints = objectAt(schema, HINTS);
  const ofClass = nested === undefined ? undefined : { type: new Code(nested) };
  return {
    ...Object.fromEntries(given),
    ...(schema.type === 'array' ? { items: ofClass ?? attributes(objectAt(schema, 'items')) } : ofClass),
    ...(isRequired && { requiredMode: 'REQUIRED' }),
    ...(Object.keys(hints).length > 0 && { console: hints }),
  };
}

function leftOut(field: FieldDraft, schema: JsonObject): readonly string[] {
  const name = fieldNameOf(field);
  if (field.type === 'other') return [`${name}: ${Object.keys(field.kept).join(', ')}`];
  const names = arrayAt(field.kept, 'required');
  const words = Object.keys(schema).filter((word) => !ATTRIBUTES.includes(word) && !KNOWN.includes(word));
  return [...words.map((word) => `${name}: ${word}`), ...(names.length > 0 ? [`${name}: required`] : [])];
}

/** A part of a value that is code already, such as the name of a class. */
class Code {
  constructor(readonly text: string) {}
}

/** A value as code: JSON with plain keys and single quotes. */
export function toCode(value: unknown): string {
  if (value instanceof Code) return value.text;
  if (Array.isArray(value)) return `[${value.map(toCode).join(', ')}]`;
  if (typeof value === 'string') return quote(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).map(([name, member]) => `${key(name)}: ${toCode(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** A name of a property. */
function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== '__proto__' ? name : quote(name);
}

/** An access to a member that may be absent: `o.spec?.size?.unit`. */
export function accessTo(way: readonly string[]): string {
  return way.reduce(
    (path, name) => path + (/^[A-Za-z_$][\w$]*$/.test(name) ? `?.${name}` : `?.[${quote(name)}]`),
    'o.spec',
  );
}
