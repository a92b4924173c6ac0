import { arrayAt, objectAt, type JsonObject } from '../../../lib/json.js';
import { HINTS, REFERENCE, traitsOf } from './field-types.js';
import type { FieldDraft } from './model-draft.js';
import { fieldNameOf, labelOf } from './names.js';

/** The members of an object schema for fields. @param kept names that must be there although no field has them */
export function writeFields(fields: readonly FieldDraft[], kept: readonly unknown[] = []): JsonObject {
  const required = [...kept, ...fields.filter(({ isRequired }) => isRequired).map(fieldNameOf)];
  return {
    properties: Object.fromEntries(fields.map((field) => [fieldNameOf(field), writeField(field)])),
    ...(required.length > 0 && { required }),
  };
}

/** The schema of a field. */
export function writeField(field: FieldDraft): JsonObject {
  const { label, description, kept } = field;
  const isUsual = label.trim() === '' || label === labelOf(fieldNameOf(field));
  const about = { ...(!isUsual && { title: label }), ...(description !== '' && { description }) };
  if (field.type === 'other') return { ...about, ...kept };
  const { core } = traitsOf(field.type);
  return { ...core, ...about, ...kept, ...writeContent(field), ...writeLimits(field), ...writeHints(field) };
}

/** The keywords that depend on the type. */
function writeContent(field: FieldDraft): JsonObject {
  const { type, choices, target, isMany, fields, preset, kept } = field;
  const items = objectAt(kept, 'items');
  const mark = target === undefined ? {} : { [REFERENCE]: target };
  switch (type) {
    case 'choice':
      return { enum: choices, ...presetOf(preset, type) };
    case 'reference':
      return isMany ? { type: 'array', items: { ...items, type: 'string' }, ...mark } : mark;
    case 'texts':
      return { items: { ...items, type: 'string' } };
    case 'group':
      return writeFields(fields, arrayAt(kept, 'required'));
    case 'groups':
      return { items: { ...items, type: 'object', ...writeFields(fields, arrayAt(items, 'required')) } };
    default:
      return presetOf(preset, type);
  }
}

function presetOf(preset: string, type: FieldDraft['type']): JsonObject {
  if (preset === '' || traitsOf(type).hasPreset !== true) return {};
  const { type: written } = traitsOf(type).core;
  if (written === 'boolean') return { default: preset === 'true' };
  return { default: written === 'string' ? preset : parseNumber(preset) };
}

/** A text that is no number stays one: the service says what is wrong with it. */
export function parseNumber(text: string): number | string {
  const value = Number(text);
  return text.trim() === '' || !Number.isFinite(value) ? text : value;
}

function writeLimits({ type, limits, isMany }: FieldDraft): JsonObject {
  const [least, most, pattern] = limitWords(type, isMany);
  return {
    ...(least !== undefined && limits.least !== '' && { [least]: parseNumber(limits.least) }),
    ...(most !== undefined && limits.most !== '' && { [most]: parseNumber(limits.most) }),
    ...(pattern !== undefined && limits.pattern !== '' && { [pattern]: limits.pattern }),
  };
}

/** The keywords of the limits of a field; empty without any. */
export function limitWords(type: FieldDraft['type'], isMany: boolean): readonly (string | undefined)[] {
  if (type === 'reference' && isMany) return traitsOf('texts').limits ?? [];
  return traitsOf(type).limits ?? [];
}

function writeHints({ type, kept }: FieldDraft): JsonObject {
  const { widget } = traitsOf(type);
  const hints = { ...objectAt(kept, HINTS), ...(widget !== undefined && { widget }) };
  return Object.keys(hints).length > 0 ? { [HINTS]: hints } : {};
}
