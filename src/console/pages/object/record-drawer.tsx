import { useMemo, type ReactNode } from 'react';
import type { ModelRef } from '../../api/models.js';
import type { View } from '../../routes/route.js';
import { t } from '../../texts.js';
import { RecordViews } from './object-page.js';
import { RecordFrameContext, type RecordFrame } from './record-frame.js';

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
  return (
    <aside className="record-drawer" aria-label={t`Object`}>
      <RecordFrameContext value={frame}>
        <RecordViews modelRef={modelRef} name={name} view={view} />
      </RecordFrameContext>
    </aside>
  );
}
