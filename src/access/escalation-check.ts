import { ServiceError } from '../errors.js';
import { deepEqual } from '../lib/json/json.js';
import type { ExtensionObject } from '../model/object.js';
import type { AccessChange, FindByName } from './changes.js';
import { Comparison } from './rule-coverage.js';
import { ROLE_MODELS, type Grants } from './grants.js';
import { isWidened, type MemberChange } from './limits/widened-filter.js';
import { isDisabled, ROLE_BINDINGS, ROLES, SESSIONS, TOKENS, USERS, type TokenSpec } from './models.js';
import {
  getGiven,
  getGroups,
  getIncluded,
  getOwnRules,
  getSubjects,
  getSubjectsOf,
  groupsOf,
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
  type Action,
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

/** The state of access with the changes of a commit. */
export interface AccessAfter {
  readonly grants: Grants;
  readonly findUser: FindByName;
  /** True for a name that an issuer or a certificate may give, with any groups and without a user's object. */
  readonly mayBeIssued: (user: string) => boolean;
}

/**
 * Refuses roles, bindings, users and tokens that give more than their writer has.
 * @throws ServiceError `Forbidden`
 */
export function refuseExcess(writer: Writer, changes: readonly AccessChange[], after: AccessAfter): void {
  const excess = new EscalationCheck(writer, after);
  for (const change of changes) {
    const { model, name } = change;
    const { group, plural: resource } = model;
    const needed = neededInstead(change);
    if (isAllowed(writer.rules, needed)) continue;
    const found = excessIn(excess, change);
    if (found === undefined) continue;
    throw new ServiceError(
      'Forbidden',
      `user "${writer.user}" may not write ${resource} "${name}": ${found}; ` +
        `that needs the verb ${needed.verb} on ${needed.resource} in group "${needed.group}"`,
      { group, kind: model.kind, name },
    );
  }
}

/** The right with which an object may give more than its writer has. */
function neededInstead({ model: { group, plural }, name, next }: AccessChange): ResourceAction {
  const namespace = next?.metadata.namespace;
  const place = namespace === undefined ? {} : { namespace };
  if (next === undefined || !isRbac(next) || ROLE_MODELS.some((model) => model.kind === next.kind))
    return { verb: ESCALATE, group, resource: plural, name, ...place };
  const role = roleRefOf(next);
  return { verb: BIND, group, resource: role.plural, name: role.name, ...place };
}

/** A description of the rights that a change gives and its writer does not have; undefined without any. */
function excessIn(
  excess: EscalationCheck,
  { model, name, key, old, next }: AccessChange,
): string | undefined {
  if (model === USERS) return excess.ofMember(name, old, next);
  if (next === undefined) return undefined;
  if (isRbac(next))
    return old !== undefined && isSameGrant(old, next) ? undefined : rbacExcess(excess, key, next);
  switch (model) {
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
  /** By namespace. */
  readonly #comparisons = new Map<string | undefined, Comparison>();
  /** Checked roles. One with an excess ends the write, so the others have none. */
  readonly #seen = new Set<string>();
  readonly #policy: Policy;

  constructor(
    private readonly writer: Writer,
    private readonly after: AccessAfter,
  ) {
    const { roles, bindings } = after.grants;
    this.#policy = new Policy(roles, bindings.values());
  }

  /** The excess of a role and all that it includes. */
  ofRole({ role: key, namespace }: GivenRole): string | undefined {
    const { roles } = this.after.grants;
    const left = [key];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const id = `${namespace ?? ''} ${next}`;
      if (this.#seen.has(id)) continue;
      this.#seen.add(id);
      const role = roles.get(next);
      // A role created later would be given without a check.
      if (role === undefined) return `role "${nameOfKey(next)}" does not exist, so its rights are unknown`;
      const beyond = this.#comparison(namespace).firstNotGranted(getOwnRules(role));
      if (beyond !== undefined) return `role "${nameOfKey(next)}" ${this.#grants(beyond)}`;
      left.push(...getIncluded(role, roles));
    }
    return undefined;
  }

  #grants(beyond: Action): string {
    return `grants the right to ${describeAction(beyond)}, which "${this.writer.user}" does not have`;
  }

  /** The excess of all rights. */
  ofEverything(): string | undefined {
    const beyond = this.#comparison(undefined).firstNotGranted(ALL_RULES);
    return beyond && `it combines roles, and "${this.writer.user}" does not have all rights`;
  }

  #comparison(namespace: string | undefined): Comparison {
    const known = this.#comparisons.get(namespace) ?? new Comparison(rulesIn(this.writer.rules, namespace));
    this.#comparisons.set(namespace, known);
    return known;
  }

  ofUser(user: string): string | undefined {
    if (user === this.writer.user) return undefined;
    const subjects = getSubjectsOf({ user, groups: getGroups(this.after.findUser(user)) });
    const excess = this.#ofSubjects(subjects);
    return excess === undefined ? undefined : `it belongs to user "${user}", and ${excess}`;
  }

  /**
   * The excess of what a user may do after a change of its object and could not do before: the roles of new groups, those that
   * bindings have ready for a new name, and what filters give to its name and its groups.
   */
  ofMember(
    user: string,
    old: ExtensionObject | undefined,
    next: ExtensionObject | undefined,
  ): string | undefined {
    const isIssued = this.after.mayBeIssued(user);
    // Without its object, a user of an issuer is no longer disabled.
    if (isDisabled(next) || (next === undefined && !isIssued)) return undefined;
    const isNew = old === undefined || isDisabled(old);
    const [before, groups] = [isNew ? [] : getGroups(old), getGroups(next)];
    const others = isIssued ? this.#policy.groups : [];
    const subjects = getSubjectsOf({ user, groups: [...groups, ...others] });
    // Every user has the roles of the groups of the service.
    const has = new Set(groupsOf({ user, groups: [...before, ...(isDisabled(old) ? [] : others)] }));
    const gained = subjects.filter(({ kind, name }) => (kind === 'User' ? isNew : !has.has(name)));
    return (
      this.#ofSubjects(gained) ??
      this.#ofFilters(subjects, {
        isNew,
        added: groups.filter((name) => !before.includes(name)),
        removed: before.filter((name) => !groups.includes(name)),
      })
    );
  }

  #ofFilters(subjects: readonly AccessSubject[], change: MemberChange): string | undefined {
    for (const rule of this.#policy.rulesOf(subjects)) {
      if (rule.filter === undefined || !isWidened(rule.filter, change)) continue;
      const beyond = this.#comparison(rule.namespace).firstNotGranted([rule]);
      if (beyond !== undefined)
        return `the filter of a role gives the user more by its name or its groups, and ${this.#grants(beyond)}`;
    }
    return undefined;
  }

  #ofSubjects(subjects: readonly AccessSubject[]): string | undefined {
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
