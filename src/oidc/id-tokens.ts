import type { JWTVerifyGetKey, JWTVerifyResult } from 'jose';
import { issuedUid, type IssuedUser, type TokenIssuer } from '../access/identity/issued-user.js';
import { ServiceError, unauthorized } from '../errors.js';
import { findDuplicateKey } from '../lib/json/json-fault.js';
import { LogLimit } from '../lib/log/log-limit.js';
import type { Logger } from '../lib/log/logger.js';
import { latestNow, SYSTEM_CLOCK, type Clock } from '../lib/time/clock.js';
import type { MaybePromise } from '../lib/work/maybe-promise.js';
import { isSystemUser } from '../model/system-users.js';
import { ClaimFault, CLOCK_SKEW_S, userOf } from './claims.js';
import { IssuerKeys } from './issuer-keys.js';
import type { OidcConfig } from './oidc-config.js';

/** Only signatures with a key pair: a secret that both know proves nothing about the issuer. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

const TOKEN_LENGTH_MAX = 16 * 1024;
/** Most verified tokens in memory, together at most 32 MiB. */
const KNOWN_MAX = 2_000;
/** Most log lines about refused claims in one minute. */
const LINES_PER_MINUTE = 5;

export interface IdTokensOptions {
  readonly logger: Logger;
  /** For the times in tokens, in milliseconds since 1970. Default: a clock that makes no token valid again when the system clock is set back */
  readonly now?: () => number;
  /** For the limits of requests to the issuer. Default: the machine's clock. */
  readonly clock?: Clock;
}

export class IdTokens implements TokenIssuer {
  /** By token; the oldest is first. */
  readonly #known = new Map<string, IssuedUser>();
  readonly #keys: IssuerKeys;
  readonly #refusals: LogLimit;
  readonly #logger: Logger;
  readonly #now: () => number;

  constructor(
    private readonly config: OidcConfig,
    { logger, now = latestNow, clock = SYSTEM_CLOCK }: IdTokensOptions,
  ) {
    this.#logger = logger;
    this.#now = now;
    this.#refusals = new LogLimit(clock, LINES_PER_MINUTE);
    // Tokens of a key that the issuer has withdrawn are verified again, and refused.
    const onChange = (): void => this.#known.clear();
    this.#keys = new IssuerKeys({ issuer: config.issuer, clock, logger, onChange });
  }

  /** Begins to read the keys of the issuer, so that the first token need not wait. */
  begin(): void {
    this.#keys.renewIfOld();
  }

  identify(token: string): MaybePromise<IssuedUser> {
    if (token.length > TOKEN_LENGTH_MAX) throw refused(`it is longer than ${TOKEN_LENGTH_MAX} characters`);
    this.#keys.renewIfOld();
    const known = this.#known.get(token);
    if (known === undefined) return this.#verify(token);
    if (this.#now() < known.expiresAt) return known;
    this.#known.delete(token);
    throw refused(REASONS.ERR_JWT_EXPIRED);
  }

  uidOf(user: string): string | undefined {
    const { issuer, usernamePrefix } = this.config;
    const isPossible =
      user.length > usernamePrefix.length && user.startsWith(usernamePrefix) && !isSystemUser(user);
    return isPossible ? issuedUid(issuer, user) : undefined;
  }

  async #verify(token: string): Promise<IssuedUser> {
    const { find, result } = await this.#check(token);
    try {
      const issued = userOf(this.#claimsOf(token, result), this.config);
      if (find === this.#keys.find) this.#remember(token, issued);
      return issued;
    } catch (error) {
      if (!(error instanceof ClaimFault)) throw error;
      this.#refusals.write(() =>
        this.#logger.warn(`an ID token of the issuer is not accepted: ${error.message}`),
      );
      throw refused(error.message);
    }
  }

  /** Verifies the signature and the times, with keys that are read again when none of the known ones fits. */
  async #check(token: string): Promise<{ readonly find: JWTVerifyGetKey; readonly result: JWTVerifyResult }> {
    if (this.#keys.find === undefined) await this.#keys.renew();
    const find = this.#keys.find;
    if (find === undefined) throw unauthorized('the issuer of ID tokens cannot be reached; try again later');
    try {
      return { find, result: await this.#checkWith(token, find) };
    } catch (error) {
      const renewed = isUnknownKey(error) && (await this.#keys.renew()) ? this.#keys.find : undefined;
      if (renewed === undefined) throw asRefusal(error);
      try {
        return { find: renewed, result: await this.#checkWith(token, renewed) };
      } catch (again) {
        throw asRefusal(again);
      }
    }
  }

  async #checkWith(token: string, find: JWTVerifyGetKey): Promise<JWTVerifyResult> {
    const { jwtVerify } = await import('jose');
    return jwtVerify(token, find, {
      algorithms: ALGORITHMS,
      issuer: this.config.issuer,
      audience: this.config.clientId,
      requiredClaims: ['exp'],
      clockTolerance: CLOCK_SKEW_S,
      currentDate: new Date(this.#now()),
    });
  }

  /** The claims of a verified token, if it is an ID token. @throws ClaimFault for tokens of other kinds, and ambiguous ones */
  #claimsOf(
    token: string,
    { payload, protectedHeader: { typ } }: JWTVerifyResult,
  ): JWTVerifyResult['payload'] {
    // Access tokens and logout tokens have the same signer, and may have the same audience.
    if ((typ !== undefined && !/^(?:application\/)?jwt$/i.test(typ)) || Object.hasOwn(payload, 'events'))
      throw new ClaimFault('it is a token for another purpose');
    if (hasRepeatedKeys(token)) throw new ClaimFault('a member of its header or a claim occurs twice');
    const { iat, azp } = payload;
    if (iat !== undefined && iat > this.#now() / 1_000 + CLOCK_SKEW_S)
      throw new ClaimFault('its claim "iat" is in the future');
    if (azp !== undefined && azp !== this.config.clientId)
      throw new ClaimFault('its claim "azp" names another client');
    return payload;
  }

  #remember(token: string, issued: IssuedUser): void {
    const [oldest] = this.#known.keys();
    if (this.#known.size >= KNOWN_MAX && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(token, issued);
  }
}

function hasRepeatedKeys(token: string): boolean {
  const parts = token.split('.').slice(0, 2);
  return parts.some((part) => findDuplicateKey(Buffer.from(part, 'base64url').toString()) !== undefined);
}

/** Reasons by the codes of errors. Those of other errors are not shown: they may repeat the token. */
const REASONS = {
  ERR_JWT_EXPIRED: 'it has expired',
  ERR_JOSE_ALG_NOT_ALLOWED: 'its algorithm is not accepted',
  ERR_JWKS_NO_MATCHING_KEY: 'no key of the issuer has signed it',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'its header has no "kid", and the issuer has several keys',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'no key of the issuer has signed it',
} as const;

function isUnknownKey(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ERR_JWKS_NO_MATCHING_KEY' || code === 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED';
}

function asRefusal(error: unknown): ServiceError {
  const code = codeOf(error);
  if (code in REASONS) return refused(REASONS[code as keyof typeof REASONS]);
  if (code === 'ERR_JWT_CLAIM_VALIDATION_FAILED') return refused(claimReason(error));
  return refused('it is malformed');
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function claimReason(error: unknown): string {
  const claim = error instanceof Error && 'claim' in error ? String(error.claim) : '';
  return claim === 'nbf' ? 'it is not valid yet' : `its claim "${claim}" is missing or not accepted`;
}

function refused(reason: string): ServiceError {
  return unauthorized(`the ID token is not accepted: ${reason}`);
}
