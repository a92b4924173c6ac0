import type { ReactNode } from 'react';
import { rulesOfUser, TOKENS, USERS } from '../../../api/platform/access.js';
import { useMay } from '../../../api/platform/rights.js';
import { useMe } from '../../../api/platform/me.js';
import { ErrorNotice, Notice, Pending } from '../../../parts/notice.js';
import { Section } from '../../../parts/section.js';
import { SimpleTable } from '../../../parts/simple-table.js';
import { getObject } from '../../../routes/route.js';
import { navigate } from '../../../routes/use-route.js';
import { t } from '../../../texts.js';
import { AccessHead } from '../access-head.js';
import { getDisplayName, getTokenColumns } from '../columns.js';
import { DeleteButton } from '../delete-button.js';
import { isDisabled, useGrants, type Grants } from '../grants.js';
import { NewToken } from '../new-token.js';
import { BOARD_URL } from '../place.js';
import { MyRights } from './my-rights.js';
import { Question } from './question.js';
import { RightsTable } from './rights-table.js';
import { UserRoles } from './user-roles.js';
import { UserSwitch } from './user-switch.js';

/** A user, with roles, tokens and rights. Bindings may also name users that do not exist, such as `system:anonymous`. */
export function UserPage({ name }: { readonly name: string }): ReactNode {
  const grants = useGrants();
  const isMe = useMe() === name;
  const user = grants.users.find(({ metadata }) => metadata.name === name);
  const { error, isPending } = grants;
  const isKnown = user !== undefined || grants.bindingsOf.has(name);
  return (
    <>
      <AccessHead title={name} note={isMe ? t`This is you.` : getDisplayName(user?.spec)}>
        {user !== undefined && (
          <>
            <a href={getObject(USERS, name)}>{t`Object`}</a>
            <UserSwitch name={name} isDisabled={isDisabled(user)} />
            <DeleteButton
              model={USERS}
              metadata={user.metadata}
              action={t`Delete`}
              onDone={() => navigate(BOARD_URL)}
            />
          </>
        )}
      </AccessHead>
      {error !== null && (isMe ? <MyRights /> : <ErrorNotice error={error} />)}
      {error === null && isPending && <Pending error={null} />}
      {error === null && !isPending && !isKnown && <p>{t`There is no user of this name.`}</p>}
      {error === null && isKnown && (
        <div className="stack">
          {user !== undefined && isDisabled(user) && (
            <Notice tone="attention">{t`This user is disabled: all its tokens are rejected.`}</Notice>
          )}
          <Section title={t`Roles`}>
            <UserRoles user={name} grants={grants} />
          </Section>
          {user !== undefined && <UserTokens name={name} uid={user.metadata.uid ?? ''} grants={grants} />}
          <UserRights name={name} grants={grants} />
        </div>
      )}
    </>
  );
}

interface OfUserProps {
  readonly name: string;
  readonly grants: Grants;
}

function UserRights({ name, grants: { roles, bindings } }: OfUserProps): ReactNode {
  const rules = rulesOfUser(name, roles, bindings);
  return (
    <Section title={t`What may this user do?`}>
      <div className="stack">
        <Question rules={rules} />
        <RightsTable rules={rules} />
      </div>
    </Section>
  );
}

function UserTokens({ name, uid, grants }: OfUserProps & { readonly uid: string }): ReactNode {
  const tokens = grants.tokensOf.get(uid) ?? [];
  const mayList = useMay('list', TOKENS);
  return (
    <Section title={t`Tokens`} actions={<NewToken user={name} />}>
      {!mayList && <p className="faint">{t`You may not list tokens.`}</p>}
      {mayList && tokens.length === 0 && <p className="faint">{t`none`}</p>}
      {tokens.length > 0 && (
        <SimpleTable
          label={t`Table: ${t`Tokens`}`}
          rows={tokens}
          getKey={({ metadata }) => metadata.uid ?? metadata.name}
          columns={getTokenColumns(false)}
        />
      )}
    </Section>
  );
}
