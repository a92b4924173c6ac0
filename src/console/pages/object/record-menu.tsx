import { useState, type ReactNode } from 'react';
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import type { ModelRef } from '../../api/models.js';
import type { StoredObject } from '../../api/objects.js';
import { useMay } from '../../api/platform/rights.js';
import { copyText } from '../../parts/copy-button.js';
import { say } from '../../parts/dialogs/toasts.js';
import { formatMessage } from '../../api/errors.js';
import { Icon } from '../../parts/icon.js';
import { getObject } from '../../routes/route.js';
import { t } from '../../texts.js';
import { DeleteDialog } from './delete-object.js';
import { useRecordFrame } from './record-frame.js';

interface RecordMenuProps {
  readonly modelRef: ModelRef;
  readonly object: StoredObject;
}

/** Further actions on an object. */
export function RecordMenu({ modelRef, object }: RecordMenuProps): ReactNode {
  const { name, uid = '' } = object.metadata;
  const { isDrawer } = useRecordFrame();
  const mayCreate = useMay('create', modelRef);
  const mayDelete = useMay('delete', modelRef, name);
  const [isDeleting, setIsDeleting] = useState(false);
  const act = (key: string | number): void => {
    if (key === 'duplicate')
      void import('./duplicate.js')
        .then(({ duplicate }) => duplicate(modelRef, name))
        .catch((error: unknown) => say(formatMessage(error)));
    if (key === 'name') void copyText(name);
    if (key === 'uid') void copyText(uid);
    if (key === 'link') void copyText(new URL(getObject(modelRef, name), location.href).href);
    if (key === 'delete') setIsDeleting(true);
  };
  return (
    <>
      <MenuTrigger>
        <Button className="quiet" aria-label={t`More actions`}>
          <Icon name="more" />
        </Button>
        <Popover className="popover" placement="bottom end">
          <Menu className="menu" onAction={act}>
            {mayCreate && <MenuItem id="duplicate">{t`Duplicate`}</MenuItem>}
            <MenuItem id="name">{t`Copy name`}</MenuItem>
            <MenuItem id="uid">{t`Copy UID`}</MenuItem>
            <MenuItem id="link">{t`Copy link`}</MenuItem>
            {isDrawer && mayDelete && object.metadata.deletionTimestamp === undefined && (
              <MenuItem id="delete">{t`Delete`}</MenuItem>
            )}
          </Menu>
        </Popover>
      </MenuTrigger>
      {isDeleting && (
        <DeleteDialog modelRef={modelRef} object={object} onClose={() => setIsDeleting(false)} />
      )}
    </>
  );
}
