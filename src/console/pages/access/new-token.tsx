import { useState, type ReactNode } from 'react';
import { canMakeTokens, createToken, TOKENS, useAccessObjects, USERS } from '../../api/platform/access.js';
import { useMay } from '../../api/platform/rights.js';
import { Choice } from '../../parts/field.js';
import { DialogFrame } from '../../parts/dialogs/dialog-frame.js';
import { FormDialog } from '../../parts/dialogs/form-dialog.js';
import { text } from '../../texts.js';
import { getChoices, getNames } from './new-binding.js';
import { useAccessWrite } from './use-access-write.js';
import { useName } from './use-name.js';

const DAY_MS = 86_400_000;
const DAYS = ['1', '30', '365'] as const;
const EVER = 'ever';

/** Creates a token, and displays it once: neither the page nor the service keeps it. */
export function NewToken(): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const [token, setToken] = useState<string>();
  const close = (): void => {
    setIsOpen(false);
    setToken(undefined);
  };
  const mayCreate = useMay('create', TOKENS);
  if (mayCreate && !canMakeTokens) return <p className="faint">{text.access.noTokens}</p>;
  return (
    <>
      {mayCreate && (
        <button type="button" onClick={() => setIsOpen(true)}>
          {text.access.newToken}
        </button>
      )}
      {isOpen && token === undefined && <NewTokenDialog onMade={setToken} onClose={close} />}
      {token !== undefined && <TokenOnce token={token} onClose={close} />}
    </>
  );
}

interface NewTokenDialogProps {
  readonly onMade: (token: string) => void;
  readonly onClose: () => void;
}

function NewTokenDialog({ onMade, onClose }: NewTokenDialogProps): ReactNode {
  const users = getNames(useAccessObjects(USERS).data);
  const [user, setUser] = useName(users);
  const [days, setDays] = useState<string>('30');
  const ttlMs = days === EVER ? undefined : Number(days) * DAY_MS;
  const { mutate, isPending, error } = useAccessWrite(() => createToken(user, ttlMs), onMade);
  const { access } = text;
  return (
    <FormDialog
      title={access.newToken}
      action={text.create}
      isBusy={isPending || user === ''}
      error={error}
      onSubmit={mutate}
      onClose={onClose}
    >
      <Choice label={access.user} value={user} choices={getChoices(users)} onChange={setUser} />
      <Choice
        label={access.goodFor}
        value={days}
        choices={[...DAYS.map((one) => [one, access.days(Number(one))] as const), [EVER, access.forEver]]}
        onChange={setDays}
      />
    </FormDialog>
  );
}

/** Only its button closes it, so that a click outside does not lose the token. */
function TokenOnce({ token, onClose }: { readonly token: string; readonly onClose: () => void }): ReactNode {
  const [notice, setNotice] = useState('');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(token);
      setNotice(text.access.copied);
    } catch {
      setNotice(text.access.notCopied);
    }
  };
  return (
    <DialogFrame title={text.access.tokenOnce}>
      <p>{text.access.tokenHint}</p>
      <code className="secret">{token}</code>
      <p className="faint" role="status">
        {notice}
      </p>
      <div className="actions">
        <button type="button" autoFocus onClick={() => void copy()}>
          {text.access.copy}
        </button>
        <button type="button" className="primary" onClick={onClose}>
          {text.close}
        </button>
      </div>
    </DialogFrame>
  );
}
