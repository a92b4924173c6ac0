import type { ReactNode } from 'react';
import { getApiVersion, type ModelRef } from '../../api/models.js';
import type { StoredObject } from '../../api/objects.js';
import { useMay } from '../../api/platform/rights.js';
import { getList, type View } from '../../routes/route.js';
import { navigate } from '../../routes/use-route.js';
import { t } from '../../texts.js';
import { DeleteObject } from './delete-object.js';
import { useRecordFrame } from './record-frame.js';
import { VersionSwitch } from './versions/version-switch.js';

interface ObjectHeadProps {
  readonly modelRef: ModelRef;
  readonly name: string;
  readonly view: View;
  /** Undefined when it does not exist. */
  readonly object: StoredObject | undefined;
}

/** The name of the object, and the actions on it. */
export function ObjectHead({ modelRef, name, view, object }: ObjectHeadProps): ReactNode {
  const mayUpdate = useMay('update', modelRef, name);
  const { getHref } = useRecordFrame();
  return (
    <div className="row below">
      <div>
        <h1>{name}</h1>
        <p className="faint">
          <a href={getList(modelRef)}>{modelRef.plural}</a> {getApiVersion(modelRef)}
        </p>
        <VersionSwitch modelRef={modelRef} name={name} view={view} />
      </div>
      {object !== undefined && (
        <div className="actions end">
          {view !== 'yaml' && view !== 'form' && mayUpdate && (
            <button type="button" className="primary" onClick={() => navigate(getHref('yaml'))}>
              {t`Edit`}
            </button>
          )}
          {/* A confirmation must not apply to another object of the same name. */}
          <DeleteObject key={object.metadata.uid} modelRef={modelRef} object={object} />
        </div>
      )}
    </div>
  );
}
