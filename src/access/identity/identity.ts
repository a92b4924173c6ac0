import type { IssuedUser } from './issued-user.js';
import type { UserWithGroups } from '../policy.js';
import type { AccessRule } from '../rules.js';
import type { TokenRef } from '../token.js';

/** The sender of a request, at the time of the request. */
export interface Identity extends UserWithGroups {
  readonly rules: readonly AccessRule[];
  /** The source of the identity; undefined for {@link ANONYMOUS} and for users who are only named. */
  readonly holder?: Holder;
  /** The groups that an issuer has confirmed. */
  readonly issuedGroups?: readonly string[];
  /** Undefined for {@link ANONYMOUS}. */
  readonly uid?: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

export interface SessionRef {
  /** Its name. */
  readonly session: string;
  readonly uid: string;
}

/** The object of a token or a session, or what an issuer has confirmed. */
export type Holder = TokenRef | SessionRef | IssuedUser;

/** A token or the secret of a session, which is empty for {@link ANONYMOUS}, or what it stands for. */
export type Credential = string | Holder;

/** True for what an issuer has confirmed. */
export function isIssued(credential: Credential): credential is IssuedUser {
  return typeof credential !== 'string' && 'expiresAt' in credential;
}
