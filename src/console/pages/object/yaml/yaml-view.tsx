import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { objectPath } from '../../../api/models.js';
import { useMay } from '../../../api/platform/rights.js';
import { findDraft } from '../../../editor/drafts.js';
import { useLast } from '../../../lib/use-last.js';
import { Notice, Pending } from '../../../parts/notice.js';
import type { Way } from '../../../routes/route.js';
import { useRecord } from '../record.js';
import { VersionNotice } from '../versions.js';
import { t } from '../../../texts.js';
import { loadText } from './requests.js';
import { YamlEditor } from './yaml-editor.js';

interface YamlViewProps {
  /** The current or last revision of the object; undefined when it was not read. */
  readonly revision: string | undefined;
  readonly isGone: boolean;
  readonly way: Way;
  readonly beside?: ReactNode;
}

/** An editor for the text of an object: as YAML, or as a form. */
export default function YamlView({ revision, ...shared }: YamlViewProps): ReactNode {
  const { modelRef, name, model: served } = useRecord();
  const { isGone } = shared;
  // While its plugin is stopped, the form does not change.
  const model = useLast(served);
  const mayUpdate = useMay('update', modelRef, name);
  const path = objectPath(modelRef, name);
  const isThere = !isGone && revision !== undefined;
  const { data, error, refetch } = useQuery({
    queryKey: ['yaml', path, revision],
    queryFn: ({ signal }) => loadText(path, signal),
    enabled: isThere,
    staleTime: Infinity,
  });
  // A deleted object has no text to read: then the draft still has its base.
  const [before] = useState(() => findDraft(path)?.base);
  const current = useLast(data) ?? before;
  const reading = <Pending error={error} onRetry={() => void refetch()} />;
  if (current === undefined) return isThere && reading;
  return (
    <>
      {isThere && error !== null && reading}
      {!mayUpdate && <Notice tone="plain">{t`You may view this object, but not change it.`}</Notice>}
      {mayUpdate && <VersionNotice />}
      <YamlEditor {...shared} isReadOnly={!mayUpdate} path={path} current={current} model={model} />
    </>
  );
}
