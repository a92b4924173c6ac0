import type { Configuration } from 'openid-client';
import { issuerFetch } from './issuer-requests.js';
import type { OidcConfig } from './oidc-config.js';

/** The client with which people sign in. */
export type SignInClient = Pick<OidcConfig, 'issuer' | 'clientId'>;

/** Scopes that are requested where the issuer has them. Others refuse a request with a scope that they do not know. */
const OPTIONAL_SCOPES = ['email', 'groups', 'profile', 'offline_access'];

/**
 * Reads the description of the issuer, for requests of this client.
 * @param secret undefined for a public client
 * @throws Error when it cannot be read, or is that of another issuer
 */
export async function openClient(
  { issuer, clientId }: SignInClient,
  secret?: string,
): Promise<Configuration> {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so that it stands out: only for loopback issuers
  const { allowInsecureRequests, ClientSecretBasic, customFetch, discovery, None } =
    await import('openid-client');
  const authentication = secret === undefined ? None() : ClientSecretBasic(secret);
  return discovery(new URL(issuer), clientId, undefined, authentication, {
    [customFetch]: issuerFetch,
    // Without TLS, only an issuer on this machine is accepted.
    ...(issuer.startsWith('http:') && { execute: [allowInsecureRequests] }),
  });
}

/** The scopes of a sign-in. @param isLasting true to ask for a refresh token */
export function scopesOf(config: Configuration, { isLasting }: { readonly isLasting: boolean }): string {
  const { scopes_supported: supported = [] } = config.serverMetadata();
  const wanted = OPTIONAL_SCOPES.filter((scope) => isLasting || scope !== 'offline_access');
  return ['openid', ...wanted.filter((scope) => supported.includes(scope))].join(' ');
}

/** The end of an ID token, in milliseconds since 1970. */
export function endOfClaims({ exp }: { readonly exp: number }): number {
  return exp * 1_000;
}
