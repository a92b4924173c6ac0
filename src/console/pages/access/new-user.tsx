import { useState, type ReactNode } from 'react';
import { createUser, USERS } from '../../api/platform/access.js';
import { useMay } from '../../api/platform/rights.js';
import { TextField } from '../../parts/field.js';
import { FormDialog } from '../../parts/dialogs/form-dialog.js';
import { text } from '../../texts.js';
import { useAccessWrite } from './use-access-write.js';

export function NewUser(): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const mayCreate = useMay('create', USERS);
  return (
    <>
      {mayCreate && (
        <button type="button" onClick={() => setIsOpen(true)}>
          {text.access.newUser}
        </button>
      )}
      {isOpen && <NewUserDialog onClose={() => setIsOpen(false)} />}
    </>
  );
}

function NewUserDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [name, setName] = useState('');
  const [displayName, setDisplayName] = useState('');
  const { mutate, isPending, error } = useAccessWrite(() => createUser(name, displayName.trim()), onClose);
  const { access } = text;
  return (
    <FormDialog
      title={access.newUser}
      action={text.create}
      isBusy={isPending}
      error={error}
      onSubmit={mutate}
      onClose={onClose}
    >
      <TextField label={access.name} value={name} isRequired onChange={(typed) => setName(typed.trim())} />
      <TextField label={access.displayName} value={displayName} onChange={setDisplayName} />
      <p className="faint">{access.newUserHint}</p>
    </FormDialog>
  );
}
