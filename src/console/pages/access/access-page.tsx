import type { ReactNode } from 'react';
import { ROLE_BINDINGS, ROLES, TOKENS, USERS } from '../../api/platform/access.js';
import { text } from '../../texts.js';
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
      <h1>{text.access.heading}</h1>
      <p className="faint">{text.access.hint}</p>
      <div className="access">
        <AccessList model={USERS} actions={<NewUser />} />
        <AccessList model={ROLES} actions={<NewRole />} />
        <AccessList model={ROLE_BINDINGS} actions={<NewBinding />} />
        <AccessList model={TOKENS} actions={<NewToken />} />
      </div>
      <Rights />
    </>
  );
}
