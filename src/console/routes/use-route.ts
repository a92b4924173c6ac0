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
  // The browser's event follows in a later task. A key press before that task would act on the former page.
  notify();
}

/** Changes the route without a new step: the browser's back button leads to the route before this one. */
export function replaceRoute(route: Route): void {
  history.replaceState(history.state, '', formatRoute(route));
  notify();
}

function notify(): void {
  window.dispatchEvent(new HashChangeEvent('hashchange'));
}
