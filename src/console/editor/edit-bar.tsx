import { useEffect, useMemo, useRef, type ReactNode } from 'react';
import type { Cause } from '../api/errors.js';
import { t } from '../texts.js';
import { fieldPlaces } from './field-places.js';
import type { Goal, Mark } from './places.js';
import { getCauses } from './problems.js';

interface Tour {
  /** The places of the problems; empty when none has a place. */
  readonly goals: readonly Goal[];
  /** Goes to the first one. */
  readonly begin: (goals?: readonly Goal[]) => void;
  /** Goes to the next one; the first one follows the last one. */
  readonly next: () => void;
}

interface TourOptions {
  readonly syntax: readonly Mark[];
  /** The error of the last save; null without one. */
  readonly error: unknown;
  /** The text of that save. */
  readonly sent: string;
  readonly isSaving: boolean;
  readonly onLead: (goal: Goal) => void;
}

/** The problems of a text, one by one. A refused save goes to the first one. */
export function useTour({ syntax, error, sent, isSaving, onLead }: TourOptions): Tour {
  const refused = useMemo(() => inOrder(getCauses(error), sent), [error, sent]);
  const goals: readonly Goal[] = syntax.length > 0 ? syntax : refused;
  const at = useRef(0);
  const known = useRef(error);
  const lead = (i: number, among = goals): void => {
    const goal = among[i % among.length];
    at.current = i + 1;
    if (goal !== undefined) onLead(goal);
  };
  useEffect(() => {
    // During a save a form cannot be focused.
    if (isSaving || known.current === error) return;
    known.current = error;
    lead(0, refused);
  }, [isSaving, error]);
  return { goals, begin: (among) => lead(0, among), next: () => lead(at.current) };
}

/** Sorts causes by the order of their fields in a text. */
export function inOrder(causes: readonly Cause[], content: string): readonly Cause[] {
  if (causes.length < 2) return causes;
  const getPlace = fieldPlaces(content);
  const placed = causes.map((cause) => ({ cause, line: getPlace(cause.field).line }));
  return placed.sort((a, b) => a.line - b.line).map(({ cause }) => cause);
}

interface EditBarProps {
  readonly tour: Tour;
  readonly isDirty: boolean;
  /** The number of changed values; undefined while it is unknown. */
  readonly changes?: number | undefined;
  /** Buttons. */
  readonly children: ReactNode;
}

/** Actions for a text, with its changes and problems; always visible, for texts of any length. */
export function EditBar({ tour: { goals, next }, isDirty, changes, children }: EditBarProps): ReactNode {
  return (
    <div className="edit-bar">
      <div className="edit-bar-state">
        {isDirty && (
          <>
            <span className="edit-bar-dot" />
            <span>
              {changes === undefined || changes === 0 ? t`Unsaved changes` : t`${changes} [change|changes]`}
            </span>
          </>
        )}
        {goals.length > 0 && (
          <button type="button" className="quiet problem" title={t`Go to it`} onClick={next}>
            {t`${goals.length} [problem|problems]`}
          </button>
        )}
      </div>
      <div className="actions">{children}</div>
    </div>
  );
}

interface SaveButtonProps {
  readonly isSaving: boolean;
  readonly isAllowed?: boolean;
  readonly onSave: () => void;
}

/** Saves, also by Ctrl+S anywhere on the page. During a save it keeps the focus. */
export function SaveButton({ isSaving, isAllowed = true, onSave }: SaveButtonProps): ReactNode {
  const isOff = isSaving || !isAllowed;
  const latest = useRef(onSave);
  useEffect(() => {
    latest.current = isOff ? () => undefined : onSave;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== 's') return;
      event.preventDefault();
      // A dialog over the page has its own buttons.
      if (document.querySelector('[role="dialog"]') === null) latest.current();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  return (
    <button
      type="button"
      className="primary"
      aria-disabled={isOff}
      aria-keyshortcuts="Control+S"
      onClick={() => latest.current()}
    >
      {isSaving ? t`Saving…` : t`Save`}
      <kbd aria-hidden="true">Ctrl S</kbd>
    </button>
  );
}
