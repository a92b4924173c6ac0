import type { ReactNode } from 'react';
import { connection } from '../api/connection.js';
import { useStore } from '../lib/store.js';
import { t } from '../texts.js';

/** A banner while the service does not answer. */
export function ConnectionBanner(): ReactNode {
  const state = useStore(connection);
  return (
    <div
      role="status"
      aria-live="polite"
      className={`connection-banner ${state === 'lost' ? 'badge-bad' : 'badge-attention'}`}
    >
      {state === 'lost' && t`The service does not answer. The data shown may be outdated; trying again…`}
      {state === 'starting' && t`The service is not ready yet. Trying again…`}
    </div>
  );
}
