import { useEffect, type ReactNode } from 'react';
import { useLatest } from '../lib/use-latest.js';
import { t } from '../texts.js';
import type { EditProblems } from './use-problems.js';

interface EditBarProps {
  readonly problems: Pick<EditProblems, 'count' | 'next'>;
  readonly isDirty: boolean;
  /** The number of changed values; undefined while it is unknown. */
  readonly changes?: number | undefined;
  readonly children: ReactNode;
}

/** Actions for a text, with its changes and problems; always visible, for texts of any length. */
export function EditBar({ problems, isDirty, changes = 0, children }: EditBarProps): ReactNode {
  const { count, next } = problems;
  return (
    <div className="row spread edit-bar">
      <div className="line edit-bar-state">
        {isDirty && (
          <>
            <span className="unsaved" />
            <span>{changes === 0 ? t`Unsaved changes` : t`${changes} [change|changes]`}</span>
          </>
        )}
        {count > 0 && (
          <button type="button" className="quiet problem" title={t`Go to it`} onClick={next}>
            {t`${count} [problem|problems]`}
          </button>
        )}
      </div>
      <div className="actions">{children}</div>
    </div>
  );
}

interface SaveButtonProps {
  /** Default: `Save`. */
  readonly label?: string;
  readonly isSaving: boolean;
  /** False while there is nothing to save. Default: true. */
  readonly isUseful?: boolean;
  readonly isAllowed?: boolean;
  readonly onSave: () => void;
}

/** Saves, also by Ctrl+S anywhere on the page. During a save it keeps the focus. */
export function SaveButton(props: SaveButtonProps): ReactNode {
  const { label, isSaving, isUseful = true, isAllowed = true, onSave } = props;
  const isOff = isSaving || !isAllowed;
  const save = useLatest(() => {
    if (!isOff) onSave();
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== 's') return;
      event.preventDefault();
      // A dialog over the page has its own buttons.
      if (document.querySelector('[role="dialog"]') === null) save();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  return (
    <button
      type="button"
      className={isUseful ? 'primary' : undefined}
      aria-disabled={isOff}
      aria-keyshortcuts="Control+S"
      onClick={() => save()}
    >
      {isSaving ? t`Saving…` : (label ?? t`Save`)}
      <kbd aria-hidden="true">{t`Ctrl`} S</kbd>
    </button>
  );
}
