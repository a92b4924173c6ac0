import type { Index, Model } from '../../../api/models.js';
import { findLabelKey, labelField } from '../../../api/selectors.js';
import type { JsonObject } from '../../../lib/json.js';
import { formatDay, formatMoment } from '../../../lib/format.js';
import { t } from '../../../texts.js';
import { getFieldTitle, getIndexes, getKind, getValueSchema, type FieldKind } from '../fields.js';
import type { FieldFilter, FilterOperator } from './filter.js';

/** A field that conditions can use. */
export interface FilterField {
  /** An index, or `metadata.labels["key"]`. */
  readonly field: string;
  readonly title: string;
  readonly kind: FieldKind;
  /** Undefined for labels. */
  readonly index: Index | undefined;
  /** Of its values; empty for labels. */
  readonly schema: JsonObject;
}

/** The indexes of a model, its own first, and then labels. @param keys of labels */
export function getFilterFields(model: Model | undefined, keys: readonly string[]): readonly FilterField[] {
  const indexes = getIndexes(model).map(({ name }) => getFilterField(model, name));
  const isOwn = ({ field }: FilterField): boolean => !field.startsWith('metadata.');
  return [
    ...indexes.filter(isOwn),
    ...indexes.filter((one) => !isOwn(one)),
    ...keys.map((key) => getFilterField(model, labelField(key))),
  ];
}

export function getFilterField(model: Model | undefined, field: string): FilterField {
  const index = model?.indexes.find(({ name }) => name === field);
  const title = getFieldTitle(model, field);
  if (model === undefined || findLabelKey(field) !== undefined)
    return { field, title, kind: 'label', index, schema: {} };
  const schema = getValueSchema(model.schema, field);
  const kind = index?.keyType === 'instant' ? 'date' : getKind(model.schema, field);
  return { field, title, kind, index, schema };
}

const PRESENCE: readonly FilterOperator[] = ['set', 'unset'];
const EQUALITY: readonly FilterOperator[] = ['is', 'is not', 'one of', 'none of'];
const ORDER: readonly FilterOperator[] = ['more', 'at least', 'less', 'at most', 'between'];
const PARTS: readonly FilterOperator[] = ['contains', 'begins', 'ends'];

/** The operators of a field, the usual one first. */
export function getOperators({ kind, index }: FilterField): readonly FilterOperator[] {
  const isText = (index?.keyType ?? 'string') === 'string';
  switch (kind) {
    case 'boolean':
      return ['is', ...PRESENCE];
    case 'date':
    case 'day':
      return isText ? [...ORDER, ...EQUALITY, ...PRESENCE] : [...ORDER, 'is', 'is not', ...PRESENCE];
    case 'number':
      return [...EQUALITY.slice(0, 2), ...ORDER, ...EQUALITY.slice(2), ...PRESENCE];
    case 'enum':
    case 'label':
    case 'reference':
      return [...EQUALITY, ...(isText ? PARTS : []), ...PRESENCE];
    case 'text':
      return isText ? ['contains', ...EQUALITY, ...PARTS.slice(1), ...PRESENCE] : [...EQUALITY, ...PRESENCE];
  }
}

const WORDS: Readonly<Record<FilterOperator, () => string>> = {
  is: () => t`is`,
  'is not': () => t`is not`,
  'one of': () => t`is one of`,
  'none of': () => t`is none of`,
  more: () => t`more than`,
  'at least': () => t`at least`,
  less: () => t`less than`,
  'at most': () => t`at most`,
  between: () => t`between`,
  contains: () => t`contains`,
  begins: () => t`begins with`,
  ends: () => t`ends with`,
  set: () => t`is set`,
  unset: () => t`is not set`,
};

const WORDS_OF_TIMES: Readonly<Partial<Record<FilterOperator, () => string>>> = {
  more: () => t`after`,
  'at least': () => t`from`,
  less: () => t`before`,
  'at most': () => t`until`,
};

export function formatOperator(operator: FilterOperator, kind: FieldKind): string {
  const ofTimes = kind === 'date' || kind === 'day' ? WORDS_OF_TIMES[operator] : undefined;
  return (ofTimes ?? WORDS[operator])();
}

/** The number of values of an operator; undefined for any number. */
export function countValues(operator: FilterOperator): number | undefined {
  if (PRESENCE.includes(operator)) return 0;
  if (operator === 'one of' || operator === 'none of') return undefined;
  return operator === 'between' ? 2 : 1;
}

/** The values of a condition for people. */
export function formatValues({ operator, values }: FieldFilter, { kind }: FilterField): string {
  const shown = values.map((value) => formatOne(value, kind));
  return shown.join(operator === 'between' ? ' – ' : ', ');
}

function formatOne(value: string, kind: FieldKind): string {
  if (value === '') return t`(empty)`;
  if (kind === 'boolean') return value === 'true' ? t`yes` : t`no`;
  if (kind === 'day') return formatDay(value);
  if (kind !== 'date') return value;
  const at = new Date(value);
  const isMidnight = !Number.isNaN(at.getTime()) && at.getHours() + at.getMinutes() + at.getSeconds() === 0;
  return isMidnight ? formatDay(value) : formatMoment(value);
}
