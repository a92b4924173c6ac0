import type { ReactNode } from 'react';
import { formatAge, formatMoment } from '../lib/format.js';
import { useNow } from '../lib/use-now.js';

/** The age of a time; the exact time is in the tooltip. */
export function Age({ time }: { readonly time: string | undefined }): ReactNode {
  const now = useNow();
  if (time === undefined) return '–';
  return (
    <time dateTime={time} title={formatMoment(time)}>
      {formatAge(time, now)}
    </time>
  );
}
