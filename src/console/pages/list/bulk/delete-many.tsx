import type { ReactNode } from 'react';
import { getApiVersion, type Model } from '../../../api/models.js';
import { t } from '../../../texts.js';
import { BulkDialog, type Target } from './bulk-dialog.js';

export interface ManyProps {
  readonly model: Model;
  readonly target: Target;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Asks for confirmation and deletes the selected objects. */
export default function DeleteMany({ model, target, onDone, onClose }: ManyProps): ReactNode {
  const { kind } = model;
  const apiVersion = getApiVersion(model);
  return (
    <BulkDialog
      target={target}
      title={t`Delete ${target.count} ${model.plural}?`}
      action={t`Delete`}
      isDangerous
      itemOf={(name) => ({ verb: 'delete', apiVersion, kind, name })}
      verb={(count: number) => t`${count} deleted`}
      onDone={onDone}
      onClose={onClose}
    >
      <p className="faint">
        {t`Up to 200 objects are changed in one step. Refused objects stay unchanged and are listed.`}{' '}
        {t`Objects with finalizers are marked for deletion, and removed when their finalizers are done.`}
      </p>
    </BulkDialog>
  );
}
