import { useQueries } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { stringify } from 'yaml';
import { Diff } from '../../../parts/diff.js';
import { DialogFrame } from '../../../parts/dialogs/dialog-frame.js';
import { Pending } from '../../../parts/notice.js';
import { t } from '../../../texts.js';
import { readPast, undone } from './undo.js';

interface CompareDialogProps {
  readonly path: string;
  /** Two of them, in any order. */
  readonly revisions: readonly string[];
  readonly onClose: () => void;
}

/** The differences of two states of an object. */
export function CompareDialog({ path, revisions, onClose }: CompareDialogProps): ReactNode {
  const ordered = [...revisions].sort((a, b) => Number(a) - Number(b));
  const states = useQueries({
    queries: ordered.map((revision) => ({
      queryKey: ['past', path, revision],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => readPast(path, revision, signal),
      staleTime: Infinity,
    })),
  });
  const [from, to] = states.map(({ data }) => (data === undefined ? undefined : format(data)));
  const [first = '', second = ''] = ordered;
  return (
    <DialogFrame title={t`Revisions ${first} and ${second}`} onClose={onClose}>
      {from === undefined || to === undefined ? (
        <Pending error={states.find(({ error }) => error !== null)?.error} />
      ) : (
        <Diff from={from} to={to} />
      )}
      <div className="actions">
        <button type="button" autoFocus onClick={onClose}>
          {t`Close`}
        </button>
      </div>
    </DialogFrame>
  );
}

const format = (state: unknown): string => stringify(undone(state, undefined), { lineWidth: 0 });
