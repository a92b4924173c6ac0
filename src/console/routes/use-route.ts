import { useMemo, useSyncExternalStore } from 'react';
import { formatRoute, parseRoute, type Route } from './route.js';

function subscribe(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}

export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  return useMemo(() => parseRoute(hash), [hash]);
}

export function navigate(route: Route | string): void {
  location.hash = typeof route === 'string' ? route : formatRoute(route);
  // The browser tells of it in a later task. A key that is pressed before that task would act on the page that was left.
  tell();
}

/** Goes to a route without a step of its own: the browser's way back leads to what was before this one. */
export function replaceRoute(route: Route): void {
  history.replaceState(history.state, '', formatRoute(route));
  tell();
}

function tell(): void {
  window.dispatchEvent(new HashChangeEvent('hashchange'));
}
