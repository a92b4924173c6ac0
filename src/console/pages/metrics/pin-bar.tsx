import { useId, type ReactNode } from 'react';
import type { Reading } from '../../api/platform/recent-metrics.js';
import { formatTime } from '../../lib/format.js';
import { periodAround, withPeriod } from '../../routes/period.js';
import { formatRoute } from '../../routes/route.js';
import { t } from '../../texts.js';

interface PinBarProps {
  readonly readings: readonly Reading[];
  /** The chosen time, in milliseconds since 1970; undefined without a choice. */
  readonly pinnedMs: number | undefined;
  readonly onPin: (timeMs: number | undefined) => void;
}

/** Chooses a time of the plots, also by keys, and leads to the log of that time. */
export function PinBar({ readings, pinnedMs, onPin }: PinBarProps): ReactNode {
  const id = useId();
  const log = formatRoute({ page: 'plain', path: 'log' });
  const last = Math.max(readings.length - 1, 0);
  const found = readings.findIndex(({ timeMs }) => pinnedMs !== undefined && timeMs >= pinnedMs);
  const at = pinnedMs === undefined || found < 0 ? last : found;
  return (
    <div className="row below pin-bar">
      <label htmlFor={id}>{t`Point in time`}</label>
      <input
        id={id}
        type="range"
        min={0}
        max={last}
        value={at}
        aria-valuetext={formatTime(pinnedMs ?? readings[last]?.timeMs ?? 0)}
        onChange={({ target }) => onPin(readings[Number(target.value)]?.timeMs)}
      />
      {pinnedMs === undefined ? (
        <>
          <span className="faint">{t`Click a plot to see what happened at that time.`}</span>
          <a className="end" href={log}>
            {t`Log`}
          </a>
        </>
      ) : (
        <>
          <time>{formatTime(pinnedMs)}</time>
          <a href={withPeriod(log, periodAround(pinnedMs))}>{t`Log at this time`}</a>
          <button type="button" className="quiet end" onClick={() => onPin(undefined)}>
            {t`Remove`}
          </button>
        </>
      )}
    </div>
  );
}
