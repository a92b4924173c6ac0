import { ServiceError } from '../errors.js';
import { deepEqual } from '../lib/json/json.js';
import type { ExtensionObject } from '../model/object.js';
import type { AccessChange, FindByName } from './changes.js';
import { Comparison } from './rule-coverage.js';
import { ROLE_MODELS, type Grants } from './grants.js';
import { ROLE_BINDINGS, ROLES, SESSIONS, TOKENS, USERS, type TokenSpec } from './models.js';
import {
  getGiven,
  getGroups,
  getIncluded,
  getOwnRules,
  getSubjects,
  getSubjectsOf,
  Policy,
  type AccessSubject,
  type GivenRole,
} from './policy.js';
import { CLUSTER_ROLES } from './rbac/models.js';
import { aggregationOf, isRbac, roleRefOf } from './rbac/objects.js';
import {
  ALL_RULES,
  describeAction,
  isAllowed,
  rulesIn,
  type AccessRule,
  type ResourceAction,
} from './rules.js';

/** Users with this verb may give rights that they do not have themselves. */
const ESCALATE = 'escalate';
/** Users with this verb on a role of Kubernetes may give it to others. */
const BIND = 'bind';

export interface Writer {
  readonly user: string;
  /** The rights of the user before the write. */
  readonly rules: readonly AccessRule[];
}

/**
 * Refuses roles, bindings, memberships of groups and tokens that give more than their writer has.
 * @param after roles and bindings with the changes
 * @param findUser finds users with the changes
 * @throws ServiceError `Forbidden`
 */
export function refuseExcess(
  writer: Writer,
  changes: readonly AccessChange[],
  after: Grants,
  findUser: FindByName,
): void {
  const excess = new EscalationCheck(writer, after, findUser);
  for (const change of changes) {
    const { model, name, next } = change;
    if (next === undefined) continue;
    const { group, plural: resource } = model;
    const needed = neededInstead({ ...change, next });
    if (isAllowed(writer.rules, needed)) continue;
    const found = excessIn(excess, { ...change, next });
    if (found === undefined) continue;
    throw new ServiceError(
      'Forbidden',
      `user "${writer.user}" may not write ${resource} "${name}": ${found}; ` +
        `that needs the verb ${needed.verb} on ${needed.resource} in group "${needed.group}"`,
      { group, kind: model.kind, name },
    );
  }
}

type Made = AccessChange & { readonly next: ExtensionObject };

/** The right with which an object may give more than its writer has. */
function neededInstead({ model: { group, plural }, name, next }: Made): ResourceAction {
  const { namespace } = next.metadata;
  const place = namespace === undefined ? {} : { namespace };
  if (!isRbac(next) || ROLE_MODELS.some((model) => model.kind === next.kind))
    return { verb: ESCALATE, group, resource: plural, name, ...place };
  const role = roleRefOf(next);
  return { verb: BIND, group, resource: role.plural, name: role.name, ...place };
}

/** A description of the rights that an object gives and its writer does not have; undefined without any. */
function excessIn(excess: EscalationCheck, { model, key, old, next }: Made): string | undefined {
  if (isRbac(next))
    return old !== undefined && isSameGrant(old, next) ? undefined : rbacExcess(excess, key, next);
  switch (model) {
    case USERS:
      return excess.ofNewGroups(getGroups(old), getGroups(next));
    case ROLES:
      return excess.ofRole({ role: key, namespace: undefined });
    case ROLE_BINDINGS:
      return getSubjects(next).length === 0 ? undefined : excess.ofRole(getGiven(next));
    case TOKENS:
      // The model's schema has checked the type.
      return excess.ofUser((next.spec as TokenSpec).user);
    case SESSIONS:
      // Its groups are those of an issuer, which the writer may not have.
      return 'only a sign-in makes a session';
    default:
      return undefined;
  }
}

