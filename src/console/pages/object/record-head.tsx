import { useState, type ReactNode } from 'react';
import { formatMessage } from '../../api/errors.js';
import { getApiVersion } from '../../api/models.js';
import type { StoredObject } from '../../api/objects.js';
import { useMay } from '../../api/platform/rights.js';
import { getTitle } from '../../api/titles.js';
import { getTitleOf } from '../../lib/naming.js';
import { MenuButton } from '../../parts/choices/menu-button.js';
import { CopyButton, copyText } from '../../parts/copy-button.js';
import { say } from '../../parts/dialogs/toasts.js';
import { Icon } from '../../parts/icon.js';
import { getList, getObject } from '../../routes/route.js';
import { navigate } from '../../routes/use-route.js';
import { t } from '../../texts.js';
import { DeleteDialog } from './deletion.js';
import { useRecord } from './record.js';
import { VersionSwitch } from './versions.js';

/** The title and the name of the object, and the actions on it. */
export function RecordHead(): ReactNode {
  const { modelRef, model, name, live, isDrawer = false } = useRecord();
  const title = getTitle(model, live);
  const Name = isDrawer ? 'h2' : 'h1';
  return (
    <header className="row record-head">
      <div className="record-head-names">
        <hgroup>
          <div className="line record-named">
            <Name className={title === undefined ? 'record-title' : 'record-name'} tabIndex={-1}>
              {name}
            </Name>
            <CopyButton text={name} label={t`Copy name`} />
            {!isDrawer && (
              <a className="record-model" href={getList(modelRef)} title={getApiVersion(modelRef)}>
                {getTitleOf(modelRef, model)}
              </a>
            )}
          </div>
          {title !== undefined && title !== name && (
            <p className="record-title" dir="auto">
              {title}
            </p>
          )}
        </hgroup>
        <VersionSwitch />
      </div>
      <RecordActions />
    </header>
  );
}

function RecordActions(): ReactNode {
  const { modelRef, name, view, live, isDrawer = false, getHref, previous, next, closed } = useRecord();
  const mayUpdate = useMay('update', modelRef, name);
  const isEditable = view === 'form' || view === 'yaml';
  return (
    <div className="line record-actions">
      {live !== undefined && !isEditable && mayUpdate && (
        <button type="button" onClick={() => navigate(getHref('form'))}>
          {t`Edit`}
        </button>
      )}
      {isDrawer && (
        <>
          <Sign href={previous} label={t`Previous object`} sign="‹" />
          <Sign href={next} label={t`Next object`} sign="›" />
          <Sign
            href={getObject(modelRef, name, view)}
            label={t`Open the whole page`}
            sign={<Icon name="expand" />}
          />
        </>
      )}
      {/* A confirmation must not apply to another object of the same name. */}
      {live !== undefined && <ObjectActions key={live.metadata.uid} object={live} />}
      {isDrawer && <Sign href={closed} label={t`Close`} sign={<Icon name="close" />} />}
    </div>
  );
}

interface SignProps {
  /** Undefined at the end of the list. */
  readonly href: string | undefined;
  readonly label: string;
  readonly sign: ReactNode;
}

function Sign({ href, label, sign }: SignProps): ReactNode {
  return (
    <a className="button quiet" href={href} role="link" aria-label={label} aria-disabled={href === undefined}>
      {sign}
    </a>
  );
}

/** Deletion and further actions. A drawer has both in its menu. */
function ObjectActions({ object }: { readonly object: StoredObject }): ReactNode {
  const { name, uid = '', deletionTimestamp } = object.metadata;
  const { modelRef, isDrawer = false } = useRecord();
  const mayCreate = useMay('create', modelRef);
  const mayDelete = useMay('delete', modelRef, name) && deletionTimestamp === undefined;
  const [isDeleting, setIsDeleting] = useState(false);
  const duplicate = (): Promise<void> =>
    import('./duplicate.js')
      .then((module) => module.duplicate(modelRef, name))
      .catch((error: unknown) => say(formatMessage(error)));
  return (
    <>
      <MenuButton
        className="quiet"
        aria-label={t`More actions`}
        placement="bottom end"
        entries={[
          mayCreate && [t`Duplicate`, () => void duplicate()],
          [t`Copy name`, () => void copyText(name)],
          [t`Copy UID`, () => void copyText(uid)],
          [t`Copy link`, () => void copyText(new URL(getObject(modelRef, name), location.href).href)],
          isDrawer && mayDelete && [t`Delete`, () => setIsDeleting(true)],
        ]}
      >
        <Icon name="more" />
      </MenuButton>
      {!isDrawer && mayDelete && (
        <button type="button" onClick={() => setIsDeleting(true)}>
          {t`Delete`}
        </button>
      )}
      {isDeleting && <DeleteDialog object={object} onClose={() => setIsDeleting(false)} />}
    </>
  );
}
