import type { ReactNode } from 'react';
import { getApiVersion, getNoun } from '../../../api/models.js';
import { t } from '../../../texts.js';
import { BulkDialog, type ManyProps } from './bulk-dialog.js';

/** Asks for confirmation and deletes the selected objects. */
export default function DeleteMany({ model, ...many }: ManyProps): ReactNode {
  const { kind } = model;
  const apiVersion = getApiVersion(model);
  return (
    <BulkDialog
      {...many}
      title={t`Delete ${many.target.count} ${getNoun(model, many.target.count)}?`}
      action={t`Delete`}
      isDangerous
      itemOf={(name) => ({ verb: 'delete', apiVersion, kind, name })}
      verb={(count) => t`${count} deleted`}
    >
      <p className="faint">
        {t`Up to 200 objects are changed in one step. Refused objects stay unchanged and are listed.`}{' '}
        {t`Objects with finalizers are marked for deletion, and removed when their finalizers are done.`}
      </p>
    </BulkDialog>
  );
}
