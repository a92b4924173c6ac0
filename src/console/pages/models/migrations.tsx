import type { ReactNode } from 'react';
import type { Plugin } from '../../api/platform/plugins.js';
import { text } from '../../texts.js';

interface MigrationsProps {
  readonly ids: readonly string[];
  readonly plugin: Plugin | undefined;
}

/** Migrations run when a plugin starts, before its models are served: the progress of the start is their progress. */
export function Migrations({ ids, plugin }: MigrationsProps): ReactNode {
  if (ids.length === 0) return text.none;
  const { models } = text;
  const { phase, message } = plugin ?? { phase: '', message: undefined };
  return (
    <>
      <ul className="plain">
        {ids.map((id) => (
          <li key={id}>{id}</li>
        ))}
      </ul>
      <p className={phase === 'FAILED' ? 'problem' : 'faint'}>
        {phase === 'STARTED' ? models.migrated : (message ?? models.migrating)}
      </p>
    </>
  );
}
