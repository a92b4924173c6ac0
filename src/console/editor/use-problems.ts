import { useMemo, useRef, useState, type RefObject } from 'react';
import { syntaxMarks } from './document.js';
import { useTour } from './edit-bar.js';
import type { Goal, Guide, Mark } from './places.js';
import { getMarks } from './problems.js';
import { useSyntax } from './use-syntax.js';

/** The text of an editor, and its last save. */
interface Edited {
  readonly content: string;
  readonly error: unknown;
  readonly isSaving: boolean;
  /** True when a form writes it: then its syntax is right. */
  readonly isForm?: boolean;
}

interface EditProblems {
  /** The errors of the syntax. */
  readonly syntax: readonly Mark[];
  /** The same, and those that the service reported. */
  readonly marks: readonly Mark[];
  readonly guide: RefObject<Guide | null>;
  readonly lead: (goal: Goal) => void;
  readonly tour: ReturnType<typeof useTour>;
  /** False when its syntax is wrong; then the first error is displayed. */
  readonly isValid: (content: string) => boolean;
  /** Notes the text that is sent: the errors of the service belong to it. */
  readonly setSent: (content: string) => void;
}

const NONE: readonly Mark[] = [];

/** The problems of an edited text. */
export function useProblems({ content, error, isSaving, isForm = false }: Edited): EditProblems {
  const syntax = useSyntax(content, !isForm);
  // For the sent text: while the user corrects it, the marks move with its lines.
  const [sent, setSent] = useState('');
  const refused = useMemo(() => (isForm ? NONE : getMarks(error, sent)), [error, sent, isForm]);
  const marks = useMemo(() => [...syntax, ...refused], [syntax, refused]);
  const guide = useRef<Guide>(null);
  const lead = (goal: Goal): void => guide.current?.leadTo(goal);
  const tour = useTour({ syntax, error, sent, isSaving, onLead: lead });
  const isValid = (text: string): boolean => {
    const invalid = syntaxMarks(text);
    if (invalid.length > 0) tour.begin(invalid);
    return invalid.length === 0;
  };
  return { syntax, marks, guide, lead, tour, isValid, setSent };
}
