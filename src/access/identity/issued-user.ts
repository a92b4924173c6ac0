import { hash } from 'node:crypto';
import type { MaybePromise } from '../../lib/work/maybe-promise.js';
import type { UserWithGroups } from '../policy.js';

/** A user whom an issuer outside of the service has confirmed. No `User` object needs to exist. */
export interface IssuedUser extends UserWithGroups {
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Identifies the holders of tokens that are JSON Web Tokens. */
export interface TokenIssuer {
  /** @throws ServiceError `Unauthorized` for anything except a valid token */
  identify(token: string): MaybePromise<IssuedUser>;
  /** The uid of a user without a `User` object; undefined for a name that its tokens cannot have. */
  uidOf(user: string): string | undefined;
}

const UID_PREFIX = 'issued-';

/** The uid of a user of an issuer: it differs from that of another issuer's user with the same name. */
export function issuedUid(issuer: string, user: string): string {
  return UID_PREFIX + hash('sha256', JSON.stringify([issuer, user])).slice(0, 32);
}

/** True for a uid of {@link issuedUid}. The uids of objects do not begin like this. */
export function isIssuedUid(uid: string): boolean {
  return uid.startsWith(UID_PREFIX);
}

/** True for a text in the form of a signed JSON Web Token. The service's own tokens have no dot. */
export function isJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token);
}

const LATEST_MAX = 10_000;

/** The latest confirmation of each user, for actions in the user's name without the token. */
export class LatestIssued {
  /** By user; the latest is last. */
  readonly #byUser = new Map<string, IssuedUser>();

  note(issued: IssuedUser): void {
    this.#byUser.delete(issued.user);
    this.#byUser.set(issued.user, issued);
    const [oldest] = this.#byUser.keys();
    if (this.#byUser.size > LATEST_MAX && oldest !== undefined) this.#byUser.delete(oldest);
  }

  /** Undefined when the user is not known, or the confirmation has expired. */
  find(user: string, now: number): IssuedUser | undefined {
    const issued = this.#byUser.get(user);
    return issued === undefined || now >= issued.expiresAt ? undefined : issued;
  }
}
