import { useEffect, useState } from 'react';
import { syntaxMarks } from './document.js';
import type { Mark } from './places.js';

const PAUSE_MS = 400;
/** The limit of a text's length; longer texts are only checked when they are saved. */
const LENGTH_MAX = 200_000;
const NONE: readonly Mark[] = [];

/** The syntax errors of a YAML text, with a delay after the input; none when it is not wanted. */
export function useSyntax(text: string, isWanted: boolean): readonly Mark[] {
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
