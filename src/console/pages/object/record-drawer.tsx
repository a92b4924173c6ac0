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
          <RecordViews key={name} modelRef={modelRef} name={name} view={view} />
        </div>
      </RecordFrameContext>
    </aside>
  );
}

/** Takes the focus when the drawer was opened by a key, and gives it back when it closes. */
function useFocus(): RefObject<HTMLElement | null> {
  const drawer = useRef<HTMLElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    const element = drawer.current;
    if (before?.matches(':focus-visible') === true) element?.focus({ preventScroll: true });
    return () => {
      const isLost = document.activeElement === document.body || element?.contains(document.activeElement);
      // The row may have been drawn again since.
      const row = before instanceof HTMLElement && before.isConnected ? before : undefined;
      if (isLost === true) row?.focus({ preventScroll: true });
    };
  }, []);
  return drawer;
}
