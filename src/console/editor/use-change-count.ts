import { useEffect, useMemo, useState } from 'react';
import { readForm } from '../form/form-text.js';
import { countChanges } from '../form/values-at.js';

const PAUSE_MS = 600;

/** The number of values in which two texts differ, a moment after the input; undefined while it is unknown. */
export function useChangeCount(before: string, text: string): number | undefined {
  const base = useMemo(() => (before === text ? undefined : readForm(before)), [before, text === before]);
  const [count, setCount] = useState<{ readonly of: string; readonly changes: number }>();
  useEffect(() => {
    if (base === undefined || 'obstacle' in base) return undefined;
    const timer = setTimeout(() => {
      const read = readForm(text);
      if ('values' in read) setCount({ of: text, changes: countChanges(base.values, read.values) });
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [base, text]);
  // The last number stays while the user types.
  return base === undefined ? undefined : count?.changes;
}
