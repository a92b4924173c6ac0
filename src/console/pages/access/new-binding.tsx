import { useState, type ReactNode } from 'react';
import { bindRole, ROLE_BINDINGS, ROLES, useAccessObjects, USERS } from '../../api/platform/access.js';
import type { StoredObject } from '../../api/objects.js';
import { useMay } from '../../api/platform/rights.js';
import { Choice } from '../../parts/field.js';
import { FormDialog } from '../../parts/dialogs/form-dialog.js';
import { text } from '../../texts.js';
import { useAccessWrite } from './use-access-write.js';
import { useName } from './use-name.js';

export function NewBinding(): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const mayCreate = useMay('create', ROLE_BINDINGS);
  return (
    <>
      {mayCreate && (
        <button type="button" onClick={() => setIsOpen(true)}>
          {text.access.newBinding}
        </button>
      )}
      {isOpen && <NewBindingDialog onClose={() => setIsOpen(false)} />}
    </>
  );
}

function NewBindingDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const users = getNames(useAccessObjects(USERS).data);
  const roles = getNames(useAccessObjects(ROLES).data);
  const [user, setUser] = useName(users);
  const [role, setRole] = useName(roles);
  const { mutate, isPending, error } = useAccessWrite(() => bindRole(user, role), onClose);
  const { access } = text;
  return (
    <FormDialog
      title={access.newBinding}
      action={text.create}
      isBusy={isPending || user === '' || role === ''}
      error={error}
      onSubmit={mutate}
      onClose={onClose}
    >
      <Choice label={access.user} value={user} choices={getChoices(users)} onChange={setUser} />
      <Choice label={access.role} value={role} choices={getChoices(roles)} onChange={setRole} />
    </FormDialog>
  );
}

export function getNames(objects: readonly StoredObject[] = []): readonly string[] {
  return objects.map(({ metadata }) => metadata.name);
}

export function getChoices(names: readonly string[]): readonly (readonly [string, string])[] {
  return names.map((name) => [name, name]);
}
