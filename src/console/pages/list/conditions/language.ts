import type { Index, Model } from '../../../api/models.js';
import { escapeFieldValue, labelField, findLabelKey } from '../../../api/selectors.js';
import type { FacetValue } from '../../../api/tables.js';
import { t } from '../../../texts.js';
import type { Condition } from '../parameters.js';
import { placeInFilter, placeInSelector, type Place } from './place.js';

/** An operator between a field and a value, and its meaning. */
export interface Operator {
  /** The text after the field. */
  readonly insert: string;
  readonly meaning: () => string;
}

/** The syntax of one of the conditions. */
export interface Language {
  readonly place: (before: string) => Place;
  /** The subjects of conditions: fields, or keys of labels. */
  readonly subjects: readonly string[];
  readonly operators: (subject: string) => readonly Operator[];
  /** A value in the condition's syntax. */
  readonly literal: (value: FacetValue['value'], subject: string) => string;
  /** The facet for the values of a subject; undefined when they are not counted. */
  readonly facet: (subject: string) => string | undefined;
  /** The condition that the field contains a value; undefined when it uses an operator. */
  readonly member?: (value: FacetValue['value'], subject: string) => string | undefined;
}

const IS: Operator = { insert: '=', meaning: () => t`is` };
const IS_NOT: Operator = { insert: '!=', meaning: () => t`is not` };
const SETS: readonly Operator[] = [
  { insert: ' in (', meaning: () => t`is one of` },
  { insert: ' notin (', meaning: () => t`is none of` },
];
const RANGES: readonly Operator[] = [
  { insert: '>', meaning: () => t`more than` },
  { insert: '>=', meaning: () => t`at least` },
  { insert: '<', meaning: () => t`less than` },
  { insert: '<=', meaning: () => t`at most` },
];
const SPACED: readonly Operator[] = [{ ...IS, insert: '==' }, IS_NOT, ...RANGES].map(
  ({ insert, meaning }) => ({ insert: ` ${insert} `, meaning }),
);
const TEXT_CALLS: readonly Operator[] = [
  { insert: '.startsWith("', meaning: () => t`begins with` },
  { insert: '.contains("', meaning: () => t`contains` },
  { insert: '.endsWith("', meaning: () => t`ends with` },
];

/** The indexes for conditions; labels have a separate syntax. */
export function getFields(model: Model | undefined): readonly Index[] {
  return (model?.indexes ?? []).filter(
    ({ name, keyType }) => name !== 'metadata.labels' && keyType !== 'text',
  );
}

export function getLanguage(name: Condition, model: Model | undefined, keys: readonly string[]): Language {
  if (name === 'labelSelector') return labels(keys);
  return name === 'fieldSelector' ? fields(model) : filters(model, keys);
}

function labels(keys: readonly string[]): Language {
  return {
    place: placeInSelector,
    subjects: keys,
    operators: () => [IS, IS_NOT, ...SETS],
    literal: String,
    facet: labelField,
  };
}

function fields(model: Model | undefined): Language {
  const known = getFields(model);
  return {
    place: placeInSelector,
    subjects: known.map(({ name }) => name),
    operators: (subject) => {
      const hasOrder = known.find(({ name }) => name === subject)?.keyType !== 'boolean';
      return [IS, IS_NOT, ...(hasOrder ? RANGES : []), ...SETS];
    },
    literal: (value) => escapeFieldValue(String(value)),
    facet: (subject) => subject,
  };
}

function filters(model: Model | undefined, keys: readonly string[]): Language {
  const known = getFields(model);
  const names = known.map(({ name }) => name);
  const getType = (subject: string): Index['keyType'] =>
    known.find(({ name }) => name === subject)?.keyType ?? 'string';
  const isMulti = (subject: string): boolean => known.some(({ name, multi }) => name === subject && multi);
  const literal = (value: FacetValue['value'], subject: string): string =>
    formatLiteral(value, getType(subject));
  const subjects = [...names, ...keys.map(labelField)];
  return {
    place: (before) => placeInFilter(before, (word) => subjects.includes(word)),
    subjects,
    operators: (subject) => {
      if (isMulti(subject)) return [{ insert: '.exists(x, x ', meaning: () => t`one of its values is` }];
      const type = getType(subject);
      if (type === 'boolean') return SPACED.slice(0, 2);
      return [
        ...SPACED,
        { insert: ' in [', meaning: () => t`is one of` },
        ...(type === 'string' ? TEXT_CALLS : []),
      ];
    },
    literal,
    facet: (subject) =>
      findLabelKey(subject) !== undefined || names.includes(subject) ? subject : undefined,
    member: (value, subject) => (isMulti(subject) ? `${literal(value, subject)} in ${subject}` : undefined),
  };
}

/** A literal in CEL. */
export function formatLiteral(value: FacetValue['value'], type: Index['keyType']): string {
  if (type === 'string') return JSON.stringify(String(value));
  return type === 'instant' ? `timestamp(${JSON.stringify(value)})` : String(value);
}
