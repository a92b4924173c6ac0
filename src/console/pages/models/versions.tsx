import type { ReactNode } from 'react';
import type { Model } from '../../api/models.js';
import { useStoredVersions } from '../../api/platform/stored-versions.js';
import { Badge } from '../../parts/badge.js';
import { getList } from '../../routes/route.js';
import { t } from '../../texts.js';

interface VersionsProps {
  /** In its storage version. */
  readonly model: Model;
  readonly all: readonly Model[];
}

/** The served versions, and the number of objects in each. */
export function Versions({ model, all }: VersionsProps): ReactNode {
  const stored = useStoredVersions(model);
  const served = all.filter(({ group, kind }) => group === model.group && kind === model.kind);
  const others = (stored ?? []).filter(({ version }) => served.every((one) => one.version !== version));
  const getCount = (name: string): ReactNode => {
    const objects = stored?.find(({ version }) => version === name)?.objects;
    return objects === undefined ? undefined : (
      <p className="faint">{t`${objects} [object|objects] stored`}</p>
    );
  };
  const isRewritten = stored?.some(({ version }) => version !== model.storageVersion) === true;
  return (
    <>
      <ul className="model-versions">
        {served.map((one) => (
          <li key={one.version}>
            <a className="in-text" href={getList(one)}>
              {one.version}
            </a>
            {one.version === one.storageVersion && <Badge word={t`stored`} />}
            {getCount(one.version)}
            {one.deprecated !== undefined && <p className="attention">{t`Deprecated: ${one.deprecated}`}</p>}
          </li>
        ))}
        {others.map(({ version }) => (
          <li key={version}>
            {version}
            {getCount(version)}
          </li>
        ))}
      </ul>
      {isRewritten && <p className="attention">{t`Being rewritten to the stored version.`}</p>}
    </>
  );
}
