import { Suspense, type ReactNode } from 'react';
import { Button, DialogTrigger, Popover } from 'react-aria-components';
import { lazyPart } from '../../../parts/lazy-part.js';
import { Pending } from '../../../parts/notice.js';
import { t } from '../../../texts.js';
import type { ColumnsProps } from './columns-props.js';

const ColumnsMenu = lazyPart(() => import('./columns-menu.js'));

/** Opens the choice of columns. */
export function ColumnsButton(props: ColumnsProps): ReactNode {
  return (
    <DialogTrigger>
      <Button className="quiet">{t`Columns`}</Button>
      <Popover className="popover columns-menu-popover" placement="bottom end" aria-label={t`Columns`}>
        <div className="columns-menu">
          <Suspense fallback={<Pending error={null} />}>
            <ColumnsMenu {...props} />
          </Suspense>
        </div>
      </Popover>
    </DialogTrigger>
  );
}
