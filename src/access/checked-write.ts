import { unavailable } from '../errors.js';
import { AttemptEnded, ATTEMPTS_MAX } from '../lib/work/retry.js';
import type { ExtensionObject } from '../model/object.js';
import type { Service } from '../service/service.js';
import type { CommitCheck } from '../service/verbs.js';
import { parseObject, type StoredObject } from '../store/object-record.js';
import { accessChanges, findBefore, withChanges } from './changes.js';
import { refuseExcess, type AccessAfter } from './escalation-check.js';
import { grantsStamp, grantsStampIn, ofPlatform, readGrants, type Grants } from './grants.js';
import { keepAdmin } from './last-admin.js';
import { LiveTokens, TokensWanted } from './live-tokens.js';
import { USERS } from './models.js';
import { refuseUnwatchable, writesPassingOn } from './passed-on.js';
import { getGroups, Policy } from './policy.js';
import type { AccessRule } from './rules.js';

/** Roles and bindings must be read, for the first time or because they have changed; the write is checked again. */
class GrantsWanted extends AttemptEnded {}

interface Before {
  readonly stamp: string;
  readonly grants: Grants;
}

export interface WriteSender {
  readonly user: string;
  /** Groups that an issuer has confirmed, in addition to those of the user's object. */
  readonly issuedGroups?: readonly string[];
  /** Its rights. Default: those that bindings give to the user. */
  readonly rules?: readonly AccessRule[];
  /** See {@link AccessAfter}. Default: every name may be issued. */
  readonly mayBeIssued?: AccessAfter['mayBeIssued'];
}

/**
 * Runs a write of a user. Its changes of users, roles, bindings and tokens, and of objects that pass changes on, are checked
 * within its commit, by the roles and bindings that the commit finds.
 * @param write commits once, with the given admission; it is called again when nothing was stored
 * @throws ServiceError `Forbidden` for a change that gives more than its writer has, or removes the last admin, and
 * for an object that passes on what its writer may not watch
 */
export async function admitted<T>(
  service: Service,
  sender: WriteSender,
  write: (admission: CommitCheck) => Promise<T>,
): Promise<T> {
  const tokens = new LiveTokens(service);
  let before: Before | undefined;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    try {
      return await write(admissionFor(service, sender, before, tokens));
    } catch (error) {
      if (error instanceof GrantsWanted) before = await readBefore(service);
      else if (error instanceof TokensWanted) await tokens.fetch(error.users);
      else throw error;
    }
  }
  throw unavailable('concurrent changes to roles and role bindings; try again');
}

async function readBefore(service: Service): Promise<Before> {
  const stamp = await grantsStamp(service);
  return { stamp, grants: await readGrants(service) };
}

function admissionFor(
  { models }: Service,
  { user, issuedGroups = [], rules, mayBeIssued = () => true }: WriteSender,
  before: Before | undefined,
  tokens: LiveTokens,
): CommitCheck {
  return (tx, all) => {
    const changes = accessChanges(all);
    const passing = writesPassingOn(all);
    if (changes.length === 0 && passing.length === 0) return;
    if (before === undefined || grantsStampIn(tx, models) !== before.stamp) throw new GrantsWanted();
    const { grants } = before;
    const users = models.table(USERS);
    const findUser = (name: string): ExtensionObject | undefined => parsed(tx.find(users, name));
    const findOld = findBefore(changes, USERS, findUser);
    const groups = [...new Set([...issuedGroups, ...getGroups(findOld(user))])];
    const given = rules ?? policyOf(grants).rulesFor({ user, groups });
    const writer = { user, rules: given };
    refuseUnwatchable(writer, passing);
    if (changes.length === 0) return;
    const after = withChanges(grants, changes);
    refuseExcess(writer, changes, { grants: after, findUser, mayBeIssued });
    keepAdmin(
      { before: ofPlatform(grants), after: ofPlatform(after) },
      changes,
      { findUser, findOld },
      tokens,
    );
  };
}

function policyOf({ roles, bindings }: Grants): Policy {
  return new Policy(roles, bindings.values());
}

function parsed(stored: StoredObject | undefined): ExtensionObject | undefined {
  return stored === undefined ? undefined : parseObject(stored.bytes);
}
