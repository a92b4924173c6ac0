import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { getPath } from '../../api/models.js';
import { send } from '../../api/http.js';
import { useMay } from '../../api/platform/rights.js';
import { INSTANCE } from '../../lib/instance.js';
import { formatFileName, saveFile } from '../list/export/save-file.js';
import { DialogButton } from '../../parts/dialogs/dialog-button.js';
import { Question } from '../../parts/dialogs/confirm.js';
import { DialogFrame } from '../../parts/dialogs/dialog-frame.js';
import { t } from '../../texts.js';

const BACKUPS = { group: 'api.platform.run', version: 'v1alpha1', plural: 'backups' };

/** Downloads the whole store as one file. */
export function BackupButton(): ReactNode {
  return (
    <DialogButton
      label={t`Back up`}
      isAllowed={useMay('create', BACKUPS)}
      dialog={(onClose) => <BackupDialog onClose={onClose} />}
    />
  );
}

function BackupDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const name = formatFileName(INSTANCE.name, 'backup');
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      const response = await send(getPath(BACKUPS), {
        method: 'POST',
        headers: { Accept: 'application/octet-stream' },
      });
      saveFile(await response.blob(), name);
    },
    onSuccess: onClose,
  });
  return (
    <DialogFrame title={t`Back up the store?`} onClose={isPending ? undefined : onClose}>
      <Question
        action={isPending ? t`Backing up…` : t`Download`}
        isDisabled={isPending}
        error={error}
        onConfirm={() => mutate()}
        onCancel={onClose}
      >
        <p>{t`The file contains all objects and their history, with tokens and other secrets. Keep it in a safe place.`}</p>
        <p className="faint">{t`Stop the service and run this command to restore it:`}</p>
        <code className="text">{`xsvc restore ${name}`}</code>
      </Question>
    </DialogFrame>
  );
}
