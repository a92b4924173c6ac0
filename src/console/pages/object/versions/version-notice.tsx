import type { ReactNode } from 'react';
import { useModel, type ModelRef } from '../../../api/models.js';
import { Notice } from '../../../parts/notice.js';
import { getObject, type View } from '../../../routes/route.js';
import { t } from '../../../texts.js';

interface VersionNoticeProps {
  readonly modelRef: ModelRef;
  readonly name: string;
  readonly view: View;
}

/** Explains the effect of editing an object in another version than its storage version. */
export function VersionNotice({ modelRef, name, view }: VersionNoticeProps): ReactNode {
  const model = useModel(modelRef);
  if (model === undefined || model.storageVersion === model.version) return null;
  const { storageVersion, version } = model;
  return (
    <Notice tone="plain">
      {t`This object is stored in ${storageVersion}. Fields that ${version} does not have stay unchanged.`}{' '}
      <a href={getObject({ ...modelRef, version: storageVersion }, name, view)}>
        {t`Edit it in ${storageVersion}`}
      </a>
    </Notice>
  );
}
