import { useState, type ReactNode } from 'react';
import { FormDialog } from '../../../parts/dialogs/form-dialog.js';
import { TextField } from '../../../parts/field.js';
import { t } from '../../../texts.js';
import type { SavedView, ViewDraft } from './saved-views.js';

interface ViewDialogProps {
  /** Undefined for a new one. */
  readonly view: SavedView | undefined;
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly onSave: (draft: ViewDraft) => void;
  readonly onClose: () => void;
}

/** The name of a view, and who sees it. */
export default function ViewDialog({ view, isBusy, error, onSave, onClose }: ViewDialogProps): ReactNode {
  const [title, setTitle] = useState(view?.title ?? '');
  const [isShared, setIsShared] = useState(view?.isShared ?? false);
  return (
    <FormDialog
      title={view === undefined ? t`Save view` : t`Rename view`}
      action={t`Save`}
      isBusy={isBusy}
      error={error}
      onSubmit={() => onSave({ title: title.trim(), isShared })}
      onClose={onClose}
    >
      <TextField label={t`Name of the view`} value={title} isRequired onChange={setTitle} />
      <label className="line">
        <input type="checkbox" checked={isShared} onChange={({ target }) => setIsShared(target.checked)} />
        {t`Share with everybody`}
      </label>
    </FormDialog>
  );
}
