import type { ReactNode } from 'react';
import { deleteObject } from '../../api/platform/access.js';
import type { ModelRef } from '../../api/models.js';
import type { Metadata } from '../../api/objects.js';
import { useMay } from '../../api/platform/rights.js';
import { Confirm } from '../../parts/dialogs/confirm.js';
import { DialogButton } from '../../parts/dialogs/dialog-button.js';
import { say } from '../../parts/dialogs/toasts.js';
import { t } from '../../texts.js';
import { useAccessWrite } from './use-access-write.js';

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
export function DeleteButton(props: DeleteButtonProps): ReactNode {
  const { model, metadata, action } = props;
  const { name } = metadata;
  const isAllowed = useMay('delete', model, name);
  return (
    <DialogButton
      label={action}
      name={`${action} ${name}`}
      className="quiet"
      isAllowed={isAllowed}
      dialog={(onClose) => <DeleteDialog {...props} onClose={onClose} />}
    />
  );
}

interface DeleteDialogProps extends DeleteButtonProps {
  readonly onClose: () => void;
}

function DeleteDialog({ model, metadata, action, onDone, onClose }: DeleteDialogProps): ReactNode {
  const { name } = metadata;
  const { mutate, isPending, error } = useAccessWrite(
    () => deleteObject(model, metadata),
    () => {
      onClose();
      say(t`${name} was deleted.`);
      onDone?.();
    },
  );
  return (
    <Confirm
      title={t`Delete ${name}?`}
      action={action}
      isDangerous
      isBusy={isPending}
      error={error}
      onConfirm={() => mutate()}
      onCancel={onClose}
    >
      <p className="faint">{EFFECTS[model.plural]?.()}</p>
    </Confirm>
  );
}
