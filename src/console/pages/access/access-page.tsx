import type { ReactNode } from 'react';
import type { ModelRef } from '../../api/models.js';
import {
  ROLE_BINDINGS,
  ROLES,
  rulesOfUser,
  TOKENS,
  useAccessObjects,
  USERS,
} from '../../api/platform/access.js';
import { useMe } from '../../api/platform/me.js';
import { useMay } from '../../api/platform/rights.js';
import { Choice } from '../../parts/field.js';
import { Pending } from '../../parts/notice.js';
import { Section } from '../../parts/section.js';
import { t } from '../../texts.js';
import {
  getBindingColumns,
  ObjectTable,
  type Columns,
  getRoleColumns,
  getTokenColumns,
  getUserColumns,
} from './columns.js';
import { isDisabled, useGrants, type Grants } from './grants.js';
import { NewBinding, NewToken, NewUser } from './new-objects.js';
import { AccessHead } from './parts.js';
import { getUserUrl, NEW_ROLE_URL, usePlace } from './place.js';
import { RoleEditor } from './matrix/role-editor.js';
import { RolePage } from './role-page.js';
import { useName } from './use-name.js';
import { Question } from './user/question.js';
import { UserPage } from './user/user-page.js';

/** Users, roles and their rights. */
export default function AccessPage(): ReactNode {
  const place = usePlace();
  const [user, role] = [place.get('user') ?? '', place.get('role') ?? ''];
  if (user !== '') return <UserPage key={user} name={user} />;
  if (role !== '') return <RolePage key={role} name={role} />;
  if (place.get('new') !== 'role') return <Board />;
  return (
    <>
      <AccessHead title={t`New role`} />
      <RoleEditor role={undefined} />
    </>
  );
}

/** All users, roles, bindings and tokens. */
function Board(): ReactNode {
  const grants = useGrants();
  const me = useMe();
  const newRole = useMay('create', ROLES) && (
    <a className="button" href={NEW_ROLE_URL}>
      {t`New role`}
    </a>
  );
  return (
    <>
      <h1>{t`Access`}</h1>
      <p className="faint">{t`Users, what they may do, and their tokens.`}</p>
      {me !== undefined && (
        <p className="below">
          {t`You are signed in as`} <a href={getUserUrl(me)}>{me}</a>.
        </p>
      )}
      <div className="access-page-board below">
        <div className="stack">
          <Objects model={USERS} title={t`Users`} actions={<NewUser />} columns={getUserColumns(grants)} />
          <Objects
            model={ROLE_BINDINGS}
            title={t`Role bindings`}
            actions={<NewBinding />}
            columns={getBindingColumns()}
          />
        </div>
        <div className="stack">
          <Objects model={ROLES} title={t`Roles`} actions={newRole} columns={getRoleColumns(grants)} />
          <Objects model={TOKENS} title={t`Tokens`} actions={<NewToken />} columns={getTokenColumns(true)} />
        </div>
      </div>
      <Rights grants={grants} />
    </>
  );
}

interface ObjectsProps {
  readonly model: ModelRef;
  readonly title: string;
  readonly actions: ReactNode;
  readonly columns: Columns;
}

/** The objects of a model of access. */
function Objects({ model, title, actions, columns }: ObjectsProps): ReactNode {
  const { data, error } = useAccessObjects(model);
  return (
    <Section title={title} actions={actions}>
      {data === undefined ? (
        <Pending error={error} />
      ) : (
        <ObjectTable title={title} objects={data} columns={columns} />
      )}
    </Section>
  );
}

/** Answers what a user may do. */
function Rights({ grants }: { readonly grants: Grants }): ReactNode {
  const { users, roles, bindings, bindingsOf, error } = grants;
  // A role may also be given to anonymous senders, who are not a user.
  const names = [...new Set([...users.map(({ metadata }) => metadata.name), ...bindingsOf.keys()])].sort();
  const [user, setUser] = useName(names);
  const isOff = users.some((one) => one.metadata.name === user && isDisabled(one));
  if (error !== null) return null;
  return (
    <Section title={t`What may a user do?`}>
      {names.length === 0 && <p className="faint">{t`none`}</p>}
      {names.length > 0 && (
        <div className="stack access-page-rights">
          <Choice label={t`User`} value={user} choices={names} onChange={setUser} />
          {isOff && <p className="attention">{t`This user is disabled: all its tokens are rejected.`}</p>}
          {user !== '' && (
            <>
              <Question key={user} rules={rulesOfUser(user, roles, bindings)} />
              <a href={getUserUrl(user)}>{t`All rights of ${user}`}</a>
            </>
          )}
        </div>
      )}
    </Section>
  );
}
