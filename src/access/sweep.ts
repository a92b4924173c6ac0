import { ServiceError } from '../errors.js';
import type { Service } from '../service/service.js';
import { TOKENS, USERS } from './control.js';
import type { TokenSpec } from './models.js';

/**
 * Deletes the tokens that have expired, and those of users who are gone: a new user of the same name must not come by
 * the tokens of the old one.
 */
export async function sweepTokens(service: Service): Promise<void> {
  const now = service.context.now().getTime();
  const users = new Map<string, boolean>();
  for await (const { metadata, spec } of service.listAll(TOKENS)) {
    // Of a shape that the model's schema has checked.
    const { user, expirationTimestamp } = spec as TokenSpec;
    if (!users.has(user)) users.set(user, (await service.getMany(USERS, [user]))[0] !== undefined);
    const isExpired = expirationTimestamp !== undefined && Date.parse(expirationTimestamp) <= now;
    if (isExpired || users.get(user) === false) await remove(service, metadata.name);
  }
}

/** Another process may have been quicker. */
async function remove(service: Service, name: string): Promise<void> {
  try {
    await service.delete(TOKENS, name);
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'NotFound')) throw error;
  }
}
