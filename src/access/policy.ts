import { isRecord } from '../lib/json/json.js';
import type { ExtensionObject } from '../model/object.js';
import { ALL_RULES, type AccessRule, type RuleFields } from './rules.js';

/** On a role: a JSON array with the names of roles whose rules it includes. */
export const DEPENDENCIES = 'rbac.authorization.platform.run/dependencies';

/** The group whose members may do everything. Only a certificate can name it: users and ID tokens cannot have it. */
const MASTERS = 'system:masters';

const NO_RULES: readonly AccessRule[] = [];
const NO_ROLES: ReadonlySet<string> = new Set();

/** Most users with their groups whose rules are remembered. */
const MEMBERS_MAX = 10_000;

export type Roles = ReadonlyMap<string, ExtensionObject>;

/** A receiver of the role of a binding. */
export interface AccessSubject {
  readonly kind: 'User' | 'Group';
  readonly name: string;
}

/** A user, with the groups that it is a member of. */
export interface UserWithGroups {
  readonly user: string;
  readonly groups: readonly string[];
}

/** The rights that bindings give to users and groups. A binding without an existing role gives nothing. */
export class Policy {
  /** By subject. */
  readonly #roleNames = new Map<string, Set<string>>();
  /** By the user and its groups. */
  readonly #rules = new Map<string, readonly AccessRule[]>();

  /** The schemas of the models have accepted the objects. */
  constructor(
    private readonly roles: Roles,
    bindings: Iterable<ExtensionObject>,
  ) {
    for (const binding of bindings)
      for (const subject of getSubjects(binding)) this.#give(keyOf(subject), getRole(binding));
  }

  /** Names of the roles that bindings give to a subject. */
  getRoles(subject: AccessSubject): ReadonlySet<string> {
    return this.#roleNames.get(keyOf(subject)) ?? NO_ROLES;
  }

  rulesFor(member: UserWithGroups): readonly AccessRule[] {
    if (member.groups.includes(MASTERS)) return ALL_RULES;
    const key = JSON.stringify([member.user, ...member.groups]);
    const known = this.#rules.get(key);
    if (known !== undefined) return known;
    const names = getSubjectsOf(member).flatMap((subject) => [...this.getRoles(subject)]);
    if (names.length === 0) return NO_RULES;
    const rules = getRules(this.roles, names);
    if (this.#rules.size >= MEMBERS_MAX) this.#rules.clear();
    this.#rules.set(key, rules);
    return rules;
  }

  #give(subject: string, role: string): void {
    const roles = this.#roleNames.get(subject);
    if (roles === undefined) this.#roleNames.set(subject, new Set([role]));
    else roles.add(role);
  }
}

function keyOf({ kind, name }: AccessSubject): string {
  return `${kind} ${name}`;
}

/** The subjects whose roles a member has. */
export function getSubjectsOf({ user, groups }: UserWithGroups): readonly AccessSubject[] {
  return [{ kind: 'User', name: user }, ...groups.map((name) => ({ kind: 'Group', name }) as const)];
}

/** The groups of a user. */
export function getGroups(user: ExtensionObject | undefined): readonly string[] {
  return isRecord(user?.spec) ? textsIn(user.spec.groups) : [];
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

/** The users and groups that a binding gives its role to. */
export function getSubjects(binding: ExtensionObject): readonly AccessSubject[] {
  return listIn(binding.subjects).map((subject) => ({
    kind: isRecord(subject) && subject.kind === 'Group' ? 'Group' : 'User',
    name: nameIn(subject),
  }));
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
    // The schema of roles has checked the type; a filter that cannot be read gives no objects.
    ...(rule.filter !== undefined && { filter: typeof rule.filter === 'string' ? rule.filter : 'false' }),
    ...(rule.fields !== undefined && { fields: asFields(rule.fields) }),
  };
}

function asFields(value: unknown): RuleFields {
  const { read, write } = isRecord(value) ? value : { read: [], write: [] };
  return {
    ...(read !== undefined && { read: textsIn(read) }),
    ...(write !== undefined && { write: textsIn(write) }),
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
