import { useEffect, useRef, type ReactNode, type SubmitEvent } from 'react';
import { DialogFrame } from './dialog-frame.js';
import { ErrorNotice } from '../notice.js';
import { t } from '../../texts.js';

interface FormDialogProps {
  readonly title: string;
  /** The label of the button that submits it. */
  readonly action: string;
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly children: ReactNode;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
}

/** Some fields, and a button that submits them. The first one has the focus. */
export function FormDialog(props: FormDialogProps): ReactNode {
  const { title, action, isBusy, error, children, onSubmit, onClose } = props;
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>('input, select')?.focus(), []);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <DialogFrame title={title} onClose={onClose}>
      <form ref={form} className="stack" onSubmit={submit}>
        {children}
        {error !== null && error !== undefined && <ErrorNotice error={error} />}
        <div className="actions">
          <button type="button" onClick={onClose}>
            {t`Cancel`}
          </button>
          <button type="submit" className="primary" disabled={isBusy}>
            {action}
          </button>
        </div>
      </form>
    </DialogFrame>
  );
}
