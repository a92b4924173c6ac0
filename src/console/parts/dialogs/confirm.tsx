import type { ReactNode } from 'react';
import { t } from '../../texts.js';
import { DialogFrame } from './dialog-frame.js';
import { ErrorNotice } from '../notice.js';

interface QuestionProps {
  /** The label of the button for the action. */
  readonly action: string;
  readonly isDangerous?: boolean;
  /** True when the action is not possible now. */
  readonly isDisabled: boolean;
  readonly error: unknown;
  /** True when it has fields, which get the focus. */
  readonly hasFields?: boolean;
  readonly children?: ReactNode;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

interface ConfirmProps extends QuestionProps {
  readonly title: string;
}

/** Asks for confirmation of an action. */
export function Confirm({ title, ...question }: ConfirmProps): ReactNode {
  return (
    <DialogFrame title={title} onClose={question.isDisabled ? undefined : question.onCancel}>
      <Question {...question} />
    </DialogFrame>
  );
}

/** The question of a dialog, and its two answers. */
export function Question(props: QuestionProps): ReactNode {
  const { action, isDangerous = false, isDisabled, error, hasFields = false } = props;
  const { children, onConfirm, onCancel } = props;
  return (
    <>
      {children}
      {error !== null && error !== undefined && <ErrorNotice error={error} />}
      <div className="actions">
        <button type="button" autoFocus={!hasFields} onClick={onCancel}>
          {t`Cancel`}
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
