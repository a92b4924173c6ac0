import { use, type ReactNode } from 'react';
import { formatDay, formatMoment } from '../../../lib/format.js';
import { Age, ShortAge } from '../../../parts/age.js';
import { getObject } from '../../../routes/route.js';
import { t } from '../../../texts.js';
import type { ListColumn } from '../columns/columns.js';
import { ColumnValuesContext } from './column-values.js';
import { formatDecimal } from './decimals.js';
import { TextCell } from './text-cell.js';
import { asText, getTexts } from './values.js';

interface ValueCellProps {
  readonly column: ListColumn;
  readonly value: unknown;
}

/** A value in the form of its type. */
export function ValueCell({ column, value }: ValueCellProps): ReactNode {
  const { id, kind, isAge } = column;
  if (value === undefined || value === null || value === '') return null;
  const getItems = (show: ItemsProps['show']): ReactNode => <Items values={getTexts(value)} show={show} />;
  switch (kind) {
    case 'boolean':
      return getItems((one) => <Truth value={one} />);
    case 'enum':
      return getItems((one) => <ValueBadge value={one} />);
    case 'reference':
      return getItems((name) => <ReferenceChip column={id} value={name} />);
    case 'date':
    case 'day':
      if (isAge) return <Age time={asText(value)} />;
      return getItems((time) => <DateCell time={time} isDay={kind === 'day'} />);
    default:
      if (typeof value === 'number') return <NumberCell column={id} value={value} />;
      return <TextCell value={asText(value)} />;
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
      {values.length > ITEMS_MAX && <span className="faint"> +{values.length - ITEMS_MAX}</span>}
    </>
  );
}

function Truth({ value }: { readonly value: string }): ReactNode {
  const isTrue = value === 'true';
  return (
    <span role="img" aria-label={isTrue ? t`yes` : t`no`} className={isTrue ? undefined : 'faint'}>
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
      <span className="faint value-cell-age">
        <ShortAge time={time} />
      </span>
    </time>
  );
}

interface OfColumnProps<T> {
  /** The id of the column. */
  readonly column: string;
  readonly value: T;
}

function NumberCell({ column, value }: OfColumnProps<number>): ReactNode {
  return formatDecimal(value, use(ColumnValuesContext).get(column)?.decimals);
}

/** A link to another object, by its title. */
function ReferenceChip({ column, value }: OfColumnProps<string>): ReactNode {
  const { target, titles } = use(ColumnValuesContext).get(column) ?? {};
  if (target === undefined) return value;
  return (
    <a className="cut value-cell-reference" href={getObject(target, value)} title={value} tabIndex={-1}>
      {titles?.get(value) ?? value}
    </a>
  );
}

const GOOD =
  /^(published|ready|active|enabled|approved|paid|done|completed?|succeeded|success|running|started|online|healthy|available|bound|ok)$/i;
const BAD =
  /^(failed|failure|error|rejected|cancell?ed|blocked|broken|crashed|unhealthy|lost|expired|overdue|critical|deleted)$/i;
const PLAIN = /^(archived|disabled|inactive|closed|none|unknown|stopped|off)$/i;

/** The number of hues of data in the style sheet. */
const HUES = 6;

/** A value of few, in its colour: by its meaning, if the word says it, or a hue that is the same everywhere. */
function ValueBadge({ value }: { readonly value: string }): ReactNode {
  const tone = GOOD.test(value) ? 'good' : BAD.test(value) ? 'bad' : 'plain';
  const isOfHue = tone === 'plain' && !PLAIN.test(value);
  const hue = `--hue-${getHue(value)}`;
  return (
    <span
      className={`badge badge-${tone} cut`}
      style={isOfHue ? { background: `var(${hue})`, color: `var(${hue}-ink)` } : undefined}
    >
      {value}
    </span>
  );
}

/** A number from the text (FNV-1a). */
function getHue(value: string): number {
  let hash = 2_166_136_261;
  for (let i = 0; i < value.length; i++) hash = Math.imul(hash ^ value.charCodeAt(i), 16_777_619);
  return ((hash >>> 0) % HUES) + 1;
}
