import { useState, type ReactNode } from 'react';
import { LogView } from '../../../parts/log/log-view.js';
import { usePeriod } from '../../../routes/period.js';
import { t } from '../../../texts.js';
import { useLog } from './use-log.js';

/** The log of a plugin while it is written, or the kept lines of a period. */
export default function LogTab({ name }: { readonly name: string }): ReactNode {
  const [isPaused, setIsPaused] = useState(false);
  const period = usePeriod();
  const { lines, error } = useLog(name, isPaused);
  return (
    <LogView lines={lines} error={error} period={period}>
      <button type="button" aria-pressed={isPaused} onClick={() => setIsPaused(!isPaused)}>
        {isPaused ? t`Continue` : t`Pause`}
      </button>
    </LogView>
  );
}
