import type { Cause } from '../../../api/errors.js';
import type { JsonObject } from '../../../lib/json.js';
import { columnsOf, indexItems, INDEXES, pathIn, SEARCH, storageAt } from './definition-parts.js';
import type { FieldDraft, PlacedField } from './model-draft.js';
import { fieldNameOf, pathOf } from './names.js';
import { placedFields } from './placed-fields.js';

/** A reason why a draft cannot be saved. */
export interface DraftProblem {
  /** The id of the field; undefined for the model. */
  readonly fieldId: string | undefined;
  /** The part of the model or field: `plural`, `choices`, `pattern`. Empty for the whole. */
  readonly part: string;
  readonly message: string;
}

/** The problems of a draft for the causes of a refusal, in the same order. */
export function problemsOf(
  causes: readonly Cause[],
  fields: readonly FieldDraft[],
  sent: JsonObject,
): readonly DraftProblem[] {
  return causes.map((cause) => ({ ...placeOf(cause, fields, sent), message: cause.message }));
}

type Place = Omit<DraftProblem, 'message'>;

const MODEL: Place = { fieldId: undefined, part: '' };

function placeOf({ field, message }: Cause, fields: readonly FieldDraft[], sent: JsonObject): Place {
  const version = `spec.versions[${storageAt(sent)}]`;
  const root = `${version}.schema.openAPIV3Schema`;
  const [, name] = /^spec\.names\.(\w+)/.exec(field) ?? [];
  if (name !== undefined) return { ...MODEL, part: name === 'listKind' ? 'kind' : name };
  if (field === 'spec.group') return { ...MODEL, part: 'group' };
  if (field === `${version}.name`) return { ...MODEL, part: 'version' };
  if (field === 'metadata.name') return { ...MODEL, part: 'plural' };
  const spec = `${root}.properties[spec]`;
  if (field.startsWith(spec)) return placeInFields(field.slice(spec.length), fields) ?? MODEL;
  return placeInLists({ field, message }, fields, sent) ?? MODEL;
}

/** @param rest from the schema of the object that has the fields */
function placeInFields(rest: string, fields: readonly FieldDraft[]): Place | undefined {
  for (const field of fields) {
    const start = `.properties[${fieldNameOf(field)}]`;
    if (!rest.startsWith(start)) continue;
    const below = rest.slice(start.length);
    const inside = field.type === 'groups' ? below.replace(/^\.items(?=\.)/, '') : below;
    return placeInFields(inside, field.fields) ?? { fieldId: field.id, part: partOf(below) };
  }
  return undefined;
}

const PARTS: readonly (readonly [RegExp, string])[] = [
  [/^\.default/, 'preset'],
  [/^\.enum/, 'choices'],
  [/^\.pattern/, 'pattern'],
  [/^\.(?:minLength|minimum|minItems)/, 'least'],
  [/^\.(?:maxLength|maximum|maxItems)/, 'most'],
  [/^\.title/, 'label'],
  [/^\.description/, 'description'],
  [/^\.x-xsvc-reference/, 'target'],
];

function partOf(rest: string): string {
  return PARTS.find(([start]) => start.test(rest))?.[1] ?? '';
}

/** Causes of indexes, columns and references name fields in other ways. */
function placeInLists(
  { field, message }: Cause,
  fields: readonly FieldDraft[],
  sent: JsonObject,
): Place | undefined {
  const placed = placedFields(fields);
  const at = (path: string | undefined): PlacedField | undefined =>
    placed.find(({ way }) => pathOf(way) === path);
  const [, item] = /^item (\d+): /.exec(message) ?? [];
  const [, column] = /\.additionalPrinterColumns\[(\d+)\]/.exec(field) ?? [];
  if (field.includes(INDEXES) && item !== undefined) {
    const found = at(indexItems(sent)[Number(item)]?.field);
    return found && { fieldId: found.field.id, part: 'isIndexed' };
  }
  if (column !== undefined) {
    const given = columnsOf(sent)[Number(column)];
    const found = at(given === undefined ? undefined : pathIn(given));
    return found && { fieldId: found.field.id, part: 'isColumn' };
  }
  const isIndex = field.includes(INDEXES) || field.includes(SEARCH) || field.includes('selectableFields');
  // `Product "a": spec.code: has "1", which "b" has`, and `spec.author: a reference must be …`.
  const reason = message.replace(/^\S+ "[^"]*": /, '');
  const named = placed.find(({ way }) => reason.startsWith(`${pathOf(way).slice(1)}: `));
  return named && { fieldId: named.field.id, part: isIndex ? 'isUnique' : '' };
}
