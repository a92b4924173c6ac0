import { Suspense, useEffect, type ReactNode } from 'react';
import { useStore } from '../lib/store.js';
import { lazyPart } from '../parts/lazy-part.js';
import { session } from '../session/session.js';
import { isKeyHelpOpen } from './keys.js';

const KeyDialog = lazyPart(() => import('./key-dialog.js'));

/** Opens the help with all keys at `?`, unless a text is typed. */
export function KeyHelpAtKey(): ReactNode {
  const isOpen = useStore(isKeyHelpOpen);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== '?' || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.defaultPrevented || isTyping(event) || session.get().isAsked) return;
      event.preventDefault();
      isKeyHelpOpen.set(true);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  return (
    <Suspense fallback={null}>{isOpen && <KeyDialog onClose={() => isKeyHelpOpen.set(false)} />}</Suspense>
  );
}

/** True for a key in a field; the editor is in a separate tree. */
function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select')
  );
}
