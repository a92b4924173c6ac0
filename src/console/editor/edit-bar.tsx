import { useEffect, useMemo, useRef, type ReactNode } from 'react';
import type { Cause } from '../api/errors.js';
import { text } from '../texts.js';
import { fieldPlaces } from './field-places.js';
import type { Goal, Mark } from './places.js';
import { getCauses } from './problems.js';

interface Tour {
  /** Where the problems are; empty where none has a place. */
  readonly goals: readonly Goal[];
  /** Leads to the first one. */
  readonly begin: (goals?: readonly Goal[]) => void;
  /** Leads to the one after that. After the last one comes the first one. */
  readonly next: () => void;
}

interface TourOptions {
  readonly syntax: readonly Mark[];
  /** Why the last save failed; null where it did not. */
  readonly error: unknown;
  /** The text that was sent then. */
  readonly sent: string;
  readonly isSaving: boolean;
  readonly onLead: (goal: Goal) => void;
}

/** The problems of a text, to go through one by one. A save that is refused leads to the first of them. */
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
    // While it is being saved, a form takes no focus.
    if (isSaving || known.current === error) return;
    known.current = error;
    lead(0, refused);
  }, [isSaving, error]);
  return { goals, begin: (among) => lead(0, among), next: () => lead(at.current) };
}

/** As their fields come in a text. */
export function inOrder(causes: readonly Cause[], content: string): readonly Cause[] {
  if (causes.length < 2) return causes;
  const getPlace = fieldPlaces(content);
  const placed = causes.map((cause) => ({ cause, line: getPlace(cause.field).line }));
  return placed.sort((a, b) => a.line - b.line).map(({ cause }) => cause);
}

interface EditBarProps {
  readonly tour: Tour;
  readonly isDirty: boolean;
  /** Buttons. */
  readonly children: ReactNode;
}

/** Actions for a text and the number of its problems; always in sight, however long the text is. */
export function EditBar({ tour: { goals, next }, isDirty, children }: EditBarProps): ReactNode {
  return (
    <div className="edit-bar">
      {goals.length > 0 ? (
        <button type="button" className="quiet problem" title={text.editor.goTo} onClick={next}>
          {text.editor.problems(goals.length)}
        </button>
      ) : (
        <span className="faint">{isDirty && text.editor.unsaved}</span>
      )}
      <div className="actions">{children}</div>
    </div>
  );
}
