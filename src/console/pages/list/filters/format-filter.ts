import type { Index } from '../../../api/models.js';
import { escapeFieldValue, findLabelKey } from '../../../api/selectors.js';
import { CALLS, SIGNS, type FieldFilter } from './filter.js';
import type { Requirement } from './requirements.js';

/** The requirements that state a condition. Texts are found in any case. @param index undefined for labels */
export function formatFilter(filter: FieldFilter, index: Index | undefined): readonly Requirement[] {
  const { field, operator, values } = filter;
  const [first = '', second = ''] = values;
  if (operator === 'between')
    return [
      ...formatFilter({ field, operator: 'at least', values: [first] }, index),
      ...formatFilter({ field, operator: 'at most', values: [second] }, index),
    ];
  const call = CALLS.get(operator);
  if (call !== undefined) {
    const rest = `.${call}(${JSON.stringify(first)})`;
    const isMulti = index?.multi === true;
    return [
      { of: 'filter', text: isMulti ? `${field}.exists(x, lower(x)${rest})` : `lower(${field})${rest}` },
    ];
  }
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
  return `${subject}${SIGNS.get(operator) ?? '='}${list.join(',')}`;
}

/** For values that selectors cannot state. */
function formatExpression({ field, operator, values }: FieldFilter, index: Index | undefined): string {
  const { multi = false, keyType = 'string' } = index ?? {};
  const literals = values.map((value) => formatLiteral(value, keyType));
  const sign = SIGNS.get(operator);
  if (sign !== undefined && sign !== '=' && sign !== '!=') return `${field} ${sign} ${literals.join()}`;
  const isNot = operator === 'is not' || operator === 'none of';
  if (multi) {
    const isIn = literals.map((one) => `${one} in ${field}`).join(' || ');
    return isNot ? `!(${isIn})` : isIn;
  }
  if (sign !== undefined) return `${field} ${isNot ? '!=' : '=='} ${literals.join()}`;
  const isIn = `${field} in [${literals.join(', ')}]`;
  return isNot ? `!(${isIn})` : isIn;
}

/** A literal in CEL. */
function formatLiteral(value: string, type: Index['keyType']): string {
  if (type === 'string') return JSON.stringify(value);
  return type === 'instant' ? `timestamp(${JSON.stringify(value)})` : value;
}
