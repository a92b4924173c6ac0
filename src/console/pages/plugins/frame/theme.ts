import { useSyncExternalStore } from 'react';

const DARK = '(prefers-color-scheme: dark)';

function getTheme(): 'light' | 'dark' {
  const { theme } = document.documentElement.dataset;
  if (theme === 'light' || theme === 'dark') return theme;
  return matchMedia(DARK).matches ? 'dark' : 'light';
}

function subscribe(listener: () => void): () => void {
  const media = matchMedia(DARK);
  media.addEventListener('change', listener);
  const attributes = new MutationObserver(listener);
  attributes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => {
    media.removeEventListener('change', listener);
    attributes.disconnect();
  };
}

/** The colours of the console: those that the user has chosen, or else those of the system. */
export function useTheme(): 'light' | 'dark' {
  return useSyncExternalStore(subscribe, getTheme);
}
