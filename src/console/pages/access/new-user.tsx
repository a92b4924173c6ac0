import { useState, type ReactNode } from 'react';
import { createUser, USERS } from '../../api/platform/access.js';
import { useMay } from '../../api/platform/rights.js';
import { TextField } from '../../parts/field.js';
import { DialogButton } from '../../parts/dialogs/dialog-button.js';
import { FormDialog } from '../../parts/dialogs/form-dialog.js';
import { t } from '../../texts.js';
import { useAccessWrite } from './use-access-write.js';

export function NewUser(): ReactNode {
  const isAllowed = useMay('create', USERS);
  const dialog = (onClose: () => void): ReactNode => <NewUserDialog onClose={onClose} />;
  return <DialogButton label={t`New user`} isAllowed={isAllowed} dialog={dialog} />;
}

function NewUserDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [name, setName] = useState('');
  const [displayName, setDisplayName] = useState('');
  const { mutate, isPending, error } = useAccessWrite(() => createUser(name, displayName.trim()), onClose);
  return (
    <FormDialog
      title={t`New user`}
      action={t`Create`}
      isBusy={isPending}
      error={error}
      onSubmit={mutate}
      onClose={onClose}
    >
      <TextField label={t`Name`} value={name} isRequired onChange={(typed) => setName(typed.trim())} />
      <TextField label={t`Display name`} value={displayName} onChange={setDisplayName} />
      <p className="faint">{t`New users have no permissions until you bind a role. They sign in with a token.`}</p>
    </FormDialog>
  );
}
