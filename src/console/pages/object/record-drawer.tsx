import { useEffect, useRef, type KeyboardEvent, type ReactNode, type RefObject } from 'react';
import { navigate } from '../../routes/use-route.js';
import { t } from '../../texts.js';
import { RecordViews } from './object-page.js';
import type { RecordPlace } from './record.js';

/** An object over its list. */
export default function RecordDrawer(place: RecordPlace): ReactNode {
  const drawer = useFocus();
  const onKey = (event: KeyboardEvent): void => {
    // Keys of dialogs arrive here too, although those are elsewhere in the page.
    const isInside = event.target instanceof Node && drawer.current?.contains(event.target) === true;
    if (event.defaultPrevented || event.key !== 'Escape' || !isInside) return;
    event.preventDefault();
    navigate(place.closed);
  };
  return (
    <aside
      ref={drawer}
      className="slides record-drawer"
      aria-label={t`Object`}
      tabIndex={-1}
      onKeyDown={onKey}
    >
      <div className="record-drawer-body">
        <RecordViews {...place} isDrawer />
      </div>
    </aside>
  );
}

/** True for a moment after a drawer with the focus was replaced by that of a neighbour. */
let hadFocus = false;

/** Takes the focus when the drawer was opened by a key. The list gets it back. */
function useFocus(): RefObject<HTMLElement | null> {
  const drawer = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = drawer.current;
    if (hadFocus || document.activeElement?.matches(':focus-visible') === true)
      element?.focus({ preventScroll: true });
    return () => {
      hadFocus =
        element?.contains(document.activeElement) === true || document.activeElement === document.body;
      queueMicrotask(() => (hadFocus = false));
    };
  }, []);
  return drawer;
}
