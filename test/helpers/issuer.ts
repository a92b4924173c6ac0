import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { importJWK, SignJWT, type JWK } from 'jose';
import Provider, { type Configuration } from 'oidc-provider';
import { Visitor } from './visitor.js';

export const CLIENT_ID = 'xsvc';
const REDIRECT = 'http://127.0.0.1/callback';

/** What the issuer says about a person. */
export type Account = Readonly<Record<string, unknown>> & { readonly sub: string };

/** Claims of a token, also wrong ones. */
export type Claims = Readonly<Record<string, unknown>>;

export interface SigningKey extends JWK {
  readonly kid: string;
}

/** The real `oidc-provider` on loopback. Who signs in next is decided by the test, not by a form. */
export interface TestIssuer {
  readonly url: string;
  /** The paths of its requests. */
  readonly requests: string[];
  /** The person who signs in next; undefined: the sign-in is refused. */
  account: Account | undefined;
  /** The key with which it signs. */
  key: SigningKey;
  /** True while connections are cut. */
  isAway: boolean;
  /** True: the connection of the next request is cut, once. */
  breaksNext: boolean;
  /** True while requests are received and not answered, as by a stopped process. */
  isSilent: boolean;
  /** True while requests are answered with interim answers alone. */
  isInterim: boolean;
  /** The ID token of a person, by the authorization code flow. */
  idTokenOf(account: Account): Promise<string>;
  /** A token that the issuer might have signed: good unless claims or header are replaced. */
  sign(claims?: Claims, header?: Readonly<Record<string, unknown>>, key?: SigningKey): Promise<string>;
  /** It has another key from now on, and none of the former ones. */
  rotate(key?: SigningKey): void;
  close(): Promise<void>;
}

export function newKey(kid = randomBytes(6).toString('hex')): SigningKey {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...(privateKey.export({ format: 'jwk' }) as JWK), kid, alg: 'RS256', use: 'sig' };
}

/** Making a key takes long. */
let firstKey: SigningKey | undefined;

export interface IssuerOptions {
  /** Default: a random one. */
  readonly port?: number;
  /** Default: true. */
  readonly hasDeviceFlow?: boolean;
  /** Default: a public client. */
  readonly clientSecret?: string;
  /** Lifetime of ID tokens, in seconds. Default: an hour. */
  readonly idTokenSeconds?: number;
}

export async function startIssuer(options: IssuerOptions = {}): Promise<TestIssuer> {
  let handle: (req: IncomingMessage, res: ServerResponse) => void = () => undefined;
  const server = createServer((req, res) => {
    issuer.requests.push((req.url ?? '').split('?', 1)[0] ?? '');
    const { breaksNext } = issuer;
    issuer.breaksNext = false;
    if (issuer.isAway || breaksNext) req.socket.destroy();
    else if (issuer.isInterim) for (let i = 0; i < 10; i++) res.writeProcessing();
    else if (!issuer.isSilent) handle(req, res);
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const accounts = new Map<string, Account>();
  const issuer: TestIssuer = {
    url,
    requests: [],
    account: undefined,
    key: (firstKey ??= newKey()),
    isAway: false,
    breaksNext: false,
    isSilent: false,
    isInterim: false,
    async idTokenOf(account) {
      issuer.account = account;
      return (await signIn(url)).id_token;
    },
    async sign(claims = {}, header = {}, key = issuer.key) {
      const now = Math.floor(Date.now() / 1000);
      const payload: Claims = { iss: url, aud: CLIENT_ID, sub: 'ada', iat: now, exp: now + 3600, ...claims };
      return new SignJWT(payload)
        .setProtectedHeader({ alg: 'RS256', kid: key.kid, ...header })
        .sign(await importJWK(key, 'RS256'));
    },
    rotate(key = newKey()) {
      issuer.key = key;
      handle = handlerFor(issuer, accounts, options);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  issuer.rotate();
  return issuer;
}

function handlerFor(
  issuer: TestIssuer,
  accounts: Map<string, Account>,
  options: IssuerOptions,
): (req: IncomingMessage, res: ServerResponse) => void {
  const provider = new Provider(issuer.url, configuration(issuer.key, accounts, options));
  const answer = provider.callback();
  return (req, res) => {
    if (req.url?.startsWith('/interaction/') === true) void interact(provider, issuer, accounts, req, res);
    else void answer(req, res);
  };
}

async function interact(
  provider: Provider,
  { account }: TestIssuer,
  accounts: Map<string, Account>,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  if (account !== undefined) accounts.set(account.sub, account);
  const result =
    account === undefined
      ? { error: 'access_denied', error_description: 'nobody signs in' }
      : { login: { accountId: account.sub }, consent: {} };
  await provider.interactionFinished(req, res, result, { mergeWithLastSubmission: false });
}

const SCOPES = 'openid profile email groups offline_access';

function configuration(
  key: SigningKey,
  accounts: Map<string, Account>,
  { hasDeviceFlow = true, clientSecret, idTokenSeconds = 3600 }: IssuerOptions,
): Configuration {
  return {
    clients: [
      {
        client_id: CLIENT_ID,
        application_type: 'native',
        grant_types: [
          'authorization_code',
          'refresh_token',
          ...(hasDeviceFlow ? ['urn:ietf:params:oauth:grant-type:device_code'] : []),
        ],
        response_types: ['code'],
        redirect_uris: [REDIRECT, 'http://127.0.0.1/console/oidc/callback'],
        ...(clientSecret === undefined
          ? { token_endpoint_auth_method: 'none' }
          : { token_endpoint_auth_method: 'client_secret_basic', client_secret: clientSecret }),
      },
    ],
    jwks: { keys: [key] },
    cookies: { keys: ['a secret of the test'] },
    scopes: SCOPES.split(' '),
    claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'], profile: ['name'] },
    conformIdTokenClaims: false,
    findAccount: (_ctx, sub) => ({
      accountId: sub,
      claims: () => ({ ...accounts.get(sub), sub }),
    }),
    features: {
      devInteractions: { enabled: false },
      deviceFlow: { enabled: hasDeviceFlow },
      revocation: { enabled: true },
    },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    ttl: { IdToken: idTokenSeconds, AccessToken: 600, Session: 600, Interaction: 600, Grant: 600 },
    issueRefreshToken: () => true,
    async loadExistingGrant({ oidc }) {
      const { client, session } = oidc;
      if (client === undefined || session?.accountId === undefined) return undefined;
      const grant = new oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope(SCOPES);
      await grant.save();
      return grant;
    },
  };
}

/** Signs in as a public client on this machine. */
async function signIn(url: string): Promise<{ readonly id_token: string }> {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    client_id: CLIENT_ID,
    response_type: 'code',
    redirect_uri: REDIRECT,
    scope: 'openid groups email',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const end = await new Visitor().follow(`${url}/auth?${query.toString()}`, (next) =>
    next.startsWith(REDIRECT),
  );
  const answer = await fetch(`${url}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      client_id: CLIENT_ID,
      grant_type: 'authorization_code',
      code: new URL(end.url).searchParams.get('code') ?? '',
      redirect_uri: REDIRECT,
      code_verifier: verifier,
    }),
  });
  return (await answer.json()) as { readonly id_token: string };
}
