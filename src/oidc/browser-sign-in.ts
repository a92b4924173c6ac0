import { readFile } from 'node:fs/promises';
import type { Configuration } from 'openid-client';
import type { IssuedUser } from '../access/identity/issued-user.js';
import { newSessionSecret } from '../access/token.js';
import { SESSIONS, USERS } from '../access/models.js';
import type { WatchTickets } from '../access/watch-tickets.js';
import { getMessage, hasCode, ServiceError, unauthorized } from '../errors.js';
import { latestNow } from '../lib/time/clock.js';
import type { Logger } from '../lib/log/logger.js';
import type { Service } from '../service/service.js';
import { openClient, scopesOf } from './client.js';
import type { IdTokens } from './id-tokens.js';
import { readRefusal } from './issuer-error.js';
import type { OidcConfig } from './oidc-config.js';
import { SignInStates, type SignInState } from './sign-in-state.js';

/** Time between the start of a sign-in and its return, in milliseconds. */
export const STATE_MS = 600_000;
/** The longest time of a session, in milliseconds. */
export const SESSION_MS = 8 * 3_600_000;
/** Time for which the description of the issuer is used, and a failure to read it, in milliseconds. */
const CLIENT_MS = 300_000;
const FAILURE_MS = 10_000;

export interface StartedSession {
  /** For a cookie. */
  readonly secret: string;
  readonly user: string;
  readonly groups: readonly string[];
}

export interface BrowserSignInOptions {
  readonly config: OidcConfig;
  readonly idTokens: IdTokens;
  readonly service: Service;
  readonly tickets: Pick<WatchTickets, 'use'>;
  readonly logger: Logger;
}

/** Signs people in with their browsers, and keeps their sessions in the store. */
export class BrowserSignIn {
  readonly #states: SignInStates;
  #client: { readonly opened: Promise<Configuration>; until: number } | undefined;

  constructor(private readonly options: BrowserSignInOptions) {
    this.#states = new SignInStates(options.service.store.secret);
  }

  /**
   * Starts a sign-in.
   * @returns the address of the issuer, and the text that the browser keeps until it returns
   * @throws ServiceError `ServiceUnavailable` when the issuer cannot be reached
   */
  async start(redirectUri: string): Promise<{ readonly location: string; readonly kept: string }> {
    const config = await this.#open();
    const client = await import('openid-client');
    const state: SignInState = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
      redirectUri,
      expiresMs: Math.floor(latestNow()) + STATE_MS,
    };
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: scopesOf(config, { isLasting: false }),
      code_challenge: await client.calculatePKCECodeChallenge(state.verifier),
      code_challenge_method: 'S256',
      state: state.state,
      nonce: state.nonce,
    });
    return { location: url.href, kept: this.#states.write(state) };
  }

  /**
   * Ends a sign-in with the address with which the browser returns.
   * @param kept the text that the browser has kept
   * @throws ServiceError `Unauthorized`, `ServiceUnavailable`
   */
  async finish(search: string, kept: string | undefined): Promise<StartedSession> {
    try {
      return await this.#finish(search, kept);
    } catch (error) {
      throw error instanceof ServiceError ? error : this.#asFailure(error);
    }
  }

  /** Ends a session, in all processes. Nothing happens for one that has ended. */
  async end(session: string): Promise<void> {
    try {
      await this.options.service.delete(SESSIONS, session);
    } catch (error) {
      if (!hasCode(error, 'NotFound')) throw error;
    }
  }

  async #finish(search: string, kept: string | undefined): Promise<StartedSession> {
    const state = kept === undefined ? undefined : this.#states.read(kept, latestNow());
    if (state === undefined || new URLSearchParams(search).get('state') !== state.state)
      throw unauthorized('this sign-in was not started in this browser, or too long ago; start again');
    await this.#useOnce(state);
    const config = await this.#open();
    const { authorizationCodeGrant } = await import('openid-client');
    const answer = await authorizationCodeGrant(config, new URL(`${state.redirectUri}?${search}`), {
      pkceCodeVerifier: state.verifier,
      expectedState: state.state,
      expectedNonce: state.nonce,
      idTokenExpected: true,
    });
    // The library checks the claims. The signature is checked like that of each ID token.
    const user = await this.options.idTokens.identify(answer.id_token ?? '');
    return { secret: await this.#createSession(user), user: user.user, groups: user.groups };
  }

  /** @throws ServiceError `Unauthorized` for a state that was used before */
  async #useOnce({ state, expiresMs }: SignInState): Promise<void> {
    try {
      await this.options.tickets.use({ holder: undefined, nonce: state, expiresMs });
    } catch (error) {
      throw hasCode(error, 'Unauthorized')
        ? unauthorized('this sign-in was used before; start again')
        : error;
    }
  }

  async #createSession({ user, groups }: IssuedUser): Promise<string> {
    const { service, idTokens } = this.options;
    const uid = await this.#uidOf(user);
    const { token, id, sha256 } = newSessionSecret();
    const expirationTimestamp = new Date(latestNow() + SESSION_MS).toISOString();
    const userUID = uid ?? idTokens.uidOf(user) ?? '';
    await service.create(SESSIONS, {
      metadata: { name: id },
      spec: { user, userUID, sha256, groups: [...groups], expirationTimestamp },
    });
    return token;
  }

  async #uidOf(user: string): Promise<string | undefined> {
    const [object] = await this.options.service.getMany(USERS, [user]);
    return object?.metadata.uid;
  }

  /** All sign-ins share one description of the issuer, so that they make no storm of requests to it. */
  async #open(): Promise<Configuration> {
    const now = performance.now();
    if (this.#client === undefined || now >= this.#client.until) {
      const client = { opened: this.#read(), until: now + CLIENT_MS };
      client.opened.catch(() => (client.until = performance.now() + FAILURE_MS));
      this.#client = client;
    }
    try {
      return await this.#client.opened;
    } catch (error) {
      throw new ServiceError(
        'ServiceUnavailable',
        'the issuer cannot be reached; try again later',
        {},
        { cause: error },
      );
    }
  }

  async #read(): Promise<Configuration> {
    const { config, logger } = this.options;
    const { clientSecretFile: file } = config;
    try {
      const secret = file === undefined ? undefined : (await readFile(file, 'utf8')).trim();
      return await openClient(config, secret);
    } catch (error) {
      logger.warn(`people cannot sign in at the issuer ${config.issuer}: ${getMessage(error)}`);
      throw error;
    }
  }

  /** The library's errors name the reason of the issuer, which is for the log: anyone can write it into the address. */
  #asFailure(error: unknown): ServiceError {
    const { code, reason } = readRefusal(error);
    const prefix = code === undefined || code === reason ? '' : `${code}: `;
    this.options.logger.warn(`a sign-in has failed: ${prefix}${reason}`.slice(0, 200));
    return unauthorized('the issuer did not confirm the sign-in; start again');
  }
}
