import { useCallback, useLayoutEffect, useRef } from 'react';

/** A function that stays the same, and runs the one of the last rendering. */
export function useLatest<A extends readonly unknown[]>(run: (...values: A) => void): (...values: A) => void {
  const latest = useRef(run);
  useLayoutEffect(() => {
    latest.current = run;
  });
  return useCallback((...values: A) => latest.current(...values), []);
}
