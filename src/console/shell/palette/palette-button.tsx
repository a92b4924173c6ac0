import { Suspense, useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { Icon } from '../../parts/icon.js';
import { lazyPart } from '../../parts/lazy-part.js';
import { session } from '../../session/session.js';
import { t } from '../../texts.js';

const load = () => import('./palette.js');
const Palette = lazyPart(load);
/** The delay of the load, after more important parts of the page. */
const LOAD_MS = 1_000;

const isMac = /^Mac/.test(navigator.platform);

/** Opens the palette, like Ctrl+K on every page. */
export function PaletteButton(): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    // Usually it is loaded before the keys are pressed.
    const timer = setTimeout(() => void load().catch(() => undefined), LOAD_MS);
    return () => clearTimeout(timer);
  }, []);
  const takeEarly = useEarlyKeys(isOpen, setIsOpen);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isMeant = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      if (!isMeant || event.key.toLowerCase() !== 'k' || session.get().isAsked) return;
      // Browsers and the editor use it for other actions.
      event.preventDefault();
      event.stopPropagation();
      // The next key may come before React would render.
      flushSync(() => setIsOpen((before) => !before));
    };
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  }, []);
  return (
    <>
      <button
        type="button"
        className="palette-button"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setIsOpen(true)}
      >
        <Icon name="search" />
        <span className="palette-button-text cut narrow-unseen">{t`Search objects, pages and actions`}</span>
        <kbd aria-hidden="true">{isMac ? '⌘K' : `${t`Ctrl`} K`}</kbd>
      </button>
      <Suspense fallback={null}>
        {isOpen && <Palette takeEarly={takeEarly} onClose={() => setIsOpen(false)} />}
      </Suspense>
    </>
  );
}

/**
 * Keeps what is typed while the palette loads, and until its field has the focus.
 * @returns a function that takes it
 */
function useEarlyKeys(isOpen: boolean, setIsOpen: (isOpen: boolean) => void): () => string {
  const early = useRef('');
  useEffect(() => {
    if (!isOpen) return undefined;
    early.current = '';
    const onKey = (event: KeyboardEvent): void => {
      const isInField = document.activeElement?.closest('.palette') != null;
      if (isInField || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      if (event.key === 'Escape') setIsOpen(false);
      else if (event.key === 'Backspace') early.current = early.current.slice(0, -1);
      else if (event.key.length === 1) early.current += event.key;
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  }, [isOpen, setIsOpen]);
  return useCallback(() => {
    const taken = early.current;
    early.current = '';
    return taken;
  }, []);
}
