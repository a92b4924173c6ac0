import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useMay } from '../../api/platform/rights.js';
import { DEAD_LETTERS_KEY, replay, REPLAYS, type Replay, type Webhook } from '../../api/platform/webhooks.js';
import { DialogButton } from '../../parts/dialogs/dialog-button.js';
import { FormDialog } from '../../parts/dialogs/form-dialog.js';
import { say } from '../../parts/dialogs/toasts.js';
import { TextField } from '../../parts/field.js';
import { ErrorNotice } from '../../parts/notice.js';
import { t } from '../../texts.js';

interface ReplayActionsProps {
  readonly webhook: Webhook;
  readonly hasLetters: boolean;
}

/** Sends changes again: the dead letters, or all changes after a revision. */
export function ReplayActions({ webhook, hasLetters }: ReplayActionsProps): ReactNode {
  const { name } = webhook;
  const isAllowed = useMay('create', REPLAYS, name);
  const { mutate, isPending, error } = useReplay(name, (count) => {
    say(t`${count} [dead letter|dead letters] will be sent again`);
  });
  return (
    <>
      {isAllowed && hasLetters && (
        <button type="button" disabled={isPending} onClick={() => mutate({ deadletters: true })}>
          {t`Send dead letters again`}
        </button>
      )}
      <DialogButton
        label={t`Send from a revision`}
        isAllowed={isAllowed}
        dialog={(onClose) => <FromRevision webhook={webhook} onClose={onClose} />}
      />
      {error !== null && <ErrorNotice error={error} />}
    </>
  );
}

interface FromRevisionProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

function FromRevision({ webhook: { name, position }, onClose }: FromRevisionProps): ReactNode {
  const [typed, setTyped] = useState('');
  const revision = /^\s*\d{1,15}\s*$/.test(typed) ? Number(typed) : undefined;
  const { mutate, isPending, error } = useReplay(name, () => {
    onClose();
    say(t`The changes will be sent again.`);
  });
  return (
    <FormDialog
      title={t`Send changes again`}
      action={t`Send`}
      isBusy={isPending || revision === undefined}
      error={error}
      onSubmit={() => revision !== undefined && mutate({ fromRevision: revision })}
      onClose={onClose}
    >
      <p>{t`All changes after this revision are sent again, also acknowledged ones.`}</p>
      <TextField label={t`After revision`} value={typed} isRequired onChange={setTyped} />
      <p className="faint">{t`Sent so far: up to revision ${String(position)}.`}</p>
    </FormDialog>
  );
}

function useReplay(name: string, onDone: (count: number) => void): UseMutationResult<number, Error, Replay> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (what: Replay) => replay(name, what),
    onSuccess: async (count) => {
      onDone(count);
      await client.invalidateQueries({ queryKey: [...DEAD_LETTERS_KEY, name] });
    },
  });
}
