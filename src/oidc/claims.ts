import { isSystemUser } from '../model/system-users.js';
import type { IssuedUser } from '../access/identity/issued-user.js';
import { isSubjectName, SUBJECT_NAME_RULE } from '../access/identity/subject-name.js';
import type { OidcConfig } from './oidc-config.js';

/** The claims of a token cannot become a user. The message completes "the ID token is not accepted: ". */
export class ClaimFault extends Error {}

type Claims = Readonly<Record<string, unknown>>;

/** Time for which an expired token is still accepted, and one that is not yet valid, in seconds. */
export const CLOCK_SKEW_S = 60;

/**
 * The user whom a verified token names.
 * @throws ClaimFault
 */
export function userOf(claims: Claims, config: OidcConfig): IssuedUser {
  const { exp } = claims;
  if (typeof exp !== 'number' || !Number.isFinite(exp)) throw new ClaimFault('its claim "exp" is no number');
  return {
    user: nameOf(claims, config),
    groups: groupsOf(claims, config),
    expiresAt: (exp + CLOCK_SKEW_S) * 1_000,
  };
}

function nameOf(claims: Claims, { usernameClaim, usernamePrefix }: OidcConfig): string {
  const given = claimOf(claims, usernameClaim);
  if (typeof given !== 'string' || given === '')
    throw new ClaimFault(`its claim "${usernameClaim}" is missing or no text`);
  if (usernameClaim === 'email' && !isVerifiedEmail(claims))
    throw new ClaimFault('its claim "email_verified" is not true');
  const name = usernamePrefix + given;
  if (isReserved(given, name))
    throw new ClaimFault(`its claim "${usernameClaim}" begins with system:, which no issuer may give`);
  if (!isSubjectName(name))
    throw new ClaimFault(`its claim "${usernameClaim}", with the prefix, ${SUBJECT_NAME_RULE}`);
  return name;
}

/** An issuer without this claim decides itself which addresses it gives. */
function isVerifiedEmail(claims: Claims): boolean {
  const verified = claimOf(claims, 'email_verified');
  return verified === undefined || verified === true || verified === 'true';
}

/** Names that are reserved or not allowed are left out: the user has the other groups. One text is one group. */
function groupsOf(claims: Claims, { groupsClaim, groupsPrefix }: OidcConfig): readonly string[] {
  const given = claimOf(claims, groupsClaim) ?? [];
  const groups: readonly unknown[] = Array.isArray(given) ? given : [given];
  const names = groups.flatMap((group) => {
    if (typeof group !== 'string')
      throw new ClaimFault(`its claim "${groupsClaim}" is neither a list of texts nor a text`);
    const name = groupsPrefix + group;
    return group !== '' && isSubjectName(name) && !isReserved(group, name) ? name : [];
  });
  return [...new Set(names)];
}

function claimOf(claims: Claims, claim: string): unknown {
  return Object.hasOwn(claims, claim) ? claims[claim] : undefined;
}

/** A prefix does not make a reserved name of an issuer another one: bindings and logs must not look alike. */
function isReserved(given: string, name: string): boolean {
  return isSystemUser(given) || isSystemUser(name);
}
