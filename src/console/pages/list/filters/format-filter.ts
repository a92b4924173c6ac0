import type { Index } from '../../../api/models.js';
import { escapeFieldValue, findLabelKey } from '../../../api/selectors.js';
import type { FieldFilter, FilterOperator } from './filter.js';
import type { Requirement } from './requirements.js';

const SIGNS: Readonly<Partial<Record<FilterOperator, string>>> = {
  is: '=',
  'is not': '!=',
  more: '>',
  'at least': '>=',
  less: '<',
  'at most': '<=',
};
const CALLS: Readonly<Partial<Record<FilterOperator, string>>> = {
  contains: 'contains',
  begins: 'startsWith',
  ends: 'endsWith',
};

/** The requirements that state a condition. Texts are found in any case. @param index undefined for labels */
export function formatFilter(filter: FieldFilter, index: Index | undefined): readonly Requirement[] {
  const { field, operator, values } = filter;
  const [first = '', second = ''] = values;
  if (operator === 'between')
    return [
      ...formatFilter({ field, operator: 'at least', values: [first] }, index),
      ...formatFilter({ field, operator: 'at most', values: [second] }, index),
    ];
  const call = CALLS[operator];
  if (call !== undefined) return [{ of: 'filter', text: formatCall({ field, call, value: first }, index) }];
  // Selectors trim white space from values.
  if (values.some((value) => value.trim() !== value))
    return [{ of: 'filter', text: formatExpression(filter, index) }];
  const key = findLabelKey(field);
  if (key !== undefined) return [{ of: 'labelSelector', text: formatSelector(key, filter, String) }];
  return [{ of: 'fieldSelector', text: formatSelector(field, filter, escapeFieldValue) }];
}

function formatSelector(
  subject: string,
  { operator, values }: FieldFilter,
  escape: (value: string) => string,
): string {
  if (operator === 'set') return subject;
  if (operator === 'unset') return `!${subject}`;
  const list = values.map(escape);
  if (operator === 'one of') return `${subject} in (${list.join(',')})`;
  if (operator === 'none of') return `${subject} notin (${list.join(',')})`;
  return `${subject}${SIGNS[operator] ?? '='}${list.join(',')}`;
}

interface Call {
  readonly field: string;
  readonly call: string;
  readonly value: string;
}

function formatCall({ field, call, value }: Call, index: Index | undefined): string {
  const rest = `.${call}(${JSON.stringify(value)})`;
  return index?.multi === true ? `${field}.exists(x, lower(x)${rest})` : `lower(${field})${rest}`;
}

/** For values that selectors cannot state. */
function formatExpression({ field, operator, values }: FieldFilter, index: Index | undefined): string {
  const literals = values.map((value) => formatLiteral(value, index?.keyType ?? 'string'));
  const [first = ''] = literals;
  const list = `[${literals.join(', ')}]`;
  const isIn =
    index?.multi === true ? literals.map((one) => `${one} in ${field}`).join(' || ') : `${field} in ${list}`;
  if (operator === 'one of') return isIn;
  if (operator === 'none of') return `!(${isIn})`;
  if (index?.multi === true)
    return operator === 'is not' ? `!(${first} in ${field})` : `${first} in ${field}`;
  const sign = SIGNS[operator] ?? '=';
  return `${field} ${sign === '=' ? '==' : sign} ${first}`;
}

/** A literal in CEL. */
export function formatLiteral(value: string, type: Index['keyType']): string {
  if (type === 'string') return JSON.stringify(value);
  return type === 'instant' ? `timestamp(${JSON.stringify(value)})` : value;
}
