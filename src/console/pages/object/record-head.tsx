import type { ReactNode } from 'react';
import { getApiVersion, type Model, type ModelRef } from '../../api/models.js';
import type { StoredObject } from '../../api/objects.js';
import { useMay } from '../../api/platform/rights.js';
import { getTitle } from '../../api/titles.js';
import { humanize } from '../../lib/naming.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Icon } from '../../parts/icon.js';
import { getList, getObject, type View } from '../../routes/route.js';
import { navigate } from '../../routes/use-route.js';
import { t } from '../../texts.js';
import { DeleteObject } from './delete-object.js';
import { useRecordFrame } from './record-frame.js';
import { RecordMenu } from './record-menu.js';
import { VersionSwitch } from './versions/version-switch.js';

interface RecordHeadProps {
  readonly modelRef: ModelRef;
  readonly model: Model | undefined;
  readonly name: string;
  readonly view: View;
  /** Undefined when it does not exist. */
  readonly object: StoredObject | undefined;
}

/** The title and the name of the object, and the actions on it. */
export function RecordHead(props: RecordHeadProps): ReactNode {
  const { modelRef, model, name, view, object } = props;
  const { isDrawer } = useRecordFrame();
  const title = getTitle(model, object);
  const Name = isDrawer ? 'h2' : 'h1';
  return (
    <header className="record-head">
      <div className="record-head-names">
        <hgroup>
          <div className="record-named">
            <Name className={title === undefined ? 'record-title' : 'record-name'} tabIndex={-1}>
              {name}
            </Name>
            <CopyButton text={name} label={t`Copy name`} />
          </div>
          {title !== undefined && title !== name && (
            <p className="record-title" dir="auto">
              {title}
            </p>
          )}
        </hgroup>
        {!isDrawer && (
          <p className="faint">
            <a href={getList(modelRef)}>{humanize(modelRef.plural)}</a> {getApiVersion(modelRef)}
          </p>
        )}
        <VersionSwitch modelRef={modelRef} name={name} view={view} />
      </div>
      <RecordActions {...props} />
    </header>
  );
}

function RecordActions({ modelRef, name, view, object }: RecordHeadProps): ReactNode {
  const mayUpdate = useMay('update', modelRef, name);
  const { isDrawer, getHref, previous, next, closed } = useRecordFrame();
  const isEditable = view === 'form' || view === 'yaml';
  return (
    <div className="record-actions">
      {object !== undefined && !isEditable && mayUpdate && (
        <button type="button" className="primary" onClick={() => navigate(getHref('form'))}>
          {t`Edit`}
        </button>
      )}
      {isDrawer && (
        <>
          <Step href={previous} label={t`Previous object`} sign="‹" />
          <Step href={next} label={t`Next object`} sign="›" />
          <a
            className="button quiet"
            href={getObject(modelRef, name, view)}
            aria-label={t`Open the whole page`}
          >
            <Icon name="expand" />
          </a>
        </>
      )}
      {/* A confirmation must not apply to another object of the same name. */}
      {object !== undefined && <RecordMenu key={object.metadata.uid} modelRef={modelRef} object={object} />}
      {object !== undefined && !isDrawer && (
        <DeleteObject key={`delete ${object.metadata.uid}`} modelRef={modelRef} object={object} />
      )}
      {isDrawer && (
        <a className="button quiet" href={closed} aria-label={t`Close`}>
          <Icon name="close" />
        </a>
      )}
    </div>
  );
}

interface StepProps {
  readonly href: string | undefined;
  readonly label: string;
  readonly sign: string;
}

/** A link to a neighbour in the list; at the end of the list it leads nowhere. */
function Step({ href, label, sign }: StepProps): ReactNode {
  return (
    <a className="button quiet" href={href} role="link" aria-label={label} aria-disabled={href === undefined}>
      {sign}
    </a>
  );
}
