import { useSyncExternalStore } from 'react';

const dark = matchMedia('(prefers-color-scheme: dark)');

function subscribe(listener: () => void): () => void {
  dark.addEventListener('change', listener);
  return () => dark.removeEventListener('change', listener);
}

/** What is drawn by script has to be drawn again in other colours. */
export function useScheme(): 'dark' | 'light' {
  return useSyncExternalStore(subscribe, () => (dark.matches ? 'dark' : 'light'));
}
