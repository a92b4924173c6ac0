import type { ReactNode } from 'react';
import {
  ROLE_BINDINGS,
  ROLES,
  rulesOfUser,
  getSubjects,
  useAccessObjects,
  USERS,
  type RoleRule,
} from '../../api/platform/access.js';
import type { Rule } from '../../api/platform/rights.js';
import { Choice } from '../../parts/field.js';
import { ErrorNotice } from '../../parts/notice.js';
import { Section } from '../../parts/section.js';
import { SimpleTable } from '../../parts/simple-table.js';
import { t } from '../../texts.js';
import { getNames } from './new-binding.js';
import { Question } from './question.js';
import { useName } from './use-name.js';

/** The rights of a user, and their roles. */
export function Rights(): ReactNode {
  const users = useAccessObjects(USERS);
  const roles = useAccessObjects(ROLES);
  const bindings = useAccessObjects(ROLE_BINDINGS);
  const error = roles.error ?? bindings.error;
  // A role may also be given to anonymous senders, who are not a user.
  const bound = (bindings.data ?? []).flatMap(getSubjects);
  const names = [...new Set([...getNames(users.data), ...bound])].sort();
  const [user, setUser] = useName(names);
  const rules = rulesOfUser(user, roles.data ?? [], bindings.data ?? []);
  const isDisabled = users.data?.some(({ metadata, spec }) => metadata.name === user && isOff(spec)) ?? false;
  return (
    <Section title={t`What may a user do?`}>
      {error !== null && <ErrorNotice error={error} />}
      {error === null && names.length === 0 && <p className="faint">{t`none`}</p>}
      {error === null && names.length > 0 && (
        <div className="stack">
          <Choice label={t`User`} value={user} choices={names} onChange={setUser} />
          {isDisabled && (
            <p className="attention">{t`This user is disabled: all its tokens are rejected.`}</p>
          )}
          {user !== '' && (
            <>
              <Question key={user} rules={rules} />
              <RuleTable rules={rules} />
            </>
          )}
        </div>
      )}
    </Section>
  );
}

function isOff(spec: unknown): boolean {
  return typeof spec === 'object' && spec !== null && 'disabled' in spec && spec.disabled === true;
}

function RuleTable({ rules }: { readonly rules: readonly RoleRule[] }): ReactNode {
  if (rules.length === 0)
    return <p className="faint">{t`Nothing: no role binding gives a role to this user.`}</p>;
  return (
    <SimpleTable
      label={t`Rules`}
      rows={rules}
      getKey={({ role }, i) => `${role} ${i}`}
      columns={[
        [t`Role`, ({ role }) => role],
        [t`Verbs`, ({ rule }) => <span lang="en">{rule.verbs.join(', ')}</span>],
        [t`Resources`, ({ rule }) => getSubject(rule)],
        [t`Objects`, ({ rule }) => rule.resourceNames.join(', ') || t`all`],
      ]}
    />
  );
}

/** The subject of a rule, in one line: `persons, persons/status in demo.example.com`. */
function getSubject({ apiGroups, resources, nonResourceURLs }: Rule): string {
  const groups = apiGroups.map((group) => (group === '' ? '""' : group)).join(', ');
  const ofModels = resources.length === 0 ? [] : [t`${resources.join(', ')} in ${groups}`];
  return [...ofModels, ...nonResourceURLs].join('; ');
}
