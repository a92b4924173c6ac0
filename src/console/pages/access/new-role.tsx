import type { ReactNode } from 'react';
import { ROLES } from '../../api/platform/access.js';
import { useMay } from '../../api/platform/rights.js';
import { formatCreateRoute } from '../../routes/route.js';
import { t } from '../../texts.js';

/** A role has rules, which are edited like any other object. */
export function NewRole(): ReactNode {
  if (!useMay('create', ROLES)) return null;
  return (
    <a className="button" href={formatCreateRoute(ROLES, 'form')}>
      {t`New role`}
    </a>
  );
}
