import type { ReactNode } from 'react';
import { getIncluded, ROLES, useAccessObjects } from '../../api/platform/access.js';
import { Facts } from '../../parts/facts.js';
import { Pending } from '../../parts/notice.js';
import { getObject } from '../../routes/route.js';
import { navigate } from '../../routes/use-route.js';
import { t } from '../../texts.js';
import { useGrants } from './grants.js';
import { RoleEditor } from './matrix/role-editor.js';
import { AccessHead, Links, SubjectLinks } from './parts.js';
import { BOARD_URL, getRoleUrl } from './place.js';
import { DeleteButton } from './write-dialog.js';

export function RolePage({ name }: { readonly name: string }): ReactNode {
  const { data, error } = useAccessObjects(ROLES);
  const { subjectsOf } = useGrants();
  const role = data?.find(({ metadata }) => metadata.name === name);
  if (role === undefined)
    return (
      <>
        <AccessHead title={name} />
        {data === undefined ? <Pending error={error} /> : <p>{t`There is no role of this name.`}</p>}
      </>
    );
  return (
    <>
      <AccessHead title={name}>
        <a href={getObject(ROLES, name, 'history')}>{t`History`}</a>
        <a href={getObject(ROLES, name, 'yaml')}>{t`YAML`}</a>
        <DeleteButton
          model={ROLES}
          metadata={role.metadata}
          action={t`Delete`}
          onDone={() => navigate(BOARD_URL)}
        />
      </AccessHead>
      <Facts
        facts={[
          [t`Users`, <SubjectLinks subjects={subjectsOf.get(name) ?? []} />],
          [t`Includes the roles`, <Links names={getIncluded(role)} getUrl={getRoleUrl} />],
        ]}
      />
      <RoleEditor role={role} />
    </>
  );
}
