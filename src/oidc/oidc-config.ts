import { isLoopback } from '../lib/process/loopback.js';
import { isSystemUser } from '../model/system-users.js';

/** The issuer whose ID tokens are accepted, and how their claims become users and groups. */
export interface OidcConfig {
  /** As the issuer writes it: the claim `iss` must be equal. */
  readonly issuer: string;
  /** The audience of accepted ID tokens. */
  readonly clientId: string;
  /** Absolute; undefined for a public client. */
  readonly clientSecretFile: string | undefined;
  readonly usernameClaim: string;
  readonly groupsClaim: string;
  readonly usernamePrefix: string;
  readonly groupsPrefix: string;
}

/** Parses the address of an issuer. The text is kept, because issuers are compared as texts. */
export function issuerUrl(value: unknown): string {
  if (typeof value === 'string' && isIssuer(value)) return value;
  throw new Error(
    'must be the address of an issuer without a query, like https://login.example.com; ' +
      `http:// only for loopback addresses; not ${show(value)}`,
  );
}

function isIssuer(text: string): boolean {
  if (!isSafeUrl(text)) return false;
  const { search, hash, username, password } = new URL(text);
  return search === '' && hash === '' && username === '' && password === '' && !/[?#]/.test(text);
}

/** True for an address that nobody on the network can answer for another: TLS, or this machine. */
export function isSafeUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
}

/** The text of a prefix that is empty: variables and shells lose an empty text. */
const NO_PREFIX = '-';

/** Parses a prefix for names of an issuer. */
export function namePrefix(value: unknown): string {
  if (value === NO_PREFIX || value === '') return '';
  if (typeof value === 'string' && /^[\x21-\x7e]{1,64}$/.test(value) && !isSystemUser(value)) return value;
  throw new Error(
    `must be at most 64 visible ASCII characters that do not begin with system:, or - for none, not ${show(value)}`,
  );
}

function show(value: unknown): string {
  return JSON.stringify(value).slice(0, 100);
}
