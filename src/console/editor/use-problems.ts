import { useEffect, useMemo, useRef, useState } from 'react';
import { ApiError, type Cause } from '../api/errors.js';
import { fieldPlaces, syntaxMarks } from './document.js';
import type { Goal, Guide, Mark } from './places.js';

/** The text of an editor, and its last save. */
interface Edited {
  readonly content: string;
  readonly error: unknown;
  readonly isSaving: boolean;
  /** True when a form writes it: then its syntax is right. */
  readonly isForm?: boolean;
}

export type EditProblems = ReturnType<typeof useProblems>;

const NONE: readonly Mark[] = [];

/** The problems of an edited text, one by one. A refused save goes to the first one. */
export function useProblems({ content, error, isSaving, isForm = false }: Edited) {
  const syntax = useSyntax(content, !isForm);
  const causes = getCauses(error);
  // The errors of the service are those of the sent text: while the user corrects it, the marks move with its lines.
  const [sent, setSent] = useState('');
  const refused = useMemo(() => inOrder(causes, sent), [causes, sent]);
  const marks = useMemo(() => (isForm ? syntax : [...syntax, ...refused]), [syntax, refused, isForm]);
  const guide = useRef<Guide>(null);
  const lead = (goal: Goal): void => guide.current?.leadTo(goal);
  const goals: readonly Goal[] = syntax.length > 0 ? syntax : refused;
  const at = useRef(0);
  const leadToOne = (i: number, among = goals): void => {
    const goal = among[i % among.length];
    at.current = i + 1;
    if (goal !== undefined) lead(goal);
  };
  const known = useRef(error);
  useEffect(() => {
    // During a save a form cannot be focused.
    if (isSaving || known.current === error) return;
    known.current = error;
    leadToOne(0, refused);
  }, [isSaving, error]);
  /** False when its syntax is wrong; then the first error is displayed. */
  const isValid = (text: string): boolean => {
    const invalid = syntaxMarks(text);
    if (invalid.length > 0) leadToOne(0, invalid);
    return invalid.length === 0;
  };
  /** Goes to the next problem; the first one follows the last one. */
  const next = (): void => leadToOne(at.current);
  return { syntax, marks, causes, guide, lead, count: goals.length, next, isValid, setSent };
}

const NO_CAUSES: readonly Cause[] = [];

/** The errors of fields from the service. Without any always the same, because forms are rendered again for others. */
export function getCauses(error: unknown): readonly Cause[] {
  return error instanceof ApiError ? error.causes : NO_CAUSES;
}

/** The causes of a refusal with their places in a text, in its order. */
function inOrder(causes: readonly Cause[], text: string): readonly (Mark & Cause)[] {
  if (causes.length === 0) return [];
  const getPlace = fieldPlaces(text);
  return causes
    .map(({ field, message }) => ({ ...getPlace(field), field, message: `${field}: ${message}` }))
    .sort((a, b) => a.line - b.line);
}

const PAUSE_MS = 400;
/** The limit of a text's length; longer texts are only checked when they are saved. */
const LENGTH_MAX = 200_000;

/** The syntax errors of a YAML text, with a delay after the input; none when it is not wanted. */
function useSyntax(text: string, isWanted: boolean): readonly Mark[] {
  const [marks, setMarks] = useState(NONE);
  useEffect(() => {
    const timer = setTimeout(() => {
      const found = !isWanted || text.length > LENGTH_MAX ? NONE : syntaxMarks(text);
      setMarks(found.length === 0 ? NONE : found);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, isWanted]);
  return marks;
}
