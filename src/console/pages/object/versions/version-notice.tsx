import type { ReactNode } from 'react';
import { useModel, type ModelRef } from '../../../api/models.js';
import { Notice } from '../../../parts/notice.js';
import { getObject, type View } from '../../../routes/route.js';
import { text } from '../../../texts.js';

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
      {text.versions.other(version, storageVersion)}{' '}
      <a href={getObject({ ...modelRef, version: storageVersion }, name, view)}>
        {text.versions.edit(storageVersion)}
      </a>
    </Notice>
  );
}
