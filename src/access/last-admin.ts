import { ServiceError } from '../errors.js';
import type { ExtensionObject } from '../model/object.js';
import type { AccessChange, FindByName } from './changes.js';
import type { Grants } from './grants.js';
import type { LiveTokens } from './live-tokens.js';
import { isDisabled, ROLE_BINDINGS, ROLES, USERS } from './models.js';
import type { ResourceRef } from '../service/verbs.js';
import { getDependencies, getOwnRules, getRole, getSubjects } from './policy.js';
import { isPartial, type AccessRule } from './rules.js';

const PLATFORM_MODELS: readonly ResourceRef[] = [USERS, ROLES, ROLE_BINDINGS];

/**
 * Refuses changes that remove the last admin: a user who is not disabled, may do everything with all resources, and has a valid
 * token. Roles of Kubernetes make no admin: they are served only with `--kubernetes full`. A binding of a group makes no admin: its members may be decided elsewhere. Tokens themselves can always be deleted.
 * @param users finds users after and before the commit
 * @throws ServiceError `Forbidden`; TokensWanted when tokens must be read first
 */
export function keepAdmin(
  { before, after }: { readonly before: Grants; readonly after: Grants },
  changes: readonly AccessChange[],
  users: { readonly findUser: FindByName; readonly findOld: FindByName },
  tokens: LiveTokens,
): void {
  if (!changes.some(({ model, old }) => PLATFORM_MODELS.includes(model) && old !== undefined)) return;
  if (tokens.hasLive(getAdmins(after, users.findUser))) return;
  // Without an admin before, the check would refuse every write.
  if (!tokens.hasLive(getAdmins(before, users.findOld))) return;
  throw new ServiceError(
    'Forbidden',
    'this would remove the last administrator; first give another user a role with all rights and a token: ' +
      'xsvc token create --user NAME --role ROLE',
  );
}

/** Objects that are being deleted do not count. */
function getAdmins({ roles, bindings }: Grants, findUser: FindByName): readonly ExtensionObject[] {
  const full = fullRoles([...roles.values()].filter(isLasting));
  const given = [...bindings.values()].filter((binding) => isLasting(binding) && full.has(getRole(binding)));
  const names = given.flatMap(getSubjects).flatMap(({ kind, name }) => (kind === 'User' ? name : []));
  return [...new Set(names)].flatMap((name) => {
    const user = findUser(name);
    return user === undefined || isDisabled(user) || !isLasting(user) ? [] : [user];
  });
}

/** Names of the roles that allow everything, by themselves or by their dependencies. */
function fullRoles(roles: readonly ExtensionObject[]): ReadonlySet<string> {
  const dependents = new Map<string, string[]>();
  for (const role of roles)
    for (const name of getDependencies(role)) {
      const known = dependents.get(name);
      if (known === undefined) dependents.set(name, [role.metadata.name]);
      else known.push(role.metadata.name);
    }
  const full = new Set<string>();
  const left = roles
    .filter((role) => getOwnRules(role).some(isEverything))
    .map(({ metadata }) => metadata.name);
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (full.has(next)) continue;
    full.add(next);
    left.push(...(dependents.get(next) ?? []));
  }
  return full;
}

function isLasting({ metadata }: ExtensionObject): boolean {
  return metadata.deletionTimestamp === undefined;
}

/** True when a rule allows everything with all resources. */
export function isEverything(rule: AccessRule): boolean {
  const { verbs, apiGroups = [], resources = [], resourceNames = [] } = rule;
  if (isPartial(rule)) return false;
  return resourceNames.length === 0 && [verbs, apiGroups, resources].every((part) => part.includes('*'));
}
