import type { ReactNode } from 'react';
import { formatAge, formatDistance, formatMoment, formatShortAge } from '../lib/format.js';
import { useAtNow } from '../lib/use-now.js';

interface AgeProps {
  readonly time: string | undefined;
  /** True for an age that stands without a column: `3 min. ago`, not `3m`. Default: false. */
  readonly isPhrase?: boolean;
}

/** The age of a time; the exact time is in the tooltip. */
export function Age({ time, isPhrase = false }: AgeProps): ReactNode {
  if (time === undefined) return '–';
  return (
    <time dateTime={time} title={formatMoment(time)}>
      <AgeText time={time} isPhrase={isPhrase} />
    </time>
  );
}

interface AgeTextProps {
  readonly time: string;
  readonly isPhrase: boolean;
}

/** The age alone. A time in the future is always a phrase. */
function AgeText({ time, isPhrase }: AgeTextProps): ReactNode {
  return useAtNow((now) =>
    isPhrase || Date.parse(time) > now ? formatDistance(time, now) : formatAge(time, now),
  );
}

/** The age beside a day. */
export function ShortAge({ time }: { readonly time: string }): ReactNode {
  return useAtNow((now) => (Date.parse(time) > now ? formatDistance(time, now) : formatShortAge(time, now)));
}
