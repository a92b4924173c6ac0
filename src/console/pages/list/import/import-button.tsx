import type { ReactNode } from 'react';
import type { Model } from '../../../api/models.js';
import { DialogButton } from '../../../parts/dialogs/dialog-button.js';
import { CompactLabel } from '../../../parts/icon.js';
import { lazyPart } from '../../../parts/lazy-part.js';
import { t } from '../../../texts.js';

const ImportDialog = lazyPart(() => import('./import-dialog.js'));

/** Opens the import of objects. */
export function ImportButton({ model }: { readonly model: Model }): ReactNode {
  return (
    <DialogButton
      label={<CompactLabel name="upload">{t`Import`}</CompactLabel>}
      isAllowed
      dialog={(onClose) => <ImportDialog model={model} onClose={onClose} />}
    />
  );
}
