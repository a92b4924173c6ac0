import { isRecord } from '../lib/json/json.js';
import type { ExtensionObject } from '../model/object.js';
import type { AccessRule } from './rules.js';

/** On a role: a JSON array with the names of roles whose rules it includes. */
export const DEPENDENCIES = 'rbac.authorization.platform.run/dependencies';

const NO_RULES: readonly AccessRule[] = [];
const NO_ROLES: ReadonlySet<string> = new Set();

export type Roles = ReadonlyMap<string, ExtensionObject>;

/** The rights that bindings give to users. A binding without an existing user or role gives nothing. */
export class Policy {
  readonly #roleNames = new Map<string, Set<string>>();
  readonly #rules = new Map<string, readonly AccessRule[]>();

  /** The schemas of the models have accepted the objects. */
  constructor(
    private readonly roles: Roles,
    bindings: Iterable<ExtensionObject>,
  ) {
    for (const binding of bindings)
      for (const user of getSubjects(binding)) this.#give(user, getRole(binding));
  }

  /** Names of the roles that bindings give to a user. */
  getRoles(user: string): ReadonlySet<string> {
    return this.#roleNames.get(user) ?? NO_ROLES;
  }

  rulesFor(user: string): readonly AccessRule[] {
    const names = this.#roleNames.get(user);
    if (names === undefined) return NO_RULES;
    const known = this.#rules.get(user) ?? getRules(this.roles, names);
    this.#rules.set(user, known);
    return known;
  }

  #give(user: string, role: string): void {
    const roles = this.#roleNames.get(user);
    if (roles === undefined) this.#roleNames.set(user, new Set([role]));
    else roles.add(role);
  }
}

/** The rules of roles and of all their dependencies; each role once, also in cycles. */
function getRules(roles: Roles, names: Iterable<string>): readonly AccessRule[] {
  const seen = new Set<string>();
  const rules: AccessRule[] = [];
  const left = [...names];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const role = roles.get(next);
    if (role === undefined || seen.has(next)) continue;
    seen.add(next);
    for (const rule of getOwnRules(role)) rules.push(rule);
    left.push(...getDependencies(role));
  }
  return rules;
}

/** The rules of a role itself. */
export function getOwnRules(role: ExtensionObject): readonly AccessRule[] {
  return listIn(role.rules).map(asRule);
}

/** The users that a binding gives its role to. */
export function getSubjects(binding: ExtensionObject): readonly string[] {
  return listIn(binding.subjects).map(nameIn);
}

/** The role that a binding gives. */
export function getRole(binding: ExtensionObject): string {
  return nameIn(binding.roleRef);
}

/** Empty for an annotation that is not a JSON array of texts. */
export function getDependencies({ metadata }: ExtensionObject): readonly string[] {
  const text = metadata.annotations?.[DEPENDENCIES];
  if (text === undefined) return [];
  try {
    return textsIn(JSON.parse(text));
  } catch {
    return [];
  }
}

function asRule(value: unknown): AccessRule {
  const rule = isRecord(value) ? value : {};
  return {
    apiGroups: textsIn(rule.apiGroups),
    resources: textsIn(rule.resources),
    resourceNames: textsIn(rule.resourceNames),
    nonResourceURLs: textsIn(rule.nonResourceURLs),
    verbs: textsIn(rule.verbs),
  };
}

function textsIn(value: unknown): readonly string[] {
  return listIn(value).filter((item) => typeof item === 'string');
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function nameIn(value: unknown): string {
  return isRecord(value) && typeof value.name === 'string' ? value.name : '';
}
