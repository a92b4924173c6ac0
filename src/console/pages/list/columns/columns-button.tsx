import type { ReactNode } from 'react';
import { lazyPart } from '../../../parts/lazy-part.js';
import { t } from '../../../texts.js';
import { ListPopover } from '../list-popover.js';

const ColumnsMenu = lazyPart(() => import('./columns-menu.js'));

/** Opens the choice of columns. */
export function ColumnsButton(): ReactNode {
  return (
    <ListPopover label={t`Columns`} className="quiet" name={t`Columns`} placement="bottom end">
      <ColumnsMenu />
    </ListPopover>
  );
}
