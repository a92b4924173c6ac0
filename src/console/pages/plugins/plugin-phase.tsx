import type { ReactNode } from 'react';
import type { Plugin } from '../../api/platform/plugins.js';
import { Age } from '../../parts/age.js';
import { Badge } from '../../parts/badge.js';

/** The phase of a plugin, and how long it has run. */
export function PluginPhase({ plugin }: { readonly plugin: Plugin }): ReactNode {
  const { lastStartTime } = plugin;
  const state = getState(plugin);
  return (
    <>
      <Badge word={state} />{' '}
      {lastStartTime !== undefined && state === 'STARTED' && <Age time={lastStartTime} />}
    </>
  );
}

/** The phase, or the transition while it differs from the switch. */
function getState({ phase, isEnabled }: Plugin): string {
  if (!isEnabled && !['DISABLED', 'FAILED', 'MISSING'].includes(phase)) return 'stopping';
  return isEnabled && phase === 'DISABLED' ? 'starting' : phase;
}
