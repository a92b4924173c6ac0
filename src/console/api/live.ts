import { focusManager } from '@tanstack/react-query';
import { Store, useStore } from '../lib/store.js';
import { useVisible } from '../lib/use-event.js';

/** True while the user has stopped the updates of the page. */
export const isPaused = new Store(false);

/** A paused page is like a hidden one: nothing is read again, and no changes are followed. */
export function setPaused(paused: boolean): void {
  isPaused.set(paused);
  focusManager.setFocused(paused ? false : undefined);
}

/** True when the page follows changes. */
export function useIsLive(): boolean {
  const isVisible = useVisible();
  return !useStore(isPaused) && isVisible;
}
