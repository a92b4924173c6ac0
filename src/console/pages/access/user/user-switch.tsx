import type { ReactNode } from 'react';
import { setDisabled, USERS } from '../../../api/platform/access.js';
import { useMay } from '../../../api/platform/rights.js';
import { Confirm } from '../../../parts/dialogs/confirm.js';
import { DialogButton } from '../../../parts/dialogs/dialog-button.js';
import { t } from '../../../texts.js';
import { useAccessWrite } from '../use-access-write.js';

interface UserSwitchProps {
  readonly name: string;
  readonly isDisabled: boolean;
}

/** Rejects the tokens of a user, or accepts them again. */
export function UserSwitch(props: UserSwitchProps): ReactNode {
  const isAllowed = useMay('patch', USERS, props.name);
  return (
    <DialogButton
      label={props.isDisabled ? t`Enable` : t`Disable`}
      isAllowed={isAllowed}
      dialog={(onClose) => <SwitchDialog {...props} onClose={onClose} />}
    />
  );
}

interface SwitchDialogProps extends UserSwitchProps {
  readonly onClose: () => void;
}

function SwitchDialog({ name, isDisabled, onClose }: SwitchDialogProps): ReactNode {
  const { mutate, isPending, error } = useAccessWrite(() => setDisabled(name, !isDisabled), onClose);
  return (
    <Confirm
      title={isDisabled ? t`Enable ${name}?` : t`Disable ${name}?`}
      action={isDisabled ? t`Enable` : t`Disable`}
      isDangerous={!isDisabled}
      isBusy={isPending}
      error={error}
      onConfirm={() => mutate()}
      onCancel={onClose}
    >
      <p className="faint">
        {isDisabled ? t`Its tokens are accepted again.` : t`All its tokens are rejected until you enable it.`}
      </p>
    </Confirm>
  );
}
