import { useState, type ReactNode } from 'react';
import {
  bindRole,
  canMakeTokens,
  createToken,
  createUser,
  ROLE_BINDINGS,
  ROLES,
  TOKENS,
  useAccessObjects,
  USERS,
  type Subject,
} from '../../api/platform/access.js';
import type { ModelRef } from '../../api/models.js';
import { useMay } from '../../api/platform/rights.js';
import { CopiedText } from '../../parts/copy-button.js';
import { DialogButton } from '../../parts/dialogs/dialog-button.js';
import { CloseButton, DialogFrame } from '../../parts/dialogs/dialog-frame.js';
import { Choice, TextField } from '../../parts/field.js';
import { t } from '../../texts.js';
import { useName } from './use-name.js';
import { WriteDialog } from './write-dialog.js';

interface DialogProps {
  readonly onClose: () => void;
}

export function NewUser(): ReactNode {
  const dialog = (onClose: () => void): ReactNode => <NewUserDialog onClose={onClose} />;
  return <DialogButton label={t`New user`} isAllowed={useMay('create', USERS)} dialog={dialog} />;
}

function NewUserDialog({ onClose }: DialogProps): ReactNode {
  const [name, setName] = useState('');
  const [displayName, setDisplayName] = useState('');
  return (
    <WriteDialog
      title={t`New user`}
      action={t`Create`}
      write={() => createUser(name, displayName.trim())}
      onClose={onClose}
    >
      <TextField label={t`Name`} value={name} isRequired onChange={(typed) => setName(typed.trim())} />
      <TextField label={t`Display name`} value={displayName} onChange={setDisplayName} />
      <p className="faint">{t`New users have no permissions until you bind a role. They sign in with a token.`}</p>
    </WriteDialog>
  );
}

export function NewBinding(): ReactNode {
  const dialog = (onClose: () => void): ReactNode => <NewBindingDialog onClose={onClose} />;
  return (
    <DialogButton label={t`New role binding`} isAllowed={useMay('create', ROLE_BINDINGS)} dialog={dialog} />
  );
}

function NewBindingDialog({ onClose }: DialogProps): ReactNode {
  const users = useNames(USERS);
  const roles = useNames(ROLES);
  const [user, setUser] = useName(users, false);
  const [role, setRole] = useName(roles, false);
  const [kind, setKind] = useState<Subject['kind']>('User');
  const [group, setGroup] = useState('');
  const name = kind === 'User' ? user : group.trim();
  return (
    <WriteDialog
      title={t`New role binding`}
      action={t`Create`}
      isReady={name !== '' && role !== ''}
      write={() => bindRole({ kind, name }, role)}
      onClose={onClose}
    >
      <Choice
        label={t`Give the role to`}
        value={kind}
        choices={[
          ['User', t`a user`],
          ['Group', t`a group`],
        ]}
        onChange={(chosen) => setKind(chosen === 'Group' ? 'Group' : 'User')}
      />
      {kind === 'User' ? (
        <Choice label={t`User`} value={user} choices={users} onChange={setUser} />
      ) : (
        <TextField label={t`Group`} value={group} isRequired onChange={setGroup} />
      )}
      <Choice label={t`Role`} value={role} choices={roles} onChange={setRole} />
    </WriteDialog>
  );
}

function useNames(model: ModelRef): readonly string[] {
  return (useAccessObjects(model).data ?? []).map(({ metadata }) => metadata.name);
}

const DAY_MS = 86_400_000;
const DAYS = ['1', '30', '365'] as const;
const NEVER = 'never';

interface NewTokenProps {
  /** Absent: the reader chooses. */
  readonly user?: string;
}

/** Creates a token, and displays it once: neither the page nor the service keeps it. */
export function NewToken(props: NewTokenProps): ReactNode {
  const [token, setToken] = useState<string>();
  const isAllowed = useMay('create', TOKENS);
  if (isAllowed && !canMakeTokens)
    return (
      <p className="faint">{t`To create a token, open this page over HTTPS, or use xsvc token create.`}</p>
    );
  return (
    <>
      <DialogButton
        label={t`New token`}
        isAllowed={isAllowed}
        dialog={(onClose) => <NewTokenDialog {...props} onMade={setToken} onClose={onClose} />}
      />
      {token !== undefined && (
        // Only its button closes it, so that a click outside does not lose the token.
        <DialogFrame title={t`This token is shown only now`}>
          <p>{t`Only its digest is stored. Copy it before you close this: it cannot be shown again.`}</p>
          <CopiedText label={t`Token`} value={token} hasFocus />
          <CloseButton onClose={() => setToken(undefined)} />
        </DialogFrame>
      )}
    </>
  );
}

interface NewTokenDialogProps extends NewTokenProps, DialogProps {
  readonly onMade: (token: string) => void;
}

function NewTokenDialog({ user: given, onMade, onClose }: NewTokenDialogProps): ReactNode {
  const users = useNames(USERS);
  // Nobody at first: a token of the wrong user is a risk.
  const [chosen, setUser] = useName(users, false);
  const user = given ?? chosen;
  const [days, setDays] = useState<string>('30');
  return (
    <WriteDialog
      title={given === undefined ? t`New token` : t`New token for ${given}`}
      action={t`Create`}
      isReady={user !== ''}
      write={() => createToken(user, days === NEVER ? undefined : Number(days) * DAY_MS)}
      onDone={onMade}
      onClose={onClose}
    >
      {given === undefined && <Choice label={t`User`} value={user} choices={users} onChange={setUser} />}
      <Choice
        label={t`Expires`}
        value={days}
        choices={[...DAYS.map((one) => [one, t`in ${Number(one)} [day|days]`] as const), [NEVER, t`never`]]}
        onChange={setDays}
      />
    </WriteDialog>
  );
}
