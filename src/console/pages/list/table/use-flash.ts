import { useState } from 'react';

/** Classes of a changed cell. They look the same; a change from one to the other restarts the animation. */
const CLASSES = ['list-row-fresh', 'list-row-fresh-again'] as const;

interface Flash {
  /** Undefined for a value that has not changed while it was displayed. */
  readonly className: string | undefined;
  /** Called when the animation has ended. */
  readonly settle: () => void;
}

/** Marks a value that changes while it is displayed. @param value compared as text */
export function useFlash(value: string): Flash {
  const [seen, setSeen] = useState({ value, changes: 0 });
  if (seen.value !== value) setSeen({ value, changes: seen.changes + 1 });
  return {
    className: seen.changes === 0 ? undefined : CLASSES[seen.changes % CLASSES.length],
    settle: () => setSeen({ value, changes: 0 }),
  };
}
