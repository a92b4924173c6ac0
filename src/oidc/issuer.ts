import { getMessage } from '../errors.js';
import { fetchJson } from './issuer-requests.js';
import { isSafeUrl } from './oidc-config.js';

/** The description that an issuer publishes about itself. */
export interface IssuerMetadata {
  readonly issuer: string;
  readonly jwks_uri: string;
  readonly [member: string]: unknown;
}

/**
 * Reads the description of an issuer (OpenID Connect Discovery).
 * @throws Error when it cannot be read, or is that of another issuer
 */
export async function discoverIssuer(issuer: string): Promise<IssuerMetadata> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const found = await readFrom(url);
  const { issuer: named, jwks_uri: keys } = found;
  if (named !== issuer) throw new Error(`${url} describes the issuer ${JSON.stringify(named)}`);
  if (typeof keys !== 'string' || !isSafeUrl(keys)) throw new Error(`${url} has no usable jwks_uri`);
  return { ...found, issuer, jwks_uri: keys };
}

/** Reads the keys of an issuer, which are not checked. @throws Error */
export async function readKeys({ jwks_uri: url }: IssuerMetadata): Promise<Record<string, unknown>> {
  return readFrom(url);
}

async function readFrom(url: string): Promise<Record<string, unknown>> {
  try {
    return await fetchJson(url);
  } catch (error) {
    throw new Error(`cannot read ${url}: ${getMessage(error)}`, { cause: error });
  }
}
