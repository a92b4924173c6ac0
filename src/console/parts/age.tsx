import type { ReactNode } from 'react';
import { formatAge, formatDistance, formatMoment } from '../lib/format.js';
import { useAtNow } from '../lib/use-now.js';

interface AgeProps {
  readonly time: string | undefined;
  /** True for an age that stands without a column: `3 min. ago`, not `3m`. Default: false. */
  readonly isPhrase?: boolean;
}

/** The age of a time; the exact time is in the tooltip. */
export function Age({ time, isPhrase = false }: AgeProps): ReactNode {
  const text = useAtNow((now) => {
    if (time === undefined) return '–';
    return isPhrase ? formatDistance(time, now) : formatAge(time, now);
  });
  if (time === undefined) return text;
  return (
    <time dateTime={time} title={formatMoment(time)}>
      {text}
    </time>
  );
}
