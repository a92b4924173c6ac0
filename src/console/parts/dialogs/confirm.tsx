import type { ReactNode } from 'react';
import { text } from '../../texts.js';
import { DialogFrame } from './dialog-frame.js';
import { ErrorNotice } from '../notice.js';

interface QuestionProps {
  /** What the button says that does it. */
  readonly action: string;
  readonly isDangerous?: boolean;
  /** Whether it cannot be done now. */
  readonly isDisabled: boolean;
  /** Why it could not be done. */
  readonly error: unknown;
  /** Whether there is something to fill in first, which takes the focus. */
  readonly hasFields?: boolean;
  readonly children?: ReactNode;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

interface ConfirmProps extends Omit<QuestionProps, 'isDisabled'> {
  readonly title: string;
  readonly isBusy: boolean;
}

/** Asks before something is done. */
export function Confirm({ title, isBusy, ...question }: ConfirmProps): ReactNode {
  return (
    <DialogFrame title={title} onClose={isBusy ? undefined : question.onCancel}>
      <Question {...question} isDisabled={isBusy} />
    </DialogFrame>
  );
}

/** What a dialog asks, and its two answers. */
export function Question(props: QuestionProps): ReactNode {
  const { action, isDangerous = false, isDisabled, error, hasFields = false } = props;
  const { children, onConfirm, onCancel } = props;
  return (
    <>
      {children}
      {error !== null && error !== undefined && <ErrorNotice error={error} />}
      <div className="actions">
        <button type="button" autoFocus={!hasFields} onClick={onCancel}>
          {text.cancel}
        </button>
        <button
          type="button"
          className={isDangerous ? 'danger' : 'primary'}
          disabled={isDisabled}
          onClick={onConfirm}
        >
          {action}
        </button>
      </div>
    </>
  );
}
