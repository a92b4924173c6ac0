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
  const stored = new Map(useStoredVersions(model)?.map(({ version, objects }) => [version, objects]));
  const served = new Map(
    all
      .filter(({ group, kind }) => group === model.group && kind === model.kind)
      .map((one) => [one.version, one]),
  );
  const versions = [...new Set([...served.keys(), ...stored.keys()])];
  const isRewritten = [...stored.keys()].some((version) => version !== model.storageVersion);
  return (
    <>
      <ul className="model-versions">
        {versions.map((version) => {
          const one = served.get(version);
          const objects = stored.get(version);
          return (
            <li key={version}>
              {one === undefined ? (
                version
              ) : (
                <a className="in-text" href={getList(one)}>
                  {version}
                </a>
              )}
              {version === one?.storageVersion && <Badge word={t`stored`} />}
              {objects !== undefined && <p className="faint">{t`${objects} [object|objects] stored`}</p>}
              {one?.deprecated !== undefined && (
                <p className="attention">{t`Deprecated: ${one.deprecated}`}</p>
              )}
            </li>
          );
        })}
      </ul>
      {isRewritten && <p className="attention">{t`Being rewritten to the stored version.`}</p>}
    </>
  );
}
