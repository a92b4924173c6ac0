import type { ReactNode } from 'react';
import type { ModelRef } from '../../api/models.js';
import {
  getSubjectsOf,
  ROLE_BINDINGS,
  ROLES,
  rulesOf,
  TOKENS,
  useAccessObjects,
  USERS,
} from '../../api/platform/access.js';
import { useMe } from '../../api/platform/me.js';
import { useMay } from '../../api/platform/rights.js';
import { Choice } from '../../parts/field.js';
import { Pending } from '../../parts/notice.js';
import { Section } from '../../parts/section.js';
import { getList } from '../../routes/route.js';
import { t } from '../../texts.js';
import {
  getBindingColumns,
  ObjectTable,
  type Columns,
  getGroupColumns,
  getRoleColumns,
  getTokenColumns,
  getUserColumns,
} from './columns.js';
import { isDisabled, useGrants, type Grants } from './grants.js';
import { NewBinding, NewToken, NewUser } from './new-objects.js';
import { GroupPage } from './group-page.js';
import { AccessHead, FoundTable } from './parts.js';
import { getUserUrl, NEW_ROLE_URL, usePlace } from './place.js';
import { RoleEditor } from './matrix/role-editor.js';
import { RolePage } from './role-page.js';
import { useName } from './use-name.js';
import { Question } from './user/question.js';
import { UserPage } from './user/user-page.js';

/** Users, roles and their rights. */
export default function AccessPage(): ReactNode {
  const place = usePlace();
  const user = place.get('user') ?? '';
  const group = place.get('group') ?? '';
  const role = place.get('role') ?? '';
  if (user !== '') return <UserPage key={user} name={user} />;
  if (group !== '') return <GroupPage key={group} name={group} />;
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
      <div className="tiles access-page-board below">
        <div className="stack">
          <Objects model={USERS} title={t`Users`} actions={<NewUser />} columns={getUserColumns(grants)} />
          {grants.membersOf.size > 0 && <Groups grants={grants} />}
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

/** The groups that users or bindings name. */
function Groups({ grants }: { readonly grants: Grants }): ReactNode {
  return (
    <Section title={t`Groups`}>
      <FoundTable
        label={t`Table: ${t`Groups`}`}
        searchLabel={t`Find in ${t`Groups`}`}
        rows={[...grants.membersOf.keys()]}
        getText={(name) => name}
        getKey={(name) => name}
        columns={getGroupColumns(grants)}
      />
    </Section>
  );
}

interface ObjectsProps {
  readonly model: ModelRef;
  readonly title: string;
  readonly actions: ReactNode;
  readonly columns: Columns;
}

function Objects({ model, title, actions, columns }: ObjectsProps): ReactNode {
  const { data, error } = useAccessObjects(model);
  return (
    <Section title={title} href={getList(model)} actions={actions}>
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
  const { users, roles, bindings, subjectsOf, error } = grants;
  // A role may also be given to anonymous senders, who are not a user.
  const bound = [...subjectsOf.values()].flat().flatMap(({ kind, name }) => (kind === 'User' ? name : []));
  const names = [...new Set([...users.map(({ metadata }) => metadata.name), ...bound])].sort();
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
              <Question key={user} rules={rulesOf(getSubjectsOf(user, users), roles, bindings)} />
              <a href={getUserUrl(user)}>{t`All rights of ${user}`}</a>
            </>
          )}
        </div>
      )}
    </Section>
  );
}
