import type { ReactNode } from 'react';
import { connection } from '../../api/connection.js';
import { isPaused, setPaused } from '../../api/live.js';
import { useStore } from '../../lib/store.js';
import { t } from '../../texts.js';

/** Says whether the page follows changes; pressing it stops that, and resumes it. */
export function LiveButton(): ReactNode {
  const state = useStore(connection);
  const paused = useStore(isPaused);
  const look = state !== 'online' ? 'lost' : paused ? 'paused' : 'on';
  return (
    <button
      type="button"
      className={`live-button live-button-${look} quiet`}
      title={paused ? t`Resume live updates` : t`Pause live updates`}
      onClick={() => setPaused(!paused)}
    >
      <span className="live-button-dot" aria-hidden="true" />
      <span className="narrow-unseen">{state !== 'online' ? t`Offline` : paused ? t`Paused` : t`Live`}</span>
    </button>
  );
}
