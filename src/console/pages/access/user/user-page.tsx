import type { ReactNode } from 'react';
import {
  getSubjectKey,
  getSubjectsOf,
  rulesOf,
  setDisabled,
  TOKENS,
  USERS,
} from '../../../api/platform/access.js';
import { useMay, useRights } from '../../../api/platform/rights.js';
import { useMe } from '../../../api/platform/me.js';
import { DialogButton } from '../../../parts/dialogs/dialog-button.js';
import { ErrorNotice, Notice, Pending } from '../../../parts/notice.js';
import { Section } from '../../../parts/section.js';
import { getObject } from '../../../routes/route.js';
import { navigate } from '../../../routes/use-route.js';
import { t } from '../../../texts.js';
import { getDisplayName, getTokenColumns, ObjectTable } from '../columns.js';
import { isDisabled, useGrants, type Grants } from '../grants.js';
import { NewToken } from '../new-objects.js';
import { AccessHead } from '../parts.js';
import { BOARD_URL } from '../place.js';
import { WriteDialog, DeleteButton } from '../write-dialog.js';
import { Question } from './question.js';
import { RightsTable } from './rights-table.js';
import { SubjectRoles } from './subject-roles.js';
import { UserGroups } from './user-groups.js';

/** A user, with roles, tokens and rights. Bindings may also name users that do not exist, such as `system:anonymous`. */
export function UserPage({ name }: { readonly name: string }): ReactNode {
  const grants = useGrants();
  const isMe = useMe() === name;
  const user = grants.users.find(({ metadata }) => metadata.name === name);
  const { error, isPending } = grants;
  const subject = { kind: 'User', name } as const;
  const isKnown = user !== undefined || grants.bindingsOf.has(getSubjectKey(subject));
  return (
    <>
      <AccessHead title={name} note={isMe ? t`This is you.` : getDisplayName(user?.spec)}>
        {user !== undefined && (
          <>
            <a href={getObject(USERS, name)}>{t`Object`}</a>
            <UserSwitch name={name} isOff={isDisabled(user)} />
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
            <SubjectRoles subject={subject} grants={grants} />
          </Section>
          {user !== undefined && <UserGroups user={user} grants={grants} />}
          {user !== undefined && <UserTokens name={name} uid={user.metadata.uid ?? ''} grants={grants} />}
          <UserRights name={name} grants={grants} />
        </div>
      )}
    </>
  );
}

/** Rejects the tokens of a user, or accepts them again. */
function UserSwitch({ name, isOff }: { readonly name: string; readonly isOff: boolean }): ReactNode {
  const action = isOff ? t`Enable` : t`Disable`;
  return (
    <DialogButton
      label={action}
      isAllowed={useMay('patch', USERS, name)}
      dialog={(onClose) => (
        <WriteDialog
          title={isOff ? t`Enable ${name}?` : t`Disable ${name}?`}
          action={action}
          isDangerous={!isOff}
          write={() => setDisabled(name, !isOff)}
          onClose={onClose}
        >
          <p className="faint">
            {isOff ? t`Its tokens are accepted again.` : t`All its tokens are rejected until you enable it.`}
          </p>
        </WriteDialog>
      )}
    />
  );
}

/** The rights of the user of this page, who may not read roles. */
function MyRights(): ReactNode {
  const rules = useRights().data ?? [];
  return (
    <Section title={t`What may you do?`}>
      <RightsTable rules={rules.map((rule) => ({ role: '', rule }))} />
    </Section>
  );
}

interface OfUserProps {
  readonly name: string;
  readonly grants: Grants;
}

function UserRights({ name, grants: { users, roles, bindings } }: OfUserProps): ReactNode {
  const rules = rulesOf(getSubjectsOf(name, users), roles, bindings);
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
      {mayList && <ObjectTable title={t`Tokens`} objects={tokens} columns={getTokenColumns(false)} />}
    </Section>
  );
}
