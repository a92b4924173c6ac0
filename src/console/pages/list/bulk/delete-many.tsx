import type { ReactNode } from 'react';
import { getApiVersion, type Model } from '../../../api/models.js';
import { text } from '../../../texts.js';
import { BulkDialog, type Target } from './bulk-dialog.js';

export interface ManyProps {
  readonly model: Model;
  readonly target: Target;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Asks for confirmation and deletes the selected objects. */
export function DeleteMany({ model, target, onDone, onClose }: ManyProps): ReactNode {
  const { kind } = model;
  const apiVersion = getApiVersion(model);
  return (
    <BulkDialog
      target={target}
      title={text.list.deleteTitle(target.count, model.plural)}
      action={text.delete}
      isDangerous
      itemOf={(name) => ({ verb: 'delete', apiVersion, kind, name })}
      verb={text.list.deleted}
      onDone={onDone}
      onClose={onClose}
    >
      <p className="faint">
        {text.list.bulk.hint} {text.list.deleteHint}
      </p>
    </BulkDialog>
  );
}
