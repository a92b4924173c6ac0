import type { ReactNode } from 'react';
import { formatCount } from '../../lib/format.js';
import { t } from '../../texts.js';

/** The items of a list that are displayed at a time: each has inputs. */
export const PAGE = 20;

interface ListPagerProps {
  readonly label: string;
  /** The position of the first displayed item. */
  readonly from: number;
  readonly count: number;
  readonly onChange: (from: number) => void;
}

/** Leads to the other items of a long list. */
export function ListPager({ label, from, count, onChange }: ListPagerProps): ReactNode {
  const isLast = from + PAGE >= count;
  const go = (to: number): void => onChange(Math.max(0, to));
  return (
    <span className="form-pager">
      <button
        type="button"
        className="quiet"
        aria-label={t`Previous items of ${label}`}
        aria-disabled={from === 0}
        onClick={() => go(from - PAGE)}
      >
        ‹
      </button>
      <span role="status">
        {t`${formatCount(from + 1)}–${formatCount(Math.min(count, from + PAGE))} of ${formatCount(count)}`}
      </span>
      <button
        type="button"
        className="quiet"
        aria-label={t`Next items of ${label}`}
        aria-disabled={isLast}
        onClick={() => !isLast && go(from + PAGE)}
      >
        ›
      </button>
    </span>
  );
}
