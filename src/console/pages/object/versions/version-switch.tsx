import type { ReactNode } from 'react';
import { useModels, type ModelRef } from '../../../api/models.js';
import { getObject, type View } from '../../../routes/route.js';
import { t } from '../../../texts.js';

interface VersionSwitchProps {
  readonly modelRef: ModelRef;
  readonly name: string;
  readonly view: View;
}

/** Links to the object in the other versions of its model; nothing when it has only one. */
export function VersionSwitch({ modelRef, name, view }: VersionSwitchProps): ReactNode {
  const { group, plural, version } = modelRef;
  const versions = (useModels().data ?? []).filter(
    (model) => model.group === group && model.plural === plural,
  );
  if (versions.length < 2) return null;
  return (
    <nav className="versions row" aria-label={t`Versions`}>
      {versions.map((model) => (
        <a
          key={model.version}
          href={getObject(model, name, view)}
          aria-current={model.version === version ? 'true' : undefined}
          title={model.deprecated}
        >
          {model.version}
          {model.version === model.storageVersion && <span className="faint"> {t`(stored)`}</span>}
          {model.deprecated !== undefined && <span className="faint"> {t`(deprecated)`}</span>}
        </a>
      ))}
    </nav>
  );
}
