import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { getJson } from '../../../api/http.js';
import { arrayAt, textAt } from '../../../lib/json.js';
import { Notice } from '../../../parts/notice.js';
import { t } from '../../../texts.js';

interface ChangedNoteProps {
  readonly path: string;
  /** The current revision of the object. */
  readonly revision: string;
  readonly onShow: () => void;
}

/** Says that somebody else changed the object that is being edited, and who. */
export function ChangedNote({ path, revision, onShow }: ChangedNoteProps): ReactNode {
  const { data: user } = useQuery({
    queryKey: ['changed by', path, revision],
    queryFn: async ({ signal }) => {
      const [last] = arrayAt(await getJson(`${path}/history?limit=1`, signal), 'items');
      return textAt(last, 'user') ?? null;
    },
    // Users who may not read the history see the change without its user.
    retry: false,
  });
  return (
    <Notice tone="attention">
      {typeof user === 'string' && <strong>{t`Changed by ${user} just now.`}</strong>}{' '}
      {t`This object was changed while you were editing it. Saving will show both sides.`}{' '}
      <button type="button" className="quiet" onClick={onShow}>
        {t`Show`}
      </button>
    </Notice>
  );
}
