import type { ReactNode } from 'react';
import { DialogFrame } from '../../parts/dialogs/dialog-frame.js';
import { t } from '../../texts.js';
import ApiView from '../object/api-view.js';
import { useListState } from './list-context.js';
import { getRequest } from './parameters.js';

/** The requests of a program for the list on the screen. */
export default function ApiPanel({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { modelRef, rowParameters } = useListState();
  return (
    <DialogFrame title={t`API`} onClose={onClose}>
      <ApiView modelRef={modelRef} parameters={getRequest(rowParameters)} />
      <div className="actions">
        <button type="button" onClick={onClose}>
          {t`Close`}
        </button>
      </div>
    </DialogFrame>
  );
}
