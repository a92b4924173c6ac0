import { useMemo, type ReactNode } from 'react';
import type { ModelRef } from '../../api/models.js';
import { getList, getObject, type View } from '../../routes/route.js';
import { RecordFrameContext, type RecordFrame } from './record-frame.js';
import { RecordViews } from './record-views.js';

interface ObjectPageProps {
  readonly modelRef: ModelRef;
  readonly name: string;
  readonly view: View;
  /** A tab of a plugin in place of the view: `<plugin>/<file>`. */
  readonly tab?: string | undefined;
}

/** The page of one object. */
export function ObjectPage({ modelRef, name, view, tab }: ObjectPageProps): ReactNode {
  const { group, version, plural } = modelRef;
  const frame = useMemo((): RecordFrame => {
    const ref = { group, version, plural };
    return { isDrawer: false, getHref: (one) => getObject(ref, name, one), closed: getList(ref) };
  }, [group, version, plural, name]);
  return (
    <RecordFrameContext value={frame}>
      <RecordViews modelRef={modelRef} name={name} view={view} tab={tab} />
    </RecordFrameContext>
  );
}
