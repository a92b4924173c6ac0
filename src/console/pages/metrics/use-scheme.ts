import { useSyncExternalStore } from 'react';

const dark = matchMedia('(prefers-color-scheme: dark)');

function subscribe(listener: () => void): () => void {
  dark.addEventListener('change', listener);
  return () => dark.removeEventListener('change', listener);
}

/** Plots are drawn by script and must be drawn again in other colours. */
export function useScheme(): 'dark' | 'light' {
  return useSyncExternalStore(subscribe, () => (dark.matches ? 'dark' : 'light'));
}
