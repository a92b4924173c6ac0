import { useMemo } from 'react';
import { useEvent } from '../lib/use-event.js';
import { formatRoute, parseRoute, type Route } from './route.js';

export function useRoute(): Route {
  const hash = useEvent(window, 'hashchange', () => location.hash);
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
