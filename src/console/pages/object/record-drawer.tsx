import { useEffect, useMemo, useRef, type KeyboardEvent, type ReactNode, type RefObject } from 'react';
import type { ModelRef } from '../../api/models.js';
import type { View } from '../../routes/route.js';
import { navigate } from '../../routes/use-route.js';
import { t } from '../../texts.js';
import { RecordFrameContext, type RecordFrame } from './record-frame.js';
import { RecordViews } from './record-views.js';

interface RecordDrawerProps {
  readonly modelRef: ModelRef;
  readonly name: string;
  readonly view: View;
  /** The URLs of the list with this object open in a view, with a neighbour open, and with none. */
  readonly getHref: (view: View) => string;
  readonly previous: string | undefined;
  readonly next: string | undefined;
  readonly closed: string;
}

/** An object over its list. */
export default function RecordDrawer(props: RecordDrawerProps): ReactNode {
  const { modelRef, name, view, getHref, previous, next, closed } = props;
  const frame = useMemo(
    (): RecordFrame => ({ isDrawer: true, getHref, previous, next, closed }),
    [getHref, previous, next, closed],
  );
  const drawer = useFocus();
  const onKey = (event: KeyboardEvent): void => {
    // Keys of dialogs arrive here too, although those are elsewhere in the page.
    const isInside = event.target instanceof Node && drawer.current?.contains(event.target) === true;
    if (event.defaultPrevented || event.key !== 'Escape' || !isInside) return;
    event.preventDefault();
    navigate(closed);
  };
  return (
    <aside ref={drawer} className="record-drawer" aria-label={t`Object`} tabIndex={-1} onKeyDown={onKey}>
      <RecordFrameContext value={frame}>
        <div className="record-drawer-body">
          <RecordViews modelRef={modelRef} name={name} view={view} />
        </div>
      </RecordFrameContext>
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
