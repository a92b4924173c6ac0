import { useState, type ReactNode } from 'react';
import { canMakeTokens, createToken, TOKENS, useAccessObjects, USERS } from '../../api/platform/access.js';
import { useMay } from '../../api/platform/rights.js';
import { CopiedText } from '../../parts/copy-button.js';
import { Choice } from '../../parts/field.js';
import { DialogButton } from '../../parts/dialogs/dialog-button.js';
import { CloseButton, DialogFrame } from '../../parts/dialogs/dialog-frame.js';
import { FormDialog } from '../../parts/dialogs/form-dialog.js';
import { t } from '../../texts.js';
import { getNames } from './new-binding.js';
import { useAccessWrite } from './use-access-write.js';
import { useName } from './use-name.js';

const DAY_MS = 86_400_000;
const DAYS = ['1', '30', '365'] as const;
const NEVER = 'never';

interface NewTokenProps {
  /** Default: the reader chooses. */
  readonly user?: string;
}

/** Creates a token, and displays it once: neither the page nor the service keeps it. */
export function NewToken(props: NewTokenProps): ReactNode {
  const isAllowed = useMay('create', TOKENS);
  if (isAllowed && !canMakeTokens)
    return (
      <p className="faint">{t`To create a token, open this page over HTTPS, or use xsvc token create.`}</p>
    );
  const dialog = (onClose: () => void): ReactNode => <NewTokenDialog {...props} onClose={onClose} />;
  return <DialogButton label={t`New token`} isAllowed={isAllowed} dialog={dialog} />;
}

interface NewTokenDialogProps extends NewTokenProps {
  readonly onClose: () => void;
}

function NewTokenDialog({ user: given, onClose }: NewTokenDialogProps): ReactNode {
  const [token, setToken] = useState<string>();
  const users = getNames(useAccessObjects(USERS).data);
  // Nobody at first: a token of the wrong user is a risk.
  const [chosen, setUser] = useName(users, false);
  const user = given ?? chosen;
  const [days, setDays] = useState<string>('30');
  const ttlMs = days === NEVER ? undefined : Number(days) * DAY_MS;
  const { mutate, isPending, error } = useAccessWrite(() => createToken(user, ttlMs), setToken);
  if (token !== undefined) return <TokenOnce token={token} onClose={onClose} />;
  return (
    <FormDialog
      title={given === undefined ? t`New token` : t`New token for ${given}`}
      action={t`Create`}
      isBusy={isPending || user === ''}
      error={error}
      onSubmit={mutate}
      onClose={onClose}
    >
      {given === undefined && <Choice label={t`User`} value={user} choices={users} onChange={setUser} />}
      <Choice
        label={t`Expires`}
        value={days}
        choices={[...DAYS.map((one) => [one, t`in ${Number(one)} [day|days]`] as const), [NEVER, t`never`]]}
        onChange={setDays}
      />
    </FormDialog>
  );
}

/** Only its button closes it, so that a click outside does not lose the token. */
function TokenOnce({ token, onClose }: { readonly token: string; readonly onClose: () => void }): ReactNode {
  return (
    <DialogFrame title={t`This token is shown only now`}>
      <p>{t`Only its digest is stored. Copy it before you close this: it cannot be shown again.`}</p>
      <CopiedText label={t`Token`} value={token} hasFocus />
      <CloseButton onClose={onClose} />
    </DialogFrame>
  );
}