/** True for a change that gives nothing, such as one of annotations. Roles may combine those of the cluster by their labels. */
function isSameGrant(old: ExtensionObject, next: ExtensionObject): boolean {
  const isSame = (part: string): boolean => deepEqual(old[part], next[part]);
  const hasSameLabels = deepEqual(old.metadata.labels ?? {}, next.metadata.labels ?? {});
  return (
    ['rules', 'aggregationRule', 'roleRef', 'subjects'].every(isSame) &&
    (hasSameLabels || next.kind !== CLUSTER_ROLES.kind)
  );
}

function rbacExcess(excess: EscalationCheck, key: string, next: ExtensionObject): string | undefined {
  if (next.roleRef !== undefined)
    return getSubjects(next).length === 0 ? undefined : excess.ofRole(getGiven(next));
  // Roles that match later would be given without a check.
  if (aggregationOf(next) !== undefined) return excess.ofEverything();
  return excess.ofRole({ role: key, namespace: next.metadata.namespace });
}

class EscalationCheck {
  readonly #writer: string;
  readonly #rules: readonly AccessRule[];
  /** By namespace. */
  readonly #comparisons = new Map<string | undefined, Comparison>();
  readonly #grants: Grants;
  readonly #findUser: FindByName;
  /** Checked roles. One with an excess ends the write, so the others have none. */
  readonly #seen = new Set<string>();
  #policy: Policy | undefined;

  constructor({ user, rules }: Writer, grants: Grants, findUser: FindByName) {
    this.#findUser = findUser;
    this.#writer = user;
    this.#rules = rules;
    this.#grants = grants;
  }

  /** The excess of a role and all that it includes. */
  ofRole({ role: key, namespace }: GivenRole): string | undefined {
    const left = [key];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const id = `${namespace ?? ''} ${next}`;
      if (this.#seen.has(id)) continue;
      this.#seen.add(id);
      const role = this.#grants.roles.get(next);
      // A role created later would be given without a check.
      if (role === undefined) return `role "${nameOfKey(next)}" does not exist, so its rights are unknown`;
      const beyond = this.#comparison(namespace).firstNotGranted(getOwnRules(role));
      if (beyond !== undefined)
        return `role "${nameOfKey(next)}" grants the right to ${describeAction(beyond)}, which "${this.#writer}" does not have`;
      left.push(...getIncluded(role, this.#grants.roles));
    }
    return undefined;
  }

  /** The excess of all rights. */
  ofEverything(): string | undefined {
    const beyond = this.#comparison(undefined).firstNotGranted(ALL_RULES);
    return beyond && `it combines roles, and "${this.#writer}" does not have all rights`;
  }

  #comparison(namespace: string | undefined): Comparison {
    const known = this.#comparisons.get(namespace) ?? new Comparison(rulesIn(this.#rules, namespace));
    this.#comparisons.set(namespace, known);
    return known;
  }

  ofUser(user: string): string | undefined {
    if (user === this.#writer) return undefined;
    const subjects = getSubjectsOf({ user, groups: getGroups(this.#findUser(user)) });
    const excess = this.#ofSubjects(subjects);
    return excess === undefined ? undefined : `it belongs to user "${user}", and ${excess}`;
  }

  /** The excess of the groups that a user did not have before. */
  ofNewGroups(old: readonly string[], next: readonly string[]): string | undefined {
    const added = next.filter((name) => !old.includes(name));
    return this.#ofSubjects(added.map((name) => ({ kind: 'Group', name })));
  }

  #ofSubjects(subjects: readonly AccessSubject[]): string | undefined {
    const { roles, bindings } = this.#grants;
    this.#policy ??= new Policy(roles, bindings.values());
    for (const subject of subjects)
      for (const role of this.#policy.getRoles(subject)) {
        const excess = this.ofRole(role);
        if (excess === undefined) continue;
        return subject.kind === 'Group' ? `group "${subject.name}" has a role, and ${excess}` : excess;
      }
    return undefined;
  }
}

/** The name of a role in messages. */
function nameOfKey(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}
