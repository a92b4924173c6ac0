import { hasCode } from '../errors.js';
import { earliestNow } from '../lib/time/clock.js';
import type { Service } from '../service/service.js';
import type { ResourceRef } from '../service/verbs.js';
import { isIssuedUid } from './identity/issued-user.js';
import { SESSIONS, TOKENS, USERS, type SessionSpec, type TokenSpec } from './models.js';

/**
 * Deletes expired tokens and sessions, and tokens of deleted users.
 * @param now in milliseconds since 1970. Default: the earlier of two clocks, because a deleted token cannot be restored
 */
export async function sweepTokens(service: Service, now = earliestNow()): Promise<void> {
  for await (const { metadata, spec } of service.listAll(SESSIONS)) {
    // The model's schema has checked the type.
    const { expirationTimestamp } = spec as SessionSpec;
    if (Date.parse(expirationTimestamp) <= now) await remove(service, SESSIONS, metadata.name);
  }
  const uids = new Map<string, string | undefined>();
  for await (const { metadata, spec } of service.listAll(TOKENS)) {
    // The model's schema has checked the type.
    const { user, userUID, expirationTimestamp } = spec as TokenSpec;
    if (!uids.has(user)) uids.set(user, (await service.getMany(USERS, [user]))[0]?.metadata.uid);
    const isExpired = expirationTimestamp !== undefined && Date.parse(expirationTimestamp) <= now;
    const uid = uids.get(user);
    // Users of an issuer have no object.
    const isOfUser = uid === undefined ? isIssuedUid(userUID) : uid === userUID;
    if (isExpired || !isOfUser) await remove(service, TOKENS, metadata.name);
  }
}

/** Another process may have been faster. */
async function remove(service: Service, model: ResourceRef, name: string): Promise<void> {
  try {
    await service.delete(model, name);
  } catch (error) {
    if (!hasCode(error, 'NotFound')) throw error;
  }
}
