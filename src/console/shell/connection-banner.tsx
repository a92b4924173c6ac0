import type { ReactNode } from 'react';
import { connection } from '../api/connection.js';
import { useStore } from '../lib/store.js';
import { text } from '../texts.js';

/** A banner while the service does not answer. */
export function ConnectionBanner(): ReactNode {
  const state = useStore(connection);
  return (
    <div role="status" aria-live="polite" className={`connection connection-${state}`}>
      {state === 'lost' && text.connectionLost}
      {state === 'starting' && text.connectionStarting}
    </div>
  );
}
