import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useRef, type ReactNode } from 'react';
import { formatMessage } from '../../../api/errors.js';
import { useSettled } from '../../../lib/use-settled.js';
import { Diff } from '../../../parts/diff.js';
import { t } from '../../../texts.js';
import { getCauses } from '../../../editor/use-problems.js';
import type { Loaded } from '../../../editor/drafts.js';
import type { YamlEdit } from './use-yaml-edit.js';
import { loadedFrom, saveText } from './requests.js';

interface PreviewProps {
  readonly path: string;
  readonly edit: YamlEdit;
  readonly current: Loaded;
  /** True when the text can be sent. */
  readonly isValid: boolean;
}

const PAUSE_MS = 500;

/** The changes that a save would store, from the service: including defaults and refusals. */
export function Preview({ path, edit, current, isValid }: PreviewProps): ReactNode {
  const region = useRef<HTMLDivElement>(null);
  useEffect(() => {
    region.current?.scrollIntoView({ block: 'start' });
  }, []);
  const typed = useDeferredValue(edit.text);
  const settled = useSettled(edit.text, PAUSE_MS);
  // When others changed the object too, a save would be refused: then only the input is displayed.
  const isAsked = isValid && edit.isDirty && current.text === edit.base.text;
  const { data, error } = useQuery({
    queryKey: ['preview', path, current.tag, settled],
    queryFn: async ({ signal }) =>
      (await loadedFrom(await saveText(path, settled, current, { isDry: true, signal }))).text,
    enabled: isAsked,
    gcTime: 0,
    retry: false,
  });
  const isCurrent = isAsked && settled === typed;
  const preview = isCurrent ? data : undefined;
  return (
    <div ref={region} className="stack" role="region" aria-label={t`Changes compared with the stored object`}>
      {preview !== undefined && edit.isDirty && (
        <p className="faint">{t`This is what the service would store:`}</p>
      )}
      {isCurrent && error !== null && (
        <p className="problem" role="status">
          {t`The service would refuse this:`}{' '}
          {getCauses(error).length === 0
            ? formatMessage(error)
            : getCauses(error)
                .map(({ field, message }) => `${field} ${message}`)
                .join('; ')}
        </p>
      )}
      <Diff from={edit.base.text} to={preview ?? typed} />
    </div>
  );
}
