import { hasCode, notFound, type ServiceError } from '../errors.js';
import type { ObjectDraft } from '../model/object.js';
import type { Service } from '../service/service.js';
import type { BatchItem, ResourceRef, Verbs } from '../service/verbs.js';
import { ACCESS_GROUP, ROLE_BINDINGS, ROLES, TOKENS, USERS } from './models.js';
import { getRole, getSubjects } from './policy.js';
import { newToken } from './token.js';

export interface TokenRequest {
  /** Created if it does not exist. */
  readonly user: string;
  /** An existing role that the user gets. */
  readonly role?: string;
  /** The lifetime of the token in milliseconds. Default: unlimited. */
  readonly ttlMs?: number;
}

export interface IssuedToken {
  /** To be printed once: it is not stored. */
  readonly token: string;
  /** Name of its object; used to revoke it. */
  readonly id: string;
  readonly expirationTimestamp?: string;
  readonly isNewUser: boolean;
  readonly isNewBinding: boolean;
}

/**
 * Creates a token and its dependencies: first the user, because the token refers to its `uid`, then the rest in one commit.
 * @throws ServiceError `NotFound` for a role that does not exist, `Invalid` for a name that no user can have
 */
export async function issueToken(
  verbs: Verbs,
  { user, role, ttlMs }: TokenRequest,
  now: Date,
): Promise<IssuedToken> {
  if (role !== undefined && !(await exists(verbs, ROLES, role))) throw await noRole(verbs, role);
  const isNewBinding = role !== undefined && !(await hasRole(verbs, user, role));
  const { uid, isNew: isNewUser } = await userCalled(verbs, user);
  const { token, id, sha256 } = newToken();
  const expiry = expiryAfter(ttlMs, now);
  await verbs.batch([
    ...(isNewBinding ? [getItem(ROLE_BINDINGS, getBinding(user, role))] : []),
    getItem(TOKENS, { metadata: { name: id }, spec: { user, userUID: uid, sha256, ...expiry } }),
  ]);
  return { token, id, isNewUser, isNewBinding, ...expiry };
}

/**
 * Creates a token of the sender itself, which needs no right.
 * @throws ServiceError `Forbidden` for a token that would end after the one that the sender uses
 */
export async function issueOwnToken(
  verbs: Pick<Verbs, 'create'>,
  { user, ttlMs }: Pick<TokenRequest, 'user' | 'ttlMs'>,
  now: Date,
): Promise<Pick<IssuedToken, 'token' | 'id' | 'expirationTimestamp'>> {
  const { token, id, sha256 } = newToken();
  const expiry = expiryAfter(ttlMs, now);
  await verbs.create(TOKENS, { metadata: { name: id }, spec: { user, sha256, ...expiry } });
  return { token, id, ...expiry };
}

function expiryAfter(ttlMs: number | undefined, now: Date): Pick<IssuedToken, 'expirationTimestamp'> {
  return ttlMs === undefined ? {} : { expirationTimestamp: new Date(now.getTime() + ttlMs).toISOString() };
}

/** The user of a name, created if it does not exist. */
async function userCalled(verbs: Verbs, name: string): Promise<{ uid: string; isNew: boolean }> {
  const [known] = await verbs.getMany(USERS, [name]);
  if (known !== undefined) return { uid: known.metadata.uid, isNew: false };
  const { object } = await verbs.create(USERS, { metadata: { name } });
  return { uid: object.metadata.uid, isNew: true };
}

/** Name of the first user, and of the role that allows everything. */
export const ADMIN = 'admin';

/**
 * Creates a user with all rights when no user exists.
 * @returns the user's token, to be printed once; undefined when users exist
 */
export async function makeFirstUser(service: Service): Promise<string | undefined> {
  if ((await service.count(USERS)) > 0) return undefined;
  const { token, id, sha256 } = newToken();
  const hasRole = await exists(service, ROLES, ADMIN);
  try {
    // One commit: otherwise a service that is killed between two would never create the token.
    await service.createTogether((create) => {
      const { uid: userUID } = create(USERS, { metadata: { name: ADMIN } });
      if (!hasRole) create(ROLES, ADMIN_ROLE);
      create(ROLE_BINDINGS, getBinding(ADMIN, ADMIN));
      create(TOKENS, { metadata: { name: id }, spec: { user: ADMIN, userUID, sha256 } });
    });
  } catch (error) {
    // Another process was faster.
    if (hasCode(error, 'AlreadyExists')) return undefined;
    throw error;
  }
  return token;
}

const ADMIN_ROLE = {
  metadata: { name: ADMIN },
  rules: [
    { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
    { nonResourceURLs: ['*'], verbs: ['*'] },
  ],
};

function getBinding(user: string, role: string): ObjectDraft {
  return {
    metadata: { generateName: `${user}-${role}-` },
    roleRef: { apiGroup: ACCESS_GROUP, kind: 'Role', name: role },
    subjects: [{ kind: 'User', name: user }],
  };
}

function getItem(resource: ResourceRef, object: ObjectDraft): BatchItem {
  return { verb: 'create', resource, object };
}

async function exists(verbs: Verbs, model: ResourceRef, name: string): Promise<boolean> {
  const [object] = await verbs.getMany(model, [name]);
  return object !== undefined;
}

async function hasRole(verbs: Verbs, user: string, role: string): Promise<boolean> {
  for await (const binding of verbs.listAll(ROLE_BINDINGS)) {
    if (getRole(binding) !== role) continue;
    if (getSubjects(binding).some(({ kind, name }) => kind === 'User' && name === user)) return true;
  }
  return false;
}

async function noRole(verbs: Verbs, wanted: string): Promise<ServiceError> {
  const names: string[] = [];
  for await (const { metadata } of verbs.listAll(ROLES)) names.push(metadata.name);
  const known = names.length === 0 ? 'no roles exist yet' : `known roles: ${names.join(', ')}`;
  return notFound(`there is no role "${wanted}"; ${known}`, { kind: 'Role', name: wanted });
}
