import { Suspense, useEffect, useState, type ReactNode } from 'react';
import { lazyPart } from '../parts/lazy-part.js';
import { session } from '../session/session.js';
import { t } from '../texts.js';

const load = () => import('./palette.js');
const Palette = lazyPart(load);
/** The delay of the load, after more important parts of the page. */
const LOAD_MS = 1_000;

const isMac = /^Mac/.test(navigator.platform);

/** Opens the palette, like Ctrl+K on every page. */
export function PaletteButton(): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    // It is loaded before the keys are pressed, so that no following input is lost.
    const timer = setTimeout(() => void load().catch(() => undefined), LOAD_MS);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isMeant = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      if (!isMeant || event.key.toLowerCase() !== 'k' || session.get().isAsked) return;
      // Browsers and the editor use it for other actions.
      event.preventDefault();
      event.stopPropagation();
      setIsOpen((before) => !before);
    };
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  }, []);
  return (
    <>
      <button
        type="button"
        className="palette-button line spread"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setIsOpen(true)}
      >
        {t`Search`} <kbd aria-hidden="true">{isMac ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <Suspense fallback={null}>{isOpen && <Palette onClose={() => setIsOpen(false)} />}</Suspense>
    </>
  );
}
