import type { ReactNode } from 'react';
import { ROLE_BINDINGS, ROLES, TOKENS, USERS } from '../../api/platform/access.js';
import { useMay } from '../../api/platform/rights.js';
import { t } from '../../texts.js';
import { AccessCard } from './access-card.js';
import {
  getBindingColumns,
  getDisplayName,
  getRoleColumns,
  getTokenColumns,
  getUserColumns,
} from './columns.js';
import { useGrants } from './grants.js';
import { Me } from './me.js';
import { NewBinding } from './new-binding.js';
import { NewToken } from './new-token.js';
import { NewUser } from './new-user.js';
import { NEW_ROLE_URL } from './place.js';
import { Rights } from './rights.js';

/** All users, roles, bindings and tokens. */
export function Board(): ReactNode {
  const grants = useGrants();
  return (
    <>
      <h1>{t`Access`}</h1>
      <p className="faint">{t`Users, what they may do, and their tokens.`}</p>
      <Me />
      <div className="access-board below">
        <div className="stack">
          <AccessCard
            model={USERS}
            title={t`Users`}
            actions={<NewUser />}
            columns={getUserColumns(grants)}
            getText={({ metadata, spec }) => `${metadata.name} ${getDisplayName(spec)}`}
          />
          <AccessCard
            model={ROLE_BINDINGS}
            title={t`Role bindings`}
            actions={<NewBinding />}
            columns={getBindingColumns()}
          />
        </div>
        <div className="stack">
          <AccessCard model={ROLES} title={t`Roles`} actions={<NewRole />} columns={getRoleColumns(grants)} />
          <AccessCard
            model={TOKENS}
            title={t`Tokens`}
            actions={<NewToken />}
            columns={getTokenColumns(true)}
          />
        </div>
      </div>
      <Rights grants={grants} />
    </>
  );
}

function NewRole(): ReactNode {
  if (!useMay('create', ROLES)) return null;
  return (
    <a className="button" href={NEW_ROLE_URL}>
      {t`New role`}
    </a>
  );
}
