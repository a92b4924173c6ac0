import { useEffect, useRef } from 'react';

/** The time for a page to load its heading. */
const WAIT_MS = 10_000;

/**
 * After a navigation the heading of the new page gets the focus: screen readers announce it, and the next Tab begins there. Without
 * this, the focus would be on the body.
 * @param key of the page
 */
export function useArrival(key: string): void {
  const last = useRef(key);
  useEffect(() => {
    if (last.current === key) return undefined;
    last.current = key;
    const content = document.getElementById('content');
    if (content === null) return undefined;
    content.scrollTo(0, 0);
    const before = document.activeElement;
    const arrive = (): boolean => {
      const heading = content.querySelector('h1');
      if (heading === null) return false;
      const { activeElement } = document;
      // A page may focus a field itself, and a user may have begun to do something else.
      if (activeElement !== before && activeElement !== document.body) return true;
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
      return true;
    };
    if (arrive()) return undefined;
    const observer = new MutationObserver(() => {
      if (arrive()) observer.disconnect();
    });
    observer.observe(content, { childList: true, subtree: true });
    const timer = setTimeout(() => observer.disconnect(), WAIT_MS);
    return () => {
      observer.disconnect();
      clearTimeout(timer);
    };
  }, [key]);
}
