import { useState, type ReactNode } from 'react';
import { storedModels, useModels } from '../../../api/models.js';
import type { RoleRule } from '../../../api/platform/access.js';
import { VERBS } from '../../../api/platform/rights.js';
import { SimpleTable, type Column } from '../../../parts/simple-table.js';
import { t } from '../../../texts.js';
import { Links } from '../links.js';
import { getRoleUrl } from '../place.js';
import { Search } from '../search.js';
import { getRightsRows, type RightsRow } from './rights-rows.js';

/** Rows before `Show all`. */
const SHOWN = 25;

/** The effective rights, with the roles that grant each of them. */
export function RightsTable({ rules }: { readonly rules: readonly RoleRule[] }): ReactNode {
  const models = storedModels(useModels().data ?? []);
  const [typed, setTyped] = useState('');
  const [isWhole, setIsWhole] = useState(false);
  if (rules.length === 0)
    return <p className="faint">{t`Nothing: no role binding gives a role to this user.`}</p>;
  const wanted = typed.trim().toLowerCase();
  const rows = getRightsRows(models, rules).filter(({ label }) => label.toLowerCase().includes(wanted));
  const shown = isWhole ? rows : rows.slice(0, SHOWN);
  return (
    <div className="stack tight">
      <Search label={t`Find a right`} typed={typed} onType={setTyped} />
      {rows.length === 0 && <p className="faint">{t`No matches.`}</p>}
      {rows.length > 0 && (
        <SimpleTable
          label={t`Rights`}
          rows={shown}
          getKey={({ label }) => label}
          columns={[
            [t`Model`, ({ label }) => label],
            ...VERBS.map((verb, i): Column<RightsRow> => [
              verb,
              ({ roles }) => <Mark roles={roles[i] ?? []} />,
            ]),
            [t`Granted by`, ({ roles }) => <Links names={[...new Set(roles.flat())]} getUrl={getRoleUrl} />],
          ]}
        />
      )}
      {shown.length < rows.length && (
        <button type="button" className="access-more" onClick={() => setIsWhole(true)}>
          {t`Show all ${rows.length}`}
        </button>
      )}
    </div>
  );
}

function Mark({ roles }: { readonly roles: readonly string[] }): ReactNode {
  if (roles.length === 0) return null;
  return (
    <span role="img" className="rights-table-mark" aria-label={t`yes`} title={roles.join(', ')}>
      {'✓'}
    </span>
  );
}
