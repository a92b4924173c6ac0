import type { ReactNode } from 'react';
import { rulesOfUser } from '../../api/platform/access.js';
import { Choice } from '../../parts/field.js';
import { Section } from '../../parts/section.js';
import { t } from '../../texts.js';
import { isDisabled, type Grants } from './grants.js';
import { getNames } from './new-binding.js';
import { getUserUrl } from './place.js';
import { useName } from './use-name.js';
import { Question } from './user/question.js';

/** Answers what a user may do. */
export function Rights({ grants }: { readonly grants: Grants }): ReactNode {
  const { users, roles, bindings, bindingsOf, error } = grants;
  // A role may also be given to anonymous senders, who are not a user.
  const names = [...new Set([...getNames(users), ...bindingsOf.keys()])].sort();
  const [user, setUser] = useName(names);
  const isOff = users.some((one) => one.metadata.name === user && isDisabled(one));
  if (error !== null) return null;
  return (
    <Section title={t`What may a user do?`}>
      {names.length === 0 && <p className="faint">{t`none`}</p>}
      {names.length > 0 && (
        <div className="stack access-rights">
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
