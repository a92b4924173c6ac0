import type { ReactNode } from 'react';
import { bindRole, ROLE_BINDINGS, ROLES, useAccessObjects, USERS } from '../../api/platform/access.js';
import type { StoredObject } from '../../api/objects.js';
import { useMay } from '../../api/platform/rights.js';
import { Choice } from '../../parts/field.js';
import { DialogButton } from '../../parts/dialogs/dialog-button.js';
import { FormDialog } from '../../parts/dialogs/form-dialog.js';
import { t } from '../../texts.js';
import { useAccessWrite } from './use-access-write.js';
import { useName } from './use-name.js';

export function NewBinding(): ReactNode {
  const isAllowed = useMay('create', ROLE_BINDINGS);
  const dialog = (onClose: () => void): ReactNode => <NewBindingDialog onClose={onClose} />;
  return <DialogButton label={t`New role binding`} isAllowed={isAllowed} dialog={dialog} />;
}

function NewBindingDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const users = getNames(useAccessObjects(USERS).data);
  const roles = getNames(useAccessObjects(ROLES).data);
  const [user, setUser] = useName(users, false);
  const [role, setRole] = useName(roles, false);
  const { mutate, isPending, error } = useAccessWrite(() => bindRole(user, role), onClose);
  return (
    <FormDialog
      title={t`New role binding`}
      action={t`Create`}
      isBusy={isPending || user === '' || role === ''}
      error={error}
      onSubmit={mutate}
      onClose={onClose}
    >
      <Choice label={t`User`} value={user} choices={users} onChange={setUser} />
      <Choice label={t`Role`} value={role} choices={roles} onChange={setRole} />
    </FormDialog>
  );
}

export function getNames(objects: readonly StoredObject[] = []): readonly string[] {
  return objects.map(({ metadata }) => metadata.name);
}
