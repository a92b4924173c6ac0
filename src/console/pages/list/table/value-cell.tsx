import { use, type ReactNode } from 'react';
import { formatDay, formatMoment } from '../../../lib/format.js';
import { Age, AgeText } from '../../../parts/age.js';
import { getObject } from '../../../routes/route.js';
import { t } from '../../../texts.js';
import type { ListColumn } from '../columns/columns.js';
import { ReferenceTitles } from './reference-titles.js';
import { TextCell } from './text-cell.js';
import { ValueBadge } from './value-badge.js';
import { asText, getTexts } from './values.js';

interface ValueCellProps {
  readonly column: ListColumn;
  readonly value: unknown;
}

/** A value in the form of its type. */
export function ValueCell({ column, value }: ValueCellProps): ReactNode {
  const { id, kind, isAge } = column;
  if (value === undefined || value === null || value === '') return null;
  switch (kind) {
    case 'boolean':
      return <Items values={getTexts(value)} show={(one) => <Truth value={one} />} />;
    case 'enum':
      return <Items values={getTexts(value)} show={(one) => <ValueBadge value={one} />} />;
    case 'reference':
      return <Items values={getTexts(value)} show={(name) => <ReferenceChip column={id} name={name} />} />;
    case 'date':
    case 'day':
      if (isAge) return <Age time={asText(value)} />;
      return (
        <Items values={getTexts(value)} show={(time) => <DateCell time={time} isDay={kind === 'day'} />} />
      );
    default:
      return <TextCell value={Array.isArray(value) ? JSON.stringify(value) : asText(value)} />;
  }
}

/** The most values of an array that a cell displays. */
const ITEMS_MAX = 5;

interface ItemsProps {
  readonly values: readonly string[];
  readonly show: (value: string) => ReactNode;
}

function Items({ values, show }: ItemsProps): ReactNode {
  const shown = values.slice(0, ITEMS_MAX);
  return (
    <>
      {shown.map((value, i) => (
        <span key={i}>
          {i > 0 && ' '}
          {show(value)}
        </span>
      ))}
      {values.length > ITEMS_MAX && <span className="value-cell-more"> +{values.length - ITEMS_MAX}</span>}
    </>
  );
}

function Truth({ value }: { readonly value: string }): ReactNode {
  const isTrue = value === 'true';
  return (
    <span role="img" aria-label={isTrue ? t`yes` : t`no`} className={isTrue ? undefined : 'value-cell-no'}>
      {isTrue ? '✓' : '–'}
    </span>
  );
}

interface DateCellProps {
  readonly time: string;
  /** True for a date without a time. */
  readonly isDay: boolean;
}

/** The day and the age; the exact time is in the tooltip. */
function DateCell({ time, isDay }: DateCellProps): ReactNode {
  return (
    <time dateTime={time} title={isDay ? time : formatMoment(time)}>
      {formatDay(time)}{' '}
      <span className="value-cell-age">
        <AgeText time={time} />
      </span>
    </time>
  );
}

/** A link to another object, by its title. */
function ReferenceChip({ column, name }: { readonly column: string; readonly name: string }): ReactNode {
  const known = use(ReferenceTitles).get(column);
  if (known?.target === undefined) return name;
  return (
    <a className="value-cell-reference" href={getObject(known.target, name)} title={name} tabIndex={-1}>
      {known.titles.get(name) ?? name}
    </a>
  );
}
