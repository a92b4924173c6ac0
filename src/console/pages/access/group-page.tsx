import type { ReactNode } from 'react';
import { ErrorNotice, Pending } from '../../parts/notice.js';
import { Section } from '../../parts/section.js';
import { t } from '../../texts.js';
import { getUserColumns, ObjectTable } from './columns.js';
import { useGrants } from './grants.js';
import { AccessHead } from './parts.js';
import { SubjectRoles } from './user/subject-roles.js';

/** A group of users. It has no object: users and bindings name it. */
export function GroupPage({ name }: { readonly name: string }): ReactNode {
  const grants = useGrants();
  const { error, isPending, membersOf } = grants;
  return (
    <>
      <AccessHead title={name} note={t`Group`} />
      {error !== null && <ErrorNotice error={error} />}
      {error === null && isPending && <Pending error={null} />}
      {error === null && !isPending && (
        <div className="stack">
          <Section title={t`Roles`}>
            <SubjectRoles subject={{ kind: 'Group', name }} grants={grants} />
          </Section>
          <Section title={t`Members`}>
            <p className="faint">{t`Users join a group on their own page.`}</p>
            <ObjectTable
              title={t`Members`}
              objects={membersOf.get(name) ?? []}
              columns={getUserColumns(grants)}
            />
          </Section>
        </div>
      )}
    </>
  );
}
