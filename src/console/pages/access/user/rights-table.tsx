import type { ReactNode } from 'react';
import { qualifiedPlural, storedModels, useModels, type Model } from '../../../api/models.js';
import type { RoleRule } from '../../../api/platform/access.js';
import { allows, allowsPath, VERBS, type Rule } from '../../../api/platform/rules.js';
import type { Column } from '../../../parts/simple-table.js';
import { t } from '../../../texts.js';
import { FoundTable, Links } from '../parts.js';
import { getRoleUrl } from '../place.js';

/** The rights on a model, on a part or some objects of it, or on a path. */
interface RightsRow {
  readonly label: string;
  /** The roles of each verb, in the order of the verbs. */
  readonly roles: readonly (readonly string[])[];
  /** The limits of each verb to some objects or fields; empty where a rule has none. */
  readonly limits: readonly (readonly string[])[];
}

/** The effective rights, with the roles that grant each of them. */
export function RightsTable({ rules }: { readonly rules: readonly RoleRule[] }): ReactNode {
  const models = storedModels(useModels().data ?? []);
  if (rules.length === 0)
    return <p className="faint">{t`Nothing: no role binding gives a role to this user.`}</p>;
  return (
    <FoundTable
      label={t`Rights`}
      searchLabel={t`Find a right`}
      rows={getRightsRows(models, rules)}
      getText={({ label }) => label}
      getKey={({ label }) => label}
      columns={[
        [t`Model`, ({ label }) => label],
        ...VERBS.map((verb, i): Column<RightsRow> => [
          verb,
          ({ roles, limits }) => <Mark roles={roles[i] ?? []} limits={limits[i] ?? []} />,
        ]),
        [t`Granted by`, ({ roles }) => <Links names={[...new Set(roles.flat())]} getUrl={getRoleUrl} />],
      ]}
    />
  );
}

interface MarkProps {
  readonly roles: readonly string[];
  readonly limits: readonly string[];
}

function Mark({ roles, limits }: MarkProps): ReactNode {
  if (roles.length === 0) return null;
  const isWhole = limits.length === 0;
  return (
    <strong
      role="img"
      className="good"
      aria-label={isWhole ? t`yes` : t`for some objects or fields`}
      title={[...roles, ...limits].join('\n')}
    >
      {isWhole ? '✓' : '◐'}
    </strong>
  );
}

/** The effective rights of rules. Rows without a right are left out. */
function getRightsRows(models: readonly Model[], rules: readonly RoleRule[]): readonly RightsRow[] {
  const rows = new Map<string, RightsRow>();
  const add = (label: string, isGranting: (rule: Rule, verb: string) => boolean): void => {
    if (rows.has(label)) return;
    const granting = VERBS.map((verb) => rules.filter(({ rule }) => isGranting(rule, verb)));
    const roles = granting.map((those) => [...new Set(those.map(({ role }) => role))]);
    const limits = granting.map((those) => getLimits(those.map(({ rule }) => rule)));
    if (roles.some((those) => those.length > 0)) rows.set(label, { label, roles, limits });
  };
  for (const { group, plural } of models)
    add(qualifiedPlural({ group, plural }), (rule, verb) => allows(rule, { verb, group, resource: plural }));
  for (const { group, resource, name } of getNarrow(rules)) {
    const of = qualifiedPlural({ group, plural: resource });
    add(name === undefined ? of : t`${of}: only ${name}`, (rule, verb) =>
      allows(rule, { verb, group, resource, name }),
    );
  }
  for (const path of new Set(rules.flatMap(({ rule }) => rule.nonResourceURLs)))
    add(path, (rule, verb) => allowsPath(rule, verb, path));
  return [...rows.values()];
}

/** The limits of rules together; none when one of them has none. */
function getLimits(rules: readonly Rule[]): readonly string[] {
  return rules.some(({ limits }) => limits.length === 0) ? [] : rules.flatMap(({ limits }) => limits);
}

interface Narrow {
  readonly group: string;
  readonly resource: string;
  readonly name: string | undefined;
}

/** Resources that rules name, such as parts of objects, and objects that they are limited to. */
function getNarrow(rules: readonly RoleRule[]): readonly Narrow[] {
  return rules.flatMap(({ rule: { apiGroups, resources, resourceNames } }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource): readonly Narrow[] => {
        if (resourceNames.length > 0) return resourceNames.map((name) => ({ group, resource, name }));
        return resource === '*' ? [] : [{ group, resource, name: undefined }];
      }),
    ),
  );
}
