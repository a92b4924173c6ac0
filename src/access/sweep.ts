import { hasCode } from '../errors.js';
import { earliestNow } from '../lib/time/clock.js';
import type { Service } from '../service/service.js';
import type { ResourceRef } from '../service/verbs.js';
import { joinFullName } from '../model/full-name.js';
import { isIssuedUid } from './identity/issued-user.js';
import { SESSIONS, TOKENS, USERS, type SessionSpec, type TokenSpec } from './models.js';
import { accountOf } from './rbac/account-user.js';
import { servedOf, SERVICE_ACCOUNTS } from './rbac/models.js';

/**
 * Deletes expired tokens and sessions, and tokens of deleted users and service accounts.
 * @param now in milliseconds since 1970. Default: the earlier of two clocks, because a deleted token cannot be restored
 */
export async function sweepTokens(service: Service, now = earliestNow()): Promise<void> {
  for await (const { metadata, spec } of service.listAll(SESSIONS)) {
    // The model's schema has checked the type.
    const { expirationTimestamp } = spec as SessionSpec;
    if (Date.parse(expirationTimestamp) <= now) await remove(service, SESSIONS, metadata.name);
  }
  const owners = new Map<string, Owner>();
  for await (const { metadata, spec } of service.listAll(TOKENS)) {
    // The model's schema has checked the type.
    const { user, userUID, expirationTimestamp } = spec as TokenSpec;
    const owner = owners.get(user) ?? (await findOwner(service, user));
    owners.set(user, owner);
    const isExpired = expirationTimestamp !== undefined && Date.parse(expirationTimestamp) <= now;
    if (isExpired || !isOwner(owner, userUID)) await remove(service, TOKENS, metadata.name);
  }
}

/** The present holder of a name: unknown while the service runs without service accounts. */
type Owner = { readonly uid: string | undefined } | 'unknown';

async function findOwner(service: Service, user: string): Promise<Owner> {
  const account = accountOf(user);
  const [model] = account === undefined ? [USERS] : servedOf(service.models, [SERVICE_ACCOUNTS]);
  if (model === undefined) return 'unknown';
  const name = account === undefined ? user : joinFullName(account);
  const [found] = await service.getMany(model, [name]);
  return { uid: found?.metadata.uid };
}

function isOwner(owner: Owner, uid: string): boolean {
  if (owner === 'unknown') return true;
  // Users of an issuer have no object.
  return owner.uid === undefined ? isIssuedUid(uid) : owner.uid === uid;
}

/** Another process may have been faster. */
async function remove(service: Service, model: ResourceRef, name: string): Promise<void> {
  try {
    await service.delete(model, name);
  } catch (error) {
    if (!hasCode(error, 'NotFound')) throw error;
  }
}
