import type { ReactNode } from 'react';
import type { Plugin } from '../../api/platform/plugins.js';
import { t } from '../../texts.js';

interface MigrationsProps {
  readonly ids: readonly string[];
  readonly plugin: Plugin | undefined;
}

/** Migrations run when a plugin starts, before its models are served: the progress of the start is their progress. */
export function Migrations({ ids, plugin }: MigrationsProps): ReactNode {
  if (ids.length === 0) return '–';
  const { phase, message } = plugin ?? { phase: '', message: undefined };
  return (
    <>
      <ul>
        {ids.map((id) => (
          <li key={id}>{id}</li>
        ))}
      </ul>
      <p className={phase === 'FAILED' ? 'problem' : 'faint'}>
        {phase === 'STARTED' ? t`done` : (message ?? t`The plugin has not started yet.`)}
      </p>
    </>
  );
}
