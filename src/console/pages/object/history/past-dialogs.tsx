import {
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
  type UseQueryOptions,
} from '@tanstack/react-query';
import { useMemo, useState, type ReactNode } from 'react';
import { stringify } from 'yaml';
import { send } from '../../../api/http.js';
import type { StoredObject } from '../../../api/objects.js';
import { Confirm } from '../../../parts/dialogs/confirm.js';
import { CloseButton, DialogFrame } from '../../../parts/dialogs/dialog-frame.js';
import { say } from '../../../parts/dialogs/toasts.js';
import { Diff } from '../../../parts/diff.js';
import { Pending } from '../../../parts/notice.js';
import { t } from '../../../texts.js';
import { isSameWork, readPast, undone } from './history.js';

const pastQuery = (path: string, revision: string): UseQueryOptions => ({
  queryKey: ['past', path, revision],
  queryFn: ({ signal }) => readPast(path, revision, signal),
  staleTime: Infinity,
});

interface CompareDialogProps {
  readonly path: string;
  /** Two of them, in any order. */
  readonly revisions: readonly string[];
  readonly onClose: () => void;
}

/** The differences of two states of an object. */
export function CompareDialog({ path, revisions, onClose }: CompareDialogProps): ReactNode {
  const ordered = [...revisions].sort((a, b) => Number(a) - Number(b));
  const states = useQueries({ queries: ordered.map((revision) => pastQuery(path, revision)) });
  const [from, to] = states.map(({ data }) =>
    data === undefined ? undefined : stringify(undone(data, undefined), { lineWidth: 0 }),
  );
  const [first = '', second = ''] = ordered;
  return (
    <DialogFrame title={t`Revisions ${first} and ${second}`} onClose={onClose}>
      {from === undefined || to === undefined ? (
        <Pending error={states.find(({ error }) => error !== null)?.error} />
      ) : (
        <Diff from={from} to={to} />
      )}
      <CloseButton hasFocus onClose={onClose} />
    </DialogFrame>
  );
}

interface UndoDialogProps {
  readonly path: string;
  /** Undefined when the object is deleted: then it is created again. */
  readonly live: StoredObject | undefined;
  /** The revision of the written state. */
  readonly revision: string;
  readonly isUndo: boolean;
  readonly onClose: () => void;
}

/** Displays the changes, and writes an earlier state over the one at the opening of the dialog. */
export function UndoDialog({ path, live, revision, isUndo, onClose }: UndoDialogProps): ReactNode {
  const client = useQueryClient();
  const [seen] = useState(live);
  const past = useQuery(pastQuery(path, revision));
  const target = useMemo(() => undone(past.data, seen), [past.data, seen]);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      seen === undefined
        ? send(path.replace(/\/[^/]+$/, ''), { method: 'POST', body: target })
        : // Overwrites later changes by controllers only; changes by others are a conflict, which the service reports.
          send(path, { method: 'PUT', body: isSameWork(seen, live) ? undone(past.data, live) : target }),
    onSuccess: () => {
      say(t`The earlier state was written.`);
      onClose();
      void client.invalidateQueries();
    },
  });
  const title = isUndo ? t`Undo the last change?` : t`Restore the state of revision ${revision}?`;
  return (
    <Confirm
      title={seen === undefined ? t`Create this object again?` : title}
      action={isUndo ? t`Undo` : t`Restore this state`}
      isDisabled={isPending || past.data === undefined}
      error={error}
      onConfirm={() => mutate()}
      onCancel={onClose}
    >
      <p className="faint">{t`The earlier state is written as a new change; status and finalizers stay.`}</p>
      {past.data === undefined ? (
        <Pending error={past.error} />
      ) : (
        <Diff from={seen === undefined ? '' : indented(undone(seen, seen))} to={indented(target)} />
      )}
    </Confirm>
  );
}

function indented(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
