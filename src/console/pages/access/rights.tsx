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
import { text } from '../../texts.js';
import { getChoices, getNames } from './new-binding.js';
import { Question } from './question.js';
import { useName } from './use-name.js';

/** The rights of a user, and their roles. */
export function Rights(): ReactNode {
  const users = useAccessObjects(USERS);
  const roles = useAccessObjects(ROLES);
  const bindings = useAccessObjects(ROLE_BINDINGS);
  const { access } = text;
  const error = roles.error ?? bindings.error;
  // A role may also be given to anonymous senders, who are not a user.
  const bound = (bindings.data ?? []).flatMap(getSubjects);
  const names = [...new Set([...getNames(users.data), ...bound])].sort();
  const [user, setUser] = useName(names);
  const rules = rulesOfUser(user, roles.data ?? [], bindings.data ?? []);
  const isDisabled = users.data?.some(({ metadata, spec }) => metadata.name === user && isOff(spec)) ?? false;
  return (
    <Section title={access.rights}>
      {error !== null && <ErrorNotice error={error} />}
      {error === null && names.length === 0 && <p className="faint">{access.empty}</p>}
      {error === null && names.length > 0 && (
        <div className="stack">
          <Choice label={access.user} value={user} choices={getChoices(names)} onChange={setUser} />
          {isDisabled && <p className="attention">{access.disabled}</p>}
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
  const { access } = text;
  if (rules.length === 0) return <p className="faint">{access.noRights}</p>;
  return (
    <SimpleTable
      label={access.rules}
      head={[access.role, access.verbs, access.resources, access.names]}
      rows={rules.map(({ role, rule }, i) => ({
        key: `${role} ${i}`,
        cells: [
          role,
          <span key="verbs" lang="en">
            {rule.verbs.join(', ')}
          </span>,
          getSubject(rule),
          rule.resourceNames.join(', ') || access.all,
        ],
      }))}
    />
  );
}

/** The subject of a rule, in one line: `persons, persons/status in demo.example.com`. */
function getSubject({ apiGroups, resources, nonResourceURLs }: Rule): string {
  const { access } = text;
  const groups = apiGroups.map((group) => (group === '' ? '""' : group)).join(', ');
  const ofModels = resources.length === 0 ? [] : [access.inGroup(resources.join(', '), groups)];
  return [...ofModels, ...nonResourceURLs].join('; ');
}
