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
    if (arrive(content)) return undefined;
    const observer = new MutationObserver(() => {
      if (arrive(content)) observer.disconnect();
    });
    observer.observe(document.body, { childList: true, subtree: true });
    const timer = setTimeout(() => observer.disconnect(), WAIT_MS);
    return () => {
      observer.disconnect();
      clearTimeout(timer);
    };
  }, [key]);
}

/** False while the heading is not there, and while a dialog that led here still keeps the focus. */
function arrive(content: HTMLElement): boolean {
  const heading = content.querySelector('h1');
  if (heading === null || document.querySelector('[role=dialog]') !== null) return false;
  // A page may focus one of its fields itself.
  if (content !== document.activeElement && content.contains(document.activeElement)) return true;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
  return true;
}
