import type { ReactNode } from 'react';
import { useModels } from '../../api/models.js';
import { Notice } from '../../parts/notice.js';
import { getObject } from '../../routes/route.js';
import { t } from '../../texts.js';
import { useRecord } from './record.js';

/** Links to the object in the other versions of its model; nothing when it has only one. */
export function VersionSwitch(): ReactNode {
  const { modelRef, name, view } = useRecord();
  const { group, plural, version } = modelRef;
  const versions = (useModels().data ?? []).filter((one) => one.group === group && one.plural === plural);
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

/** Explains the effect of editing an object in another version than its storage version. */
export function VersionNotice(): ReactNode {
  const { model, name, view } = useRecord();
  if (model === undefined || model.storageVersion === model.version) return null;
  const { storageVersion, version } = model;
  return (
    <Notice tone="plain">
      {t`This object is stored in ${storageVersion}. Fields that ${version} does not have stay unchanged.`}{' '}
      <a href={getObject({ ...model, version: storageVersion }, name, view)}>
        {t`Edit it in ${storageVersion}`}
      </a>
    </Notice>
  );
}
