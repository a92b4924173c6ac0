import { useCallback, useSyncExternalStore } from 'react';

/** A value of the browser, read again at each event. */
export function useEvent<T>(target: EventTarget, type: string, read: () => T): T {
  const subscribe = useCallback(
    (listener: () => void) => {
      target.addEventListener(type, listener);
      return () => target.removeEventListener(type, listener);
    },
    [target, type],
  );
  return useSyncExternalStore(subscribe, read);
}

export function useVisible(): boolean {
  return useEvent(document, 'visibilitychange', () => document.visibilityState === 'visible');
}
