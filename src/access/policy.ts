import { isRecord, textsOf } from '../lib/json/json.js';
import type { ExtensionObject } from '../model/object.js';
import { builtInGroups, MASTERS } from './rbac/account-user.js';
import { aggregated, aggregationOf, isRbac, roleRefOf, subjectOf } from './rbac/objects.js';
import { ALL_RULES, type AccessRule, type RuleFields } from './rules.js';

/** On a role: a JSON array with the names of roles whose rules it includes. */
export const DEPENDENCIES = 'rbac.authorization.platform.run/dependencies';

const NO_RULES: readonly AccessRule[] = [];
const NO_ROLES: readonly GivenRole[] = [];

/** Most users with their groups whose rules are remembered. */
const MEMBERS_MAX = 10_000;

/** By their keys. */
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

/** A role that a binding gives. */
export interface GivenRole {
  /** The key of the role. */
  readonly role: string;
  /** The namespace where it counts; undefined: everywhere. */
  readonly namespace: string | undefined;
}

/** The rights that bindings give to users and groups. A binding without an existing role gives nothing. */
export class Policy {
  /** By subject. */
  readonly #given = new Map<string, GivenRole[]>();
  /** By the user and its groups. */
  readonly #rules = new Map<string, readonly AccessRule[]>();

  /** The schemas of the models have accepted the objects. */
  constructor(
    private readonly roles: Roles,
    bindings: Iterable<ExtensionObject>,
  ) {
    for (const binding of bindings)
      for (const subject of getSubjects(binding)) this.#give(keyOf(subject), getGiven(binding));
  }

  /** The groups that have roles. */
  get groups(): readonly string[] {
    return [...this.#given.keys()].flatMap((key) => (key.startsWith(GROUP) ? key.slice(GROUP.length) : []));
  }

  /** The roles that bindings give to a subject. */
  getRoles(subject: AccessSubject): readonly GivenRole[] {
    return this.#given.get(keyOf(subject)) ?? NO_ROLES;
  }

  rulesFor(member: UserWithGroups): readonly AccessRule[] {
    if (member.groups.includes(MASTERS)) return ALL_RULES;
    const key = JSON.stringify([member.user, ...member.groups]);
    const known = this.#rules.get(key);
    if (known !== undefined) return known;
    const rules = this.rulesOf(getSubjectsOf(member));
    if (rules.length === 0) return NO_RULES;
    if (this.#rules.size >= MEMBERS_MAX) this.#rules.clear();
    this.#rules.set(key, rules);
    return rules;
  }

  rulesOf(subjects: readonly AccessSubject[]): readonly AccessRule[] {
    const given = subjects.flatMap((subject) => this.getRoles(subject));
    const places = [...new Set(given.map(({ namespace }) => namespace))];
    return places.flatMap((place) =>
      this.#rulesIn(
        place,
        given.filter(({ namespace }) => namespace === place),
      ),
    );
  }

  #rulesIn(namespace: string | undefined, given: readonly GivenRole[]): readonly AccessRule[] {
    const names = given.map(({ role }) => role);
    const rules = getRules(this.roles, names);
    // Paths are in no namespace.
    return namespace === undefined
      ? rules
      : rules.map(({ nonResourceURLs: _, ...rule }) => ({ ...rule, namespace }));
  }

  #give(subject: string, given: GivenRole): void {
    const known = this.#given.get(subject);
    if (known === undefined) this.#given.set(subject, [given]);
    else known.push(given);
  }
}

const GROUP = 'Group ';

function keyOf({ kind, name }: AccessSubject): string {
  return `${kind} ${name}`;
}

/** All groups of a member, those of the service included. */
export function groupsOf({ user, groups }: UserWithGroups): readonly string[] {
  return [...new Set([...groups, ...builtInGroups(user)])];
}

/** The subjects whose roles a member has. */
export function getSubjectsOf(member: UserWithGroups): readonly AccessSubject[] {
  const groups = groupsOf(member).map((name) => ({ kind: 'Group', name }) as const);
  return [{ kind: 'User', name: member.user }, ...groups];
}

export function getGroups(user: ExtensionObject | undefined): readonly string[] {
  return isRecord(user?.spec) ? textsOf(user.spec.groups) : [];
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
    left.push(...getIncluded(role, roles));
  }
  return rules;
}

/** The rules of a role itself. A role of Kubernetes that combines others has none. */
export function getOwnRules(role: ExtensionObject): readonly AccessRule[] {
  if (!isRbac(role)) return listIn(role.rules).map(asRule);
  if (aggregationOf(role) !== undefined) return NO_RULES;
  return listIn(role.rules).map((rule) => {
    // Kubernetes has no limits.
    const { filter: _filter, fields: _fields, ...own } = asRule(rule);
    return own;
  });
}

/** The keys of the roles whose rules a role has as well. */
export function getIncluded(role: ExtensionObject, roles: Roles): readonly string[] {
  return isRbac(role) ? aggregated(role, roles) : getDependencies(role);
}

/** The users and groups that a binding gives its role to. */
export function getSubjects(binding: ExtensionObject): readonly AccessSubject[] {
  const subjects = listIn(binding.subjects);
  if (isRbac(binding)) return subjects.flatMap((one) => subjectOf(one, binding.metadata.namespace) ?? []);
  return subjects.map((subject) => ({
    kind: isRecord(subject) && subject.kind === 'Group' ? 'Group' : 'User',
    name: nameIn(subject),
  }));
}

/** The key of the role that a binding gives. */
export function getRole(binding: ExtensionObject): string {
  return isRbac(binding) ? roleRefOf(binding).key : nameIn(binding.roleRef);
}

/** The role that a binding gives, with the namespace of the binding. */
export function getGiven(binding: ExtensionObject): GivenRole {
  return { role: getRole(binding), namespace: isRbac(binding) ? binding.metadata.namespace : undefined };
}

/** Empty for an annotation that is not a JSON array of texts. */
export function getDependencies({ metadata }: ExtensionObject): readonly string[] {
  const text = metadata.annotations?.[DEPENDENCIES];
  if (text === undefined) return [];
  try {
    return textsOf(JSON.parse(text));
  } catch {
    return [];
  }
}

function asRule(value: unknown): AccessRule {
  const rule = isRecord(value) ? value : {};
  return {
    apiGroups: textsOf(rule.apiGroups),
    resources: textsOf(rule.resources),
    resourceNames: textsOf(rule.resourceNames),
    nonResourceURLs: textsOf(rule.nonResourceURLs),
    verbs: textsOf(rule.verbs),
    // The schema of roles has checked the type; a filter that cannot be read gives no objects.
    ...(rule.filter !== undefined && { filter: typeof rule.filter === 'string' ? rule.filter : 'false' }),
    ...(rule.fields !== undefined && { fields: asFields(rule.fields) }),
  };
}

function asFields(value: unknown): RuleFields {
  const { read, write } = isRecord(value) ? value : { read: [], write: [] };
  return {
    ...(read !== undefined && { read: textsOf(read) }),
    ...(write !== undefined && { write: textsOf(write) }),
  };
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function nameIn(value: unknown): string {
  return isRecord(value) && typeof value.name === 'string' ? value.name : '';
}
