import { formatDay, formatMoment } from '../../../lib/format.js';
import { t } from '../../../texts.js';
import type { FieldFilter } from './filter.js';
import type { FilterField } from './operators.js';

/** The values of a condition for people. */
export function formatFilterValue({ operator, values }: FieldFilter, { kind }: FilterField): string {
  const shown = values.map((value) => formatOne(value, kind));
  return operator === 'between' ? shown.join(' – ') : shown.join(', ');
}

function formatOne(value: string, kind: FilterField['kind']): string {
  if (value === '') return t`(empty)`;
  if (kind === 'boolean') return value === 'true' ? t`yes` : t`no`;
  if (kind === 'day') return formatDay(value);
  if (kind !== 'date') return value;
  const at = new Date(value);
  const isMidnight = !Number.isNaN(at.getTime()) && at.getHours() + at.getMinutes() + at.getSeconds() === 0;
  return isMidnight ? formatDay(value) : formatMoment(value);
}
