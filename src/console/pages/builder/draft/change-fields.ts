import { HINTS, traitsOf } from './field-types.js';
import { newField, NO_LIMITS, type FieldDraft, type FieldType } from './model-draft.js';
import { objectAt } from '../../../lib/json.js';
import { fieldNameOf } from './names.js';

let lastId = 0;

/** An id that no stored field has. */
function newId(): string {
  return `new-${Date.now()}-${++lastId}`;
}

/** Columns that a new model gets without a choice. */
const COLUMNS_MAX = 5;

/** A new field with the switches that most people want. @param isTop false in groups */
export function addField(
  fields: readonly FieldDraft[],
  type: FieldType,
  isTop: boolean,
): readonly FieldDraft[] {
  const { isText = false, column } = traitsOf(type);
  const isFirstText = isTop && isText && !fields.some(({ isTitle }) => isTitle);
  const field: FieldDraft = {
    ...newField(type, newId()),
    isRequired: isFirstText,
    isTitle: isFirstText,
    isSearched: isFirstText,
    isColumn: isTop && column !== undefined && fields.filter((one) => one.isColumn).length < COLUMNS_MAX,
    isIndexed: isTop && ['choice', 'date', 'dateTime', 'number', 'integer'].includes(type),
    choices: [],
  };
  return [...fields, field];
}

/** A copy under another name, after the field. */
export function duplicateField(fields: readonly FieldDraft[], field: FieldDraft): readonly FieldDraft[] {
  const names = fields.map(fieldNameOf);
  const free = (n: number): string => {
    const label = `${field.label} ${n}`;
    return names.includes(fieldNameOf({ ...field, name: undefined, label })) ? free(n + 1) : label;
  };
  const copy = { ...withNewIds(field), label: free(2), name: undefined, isTitle: false };
  return fields.flatMap((one) => (one.id === field.id ? [one, copy] : [one]));
}

function withNewIds(field: FieldDraft): FieldDraft {
  return { ...field, id: newId(), fields: field.fields.map(withNewIds) };
}

/** Moves a field to another place; nothing changes for a place outside of the list. */
export function moveField(fields: readonly FieldDraft[], from: number, to: number): readonly FieldDraft[] {
  const field = fields[from];
  if (field === undefined || to < 0 || to >= fields.length) return fields;
  const others = fields.toSpliced(from, 1);
  return others.toSpliced(to, 0, field);
}

/** A field of another type, with the parts that both types have. */
export function withType(field: FieldDraft, type: FieldType): FieldDraft {
  const { index, column, isText = false, hasPreset = false, limits, core } = traitsOf(type);
  const isSameValue = traitsOf(field.type).core.type === core.type;
  const { widget: _, ...hints } = objectAt(field.kept, HINTS);
  return {
    ...field,
    type,
    preset: hasPreset && isSameValue ? field.preset : '',
    limits: limits !== undefined && isSameValue ? field.limits : NO_LIMITS,
    isMany: type === 'reference' && field.isMany,
    isIndexed: index !== undefined && field.isIndexed,
    isUnique: index !== undefined && field.isUnique,
    isColumn: column !== undefined && field.isColumn,
    isSearched: isText && field.isSearched,
    isTitle: isText && field.isTitle,
    kept: Object.keys(hints).length > 0 ? { [HINTS]: hints } : {},
  };
}

/** The fields with one title: the one that was no title before. */
export function withOneTitle(
  before: readonly FieldDraft[],
  now: readonly FieldDraft[],
): readonly FieldDraft[] {
  const titlesIn = (fields: readonly FieldDraft[]): readonly string[] =>
    fields.flatMap(({ id, isTitle, fields: below }) => [...(isTitle ? [id] : []), ...titlesIn(below)]);
  const titles = titlesIn(now);
  if (titles.length < 2) return now;
  const old = titlesIn(before);
  const kept = titles.find((id) => !old.includes(id)) ?? titles[0];
  const clear = (fields: readonly FieldDraft[]): readonly FieldDraft[] =>
    fields.map((one) => ({ ...one, isTitle: one.id === kept, fields: clear(one.fields) }));
  return clear(now);
}
