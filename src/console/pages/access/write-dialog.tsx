import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ModelRef } from '../../api/models.js';
import type { Metadata } from '../../api/objects.js';
import { deleteObject } from '../../api/platform/access.js';
import { useMay } from '../../api/platform/rights.js';
import { Confirm } from '../../parts/dialogs/confirm.js';
import { DialogButton } from '../../parts/dialogs/dialog-button.js';
import { FormDialog } from '../../parts/dialogs/form-dialog.js';
import { say } from '../../parts/dialogs/toasts.js';
import { t } from '../../texts.js';

/** A write of access objects; the displayed ones are read again after it. */
export function useAccessWrite<T, V = void>(
  write: (given: V) => Promise<T>,
  onDone: (result: T) => void,
): UseMutationResult<T, Error, V> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: write,
    onSuccess: onDone,
    // A refusal may mean that they were changed.
    onSettled: () => client.invalidateQueries({ queryKey: ['access'] }),
  });
}

interface WriteDialogProps<T> {
  readonly title: string;
  readonly action: string;
  /** Of a question. Absent for a dialog with fields. */
  readonly isDangerous?: boolean;
  /** False while fields are empty. */
  readonly isReady?: boolean;
  readonly children: ReactNode;
  readonly write: () => Promise<T>;
  /** Called after the write, when the dialog is closed. */
  readonly onDone?: (result: T) => void;
  readonly onClose: () => void;
}

/** A question, or fields, before a write of access objects. */
export function WriteDialog<T>(props: WriteDialogProps<T>): ReactNode {
  const { isDangerous, isReady = true, write, onDone, onClose, ...dialog } = props;
  const { mutate, isPending, error } = useAccessWrite(write, (result) => {
    onClose();
    onDone?.(result);
  });
  const isBusy = isPending || !isReady;
  return isDangerous === undefined ? (
    <FormDialog {...dialog} isBusy={isBusy} error={error} onSubmit={mutate} onClose={onClose} />
  ) : (
    <Confirm
      {...dialog}
      {...{ isDangerous, error }}
      isDisabled={isBusy}
      onConfirm={mutate}
      onCancel={onClose}
    />
  );
}

interface DeleteButtonProps {
  readonly model: ModelRef;
  readonly metadata: Metadata;
  readonly action: string;
  /** Called after the deletion. */
  readonly onDone?: () => void;
}

/** The effect of a deletion, by the model. */
const EFFECTS: Readonly<Record<string, () => string>> = {
  users: () =>
    t`Tokens of this user are rejected immediately. A user created again under the same name does not have them.`,
  roles: () => t`Bindings to it no longer grant any rights.`,
  rolebindings: () => t`Its users lose the rights of the role, unless another binding grants them.`,
  tokens: () => t`Requests with it are rejected immediately.`,
};

/** Deletes an object after a confirmation. */
export function DeleteButton({ model, metadata, action, onDone }: DeleteButtonProps): ReactNode {
  const { name } = metadata;
  return (
    <DialogButton
      label={action}
      name={`${action} ${name}`}
      className="quiet"
      isAllowed={useMay('delete', model, name)}
      dialog={(onClose) => (
        <WriteDialog
          title={t`Delete ${name}?`}
          action={action}
          isDangerous
          write={() => deleteObject(model, metadata)}
          onDone={() => {
            say(t`${name} was deleted.`);
            onDone?.();
          }}
          onClose={onClose}
        >
          <p className="faint">{EFFECTS[model.plural]?.()}</p>
        </WriteDialog>
      )}
    />
  );
}
