import { qualifiedPlural, type Model } from '../../../api/models.js';
import type { RoleRule } from '../../../api/platform/access.js';
import { allows, allowsPath, VERBS, type Rule } from '../../../api/platform/rights.js';
import { t } from '../../../texts.js';

/** The rights on a model, on a part or some objects of it, or on a path. */
export interface RightsRow {
  readonly label: string;
  /** The roles of each verb, in the order of the verbs. */
  readonly roles: readonly (readonly string[])[];
}

/** The effective rights of rules. Rows without a right are left out. */
export function getRightsRows(models: readonly Model[], rules: readonly RoleRule[]): readonly RightsRow[] {
  const rows = new Map<string, RightsRow>();
  const add = (label: string, isGranting: (rule: Rule, verb: string) => boolean): void => {
    if (rows.has(label)) return;
    const roles = VERBS.map((verb) => getRoles(rules, (rule) => isGranting(rule, verb)));
    if (roles.some((those) => those.length > 0)) rows.set(label, { label, roles });
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

function getRoles(rules: readonly RoleRule[], isGranting: (rule: Rule) => boolean): readonly string[] {
  return [...new Set(rules.filter(({ rule }) => isGranting(rule)).map(({ role }) => role))];
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
