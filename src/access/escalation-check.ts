import { ServiceError } from '../errors.js';
import type { ExtensionObject } from '../model/object.js';
import type { AccessChange, FindByName } from './changes.js';
import { Comparison } from './rule-coverage.js';
import type { Grants } from './grants.js';
import { ROLE_BINDINGS, ROLES, SESSIONS, TOKENS, USERS, type TokenSpec } from './models.js';
import {
  getDependencies,
  getGroups,
  getOwnRules,
  getRole,
  getSubjects,
  getSubjectsOf,
  Policy,
  type AccessSubject,
} from './policy.js';
import { describeAction, isAllowed, type AccessRule } from './rules.js';

/** Users with this verb may give rights that they do not have themselves. */
const ESCALATE = 'escalate';

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
  for (const { model, name, old, next } of changes) {
    if (next === undefined) continue;
    const { group, plural: resource } = model;
    if (isAllowed(writer.rules, { verb: ESCALATE, group, resource, name })) continue;
    const found = excessIn(excess, { model, name, old, next });
    if (found === undefined) continue;
    throw new ServiceError(
      'Forbidden',
      `user "${writer.user}" may not write ${resource} "${name}": ${found}; ` +
        `that needs the verb ${ESCALATE} on ${resource} in group "${group}"`,
      { group, kind: model.kind, name },
    );
  }
}

/** A description of the rights that an object gives and its writer does not have; undefined without any. */
function excessIn(
  excess: EscalationCheck,
  { model, name, old, next }: AccessChange & { readonly next: ExtensionObject },
): string | undefined {
  switch (model) {
    case USERS:
      return excess.ofNewGroups(getGroups(old), getGroups(next));
    case ROLES:
      return excess.ofRole(name);
    case ROLE_BINDINGS:
      return getSubjects(next).length === 0 ? undefined : excess.ofRole(getRole(next));
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

class EscalationCheck {
  readonly #writer: string;
  readonly #comparison: Comparison;
  readonly #grants: Grants;
  readonly #findUser: FindByName;
  /** Checked roles. One with an excess ends the write, so the others have none. */
  readonly #seen = new Set<string>();
  #policy: Policy | undefined;

  constructor({ user, rules }: Writer, grants: Grants, findUser: FindByName) {
    this.#findUser = findUser;
    this.#writer = user;
    this.#comparison = new Comparison(rules);
    this.#grants = grants;
  }

  /** The excess of a role and all its dependencies. */
  ofRole(name: string): string | undefined {
    const left = [name];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      if (this.#seen.has(next)) continue;
      this.#seen.add(next);
      const role = this.#grants.roles.get(next);
      // A role created later would be given without a check.
      if (role === undefined) return `role "${next}" does not exist, so its rights are unknown`;
      const beyond = this.#comparison.firstNotGranted(getOwnRules(role));
      if (beyond !== undefined)
        return `role "${next}" grants the right to ${describeAction(beyond)}, which "${this.#writer}" does not have`;
      left.push(...getDependencies(role));
    }
    return undefined;
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
