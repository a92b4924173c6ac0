import { useState, type ReactNode } from 'react';
import {
  bindRole,
  getRole,
  getSubjectKey,
  ROLE_BINDINGS,
  unbind,
  type Subject,
} from '../../../api/platform/access.js';
import { useMay } from '../../../api/platform/rights.js';
import { hasTyped } from '../../../lib/naming.js';
import { say } from '../../../parts/dialogs/toasts.js';
import { SearchField } from '../../../parts/field.js';
import { ErrorLine } from '../../../parts/notice.js';
import { t } from '../../../texts.js';
import { getRolesOf, type Grants } from '../grants.js';
import { getRoleUrl } from '../place.js';
import { useAccessWrite } from '../write-dialog.js';

/** Roles before the search is shown. */
const MANY = 12;

interface SubjectRolesProps {
  readonly subject: Subject;
  readonly grants: Grants;
}

/** The roles of a user or a group as checkboxes: each click makes or removes a binding. */
export function SubjectRoles({ subject, grants }: SubjectRolesProps): ReactNode {
  const [typed, setTyped] = useState('');
  const own = getRolesOf([subject], grants);
  // A binding may name a role that does not exist yet.
  const names = [...new Set([...grants.roles.map(({ metadata }) => metadata.name), ...own])].sort();
  const shown = names.filter((name) => hasTyped(name, typed));
  return (
    <div className="stack tight">
      {names.length > MANY && <SearchField label={t`Find a role`} typed={typed} onType={setTyped} />}
      {shown.length === 0 && <p className="faint">{t`No matches.`}</p>}
      <ul className="tiles tiles-narrow">
        {shown.map((role) => (
          <RoleBox key={role} subject={subject} role={role} isOwn={own.includes(role)} grants={grants} />
        ))}
      </ul>
    </div>
  );
}

interface RoleBoxProps extends SubjectRolesProps {
  readonly role: string;
  readonly isOwn: boolean;
}

function RoleBox({ subject, role, isOwn, grants }: RoleBoxProps): ReactNode {
  const { name } = subject;
  const isAllowed = useMay(isOwn ? 'delete' : 'create', ROLE_BINDINGS);
  const { mutate, isPending, error } = useAccessWrite(
    async () => {
      if (!isOwn) return bindRole(subject, role);
      const all = grants.bindingsOf.get(getSubjectKey(subject)) ?? [];
      const bindings = all.filter((binding) => getRole(binding) === role);
      await Promise.all(bindings.map((binding) => unbind(subject, binding)));
    },
    () => say(isOwn ? t`${name} no longer has the role ${role}.` : t`${name} has the role ${role}.`),
  );
  return (
    <li className="actions spread well">
      <label>
        <input
          type="checkbox"
          checked={isOwn !== isPending}
          aria-disabled={!isAllowed || isPending}
          onChange={() => {
            if (isAllowed && !isPending) mutate();
          }}
        />{' '}
        {role}
      </label>
      <a href={getRoleUrl(role)} aria-label={t`Rights of the role ${role}`}>
        {t`Rights`}
      </a>
      <ErrorLine error={error} />
    </li>
  );
}
