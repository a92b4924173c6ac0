import type { ReactNode } from 'react';
import { ROLE_BINDINGS, ROLES, TOKENS, USERS } from '../../api/platform/access.js';
import { t } from '../../texts.js';
import { AccessList } from './access-list.js';
import { NewBinding } from './new-binding.js';
import { NewRole } from './new-role.js';
import { NewToken } from './new-token.js';
import { NewUser } from './new-user.js';
import { Rights } from './rights.js';

/** Users, roles and their rights. */
export default function AccessPage(): ReactNode {
  return (
    <>
      <h1>{t`Access`}</h1>
      <p className="faint">{t`Users, what they may do, and their tokens.`}</p>
      <div className="access tiles tiles-wide below">
        <AccessList model={USERS} actions={<NewUser />} />
        <AccessList model={ROLES} actions={<NewRole />} />
        <AccessList model={ROLE_BINDINGS} title={t`Role bindings`} actions={<NewBinding />} />
        <AccessList model={TOKENS} actions={<NewToken />} />
      </div>
      <Rights />
    </>
  );
}
