import { createHmac, createPublicKey, sign } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IssuedUser } from '../../src/access/identity/issued-user.js';
import type { ServiceError } from '../../src/errors.js';
import { IdTokens } from '../../src/oidc/id-tokens.js';
import type { OidcConfig } from '../../src/oidc/oidc-config.js';
import { CLIENT_ID, newKey, startIssuer, type Claims, type TestIssuer } from '../helpers/issuer.js';

const S = 1_000;
const KEYS = '/jwks';

let issuer: TestIssuer;
let logged: string[];
/** Lead of the clock, in milliseconds. */
let aheadMs: number;
let tokens: IdTokens;

const log = (message: string): void => void logged.push(message);
const logger = { debug: log, info: log, warn: log, error: log };
/** A clock that the system does not set back. */
const BEGAN = Date.now() - performance.now();
const now = (): number => BEGAN + performance.now() + aheadMs;

function configOf(more: Partial<OidcConfig> = {}): OidcConfig {
  return {
    issuer: issuer.url,
    clientId: CLIENT_ID,
    clientSecretFile: undefined,
    usernameClaim: 'sub',
    groupsClaim: 'groups',
    usernamePrefix: 'oidc:',
    groupsPrefix: 'oidc:',
    ...more,
  };
}

function open(more?: Partial<OidcConfig>): IdTokens {
  const clock = { now, setTimer: () => () => undefined };
  return new IdTokens(configOf(more), { logger, now, clock });
}

beforeEach(async () => {
  issuer = await startIssuer();
  logged = [];
  aheadMs = 0;
  tokens = open();
});
afterEach(() => issuer.close());

const identify = async (token: string, by = tokens): Promise<IssuedUser> => by.identify(token);

/** The reason why a token is refused, without the token in it. */
async function refusal(token: string, by = tokens): Promise<string> {
  try {
    const issued = await by.identify(token);
    return `accepted as ${issued.user}`;
  } catch (error) {
    const { code, message } = error as ServiceError;
    expect(code).toBe('Unauthorized');
    for (const part of [...token.split('.')].filter((one) => one.length > 20)) {
      expect(message).not.toContain(part);
      expect(logged.join()).not.toContain(part);
    }
    return message.replace('the ID token is not accepted: ', '');
  }
}

const refusalOf = async (claims: Claims): Promise<string> => refusal(await issuer.sign(claims));
const fetches = (): number => issuer.requests.filter((path) => path === KEYS).length;
const seconds = (): number => Math.floor(now() / S);

/** A token whose parts are given as texts. */
function put(header: string | object, payload: string | object, signature = 'AAAA'): string {
  const part = (value: string | object): string =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
  return `${part(header)}.${part(payload)}.${signature}`;
}

/** A token that the issuer has signed, with any header. */
function signed(header: string | object, payload: string | object): string {
  const unsigned = put(header, payload, '').slice(0, -1);
  const key = { key: issuer.key as never, format: 'jwk' } as const;
  return `${unsigned}.${sign('sha256', Buffer.from(unsigned), key).toString('base64url')}`;
}

function goodClaims(): object {
  return { iss: issuer.url, aud: CLIENT_ID, sub: 'ada', iat: seconds(), exp: seconds() + 3600 };
}

const UNSIGNED = 'no key of the issuer has signed it';
const MALFORMED = 'it is malformed';
const EXPIRED = 'it has expired';
const ALGORITHM = 'its algorithm is not accepted';

describe('an ID token of the issuer', () => {
  it('is a user with groups, until it expires', async () => {
    const token = await issuer.idTokenOf({ sub: 'ada', groups: ['staff', 'ops'] });
    const issued = await identify(token);
    expect(issued).toMatchObject({ user: 'oidc:ada', groups: ['oidc:staff', 'oidc:ops'] });
    expect(issued.expiresAt).toBeGreaterThan(now() + 3_590 * S);
    expect(tokens.identify(token)).toBe(issued);
    aheadMs = issued.expiresAt - Date.now() + 1;
    expect(await refusal(token)).toBe(EXPIRED);
    expect(await refusal(token)).toBe(EXPIRED);
  });

  it.each([
    [{ usernameClaim: 'email', usernamePrefix: '' }, { email: 'ada@example.com' }, 'ada@example.com', []],
    [{ usernameClaim: 'email' }, { email: 'a@b.c', email_verified: true }, 'oidc:a@b.c', []],
    [{ groupsClaim: 'roles', groupsPrefix: '' }, { roles: 'ops' }, 'oidc:ada', ['ops']],
    [{}, { groups: ['a', 'a', '', 'system:masters', 'b'] }, 'oidc:ada', ['oidc:a', 'oidc:b']],
    [{ groupsPrefix: '' }, { groups: ['system:masters', 'a'] }, 'oidc:ada', ['a']],
    [{ groupsClaim: 'https://example.com/groups' }, { groups: ['a'] }, 'oidc:ada', []],
  ])('is named as configured: %j', async (more, claims, user, groups) => {
    expect(await identify(await issuer.sign(claims), open(more))).toMatchObject({ user, groups });
  });

  it('may have several audiences', async () => {
    expect(await refusalOf({ aud: ['other', CLIENT_ID] })).toBe('accepted as oidc:ada');
    expect(await refusalOf({ aud: ['other', CLIENT_ID], azp: CLIENT_ID })).toBe('accepted as oidc:ada');
    expect(await refusalOf({ aud: ['other', CLIENT_ID], azp: 'other' })).toBe(
      'its claim "azp" names another client',
    );
  });

  it('may differ from the clock by a minute', async () => {
    const base = { iat: seconds() - 7200 };
    expect(await refusalOf({ ...base, exp: seconds() - 58 })).toBe('accepted as oidc:ada');
    expect(await refusalOf({ ...base, exp: seconds() - 61 })).toBe(EXPIRED);
    expect(await refusalOf({ nbf: seconds() + 59 })).toBe('accepted as oidc:ada');
    expect(await refusalOf({ nbf: seconds() + 63 })).toBe('it is not valid yet');
    expect(await refusalOf({ iat: seconds() + 59 })).toBe('accepted as oidc:ada');
    expect(await refusalOf({ iat: seconds() + 63 })).toBe('its claim "iat" is in the future');
  });
});

describe('a token is refused', () => {
  it.each<[string, Claims, string]>([
    ['of another issuer', { iss: 'https://other.example.com' }, 'its claim "iss" is missing or not accepted'],
    ['with a slash at the end of the issuer', { iss: 'SLASH' }, 'its claim "iss" is missing or not accepted'],
    ['for another audience', { aud: 'other' }, 'its claim "aud" is missing or not accepted'],
    ['for other audiences', { aud: ['a', 'b'] }, 'its claim "aud" is missing or not accepted'],
    ['without an audience', { aud: undefined }, 'its claim "aud" is missing or not accepted'],
    ['without an end', { exp: undefined }, 'its claim "exp" is missing or not accepted'],
    ['without a subject', { sub: undefined }, 'its claim "sub" is missing or no text'],
    ['with an empty subject', { sub: '' }, 'its claim "sub" is missing or no text'],
    ['with a number as subject', { sub: 7 }, 'its claim "sub" is missing or no text'],
    [
      'with a reserved name',
      { sub: 'system:admin' },
      'its claim "sub" begins with system:, which no issuer may give',
    ],
    [
      'with a line break in its name',
      { sub: 'a\nb' },
      'its claim "sub", with the prefix, must have at most 253 characters',
    ],
    [
      'with a name that is too long',
      { sub: 'a'.repeat(250) },
      'its claim "sub", with the prefix, must have at most 253 characters',
    ],
    [
      'with groups that are no texts',
      { groups: [1] },
      'its claim "groups" is neither a list of texts nor a text',
    ],
    [
      'with groups that are a mapping',
      { groups: {} },
      'its claim "groups" is neither a list of texts nor a text',
    ],
    ['that ends a session', { events: {} }, 'it is a token for another purpose'],
  ])('%s', async (_, claims, reason) => {
    const { iss, ...others } = claims;
    const given = iss === 'SLASH' ? { ...others, iss: `${issuer.url}/` } : claims;
    expect(await refusal(await issuer.sign(given))).toContain(reason);
  });

  it('whose email address is not verified', async () => {
    const byEmail = open({ usernameClaim: 'email' });
    for (const verified of [false, 'false', null, 0])
      expect(await refusal(await issuer.sign({ email: 'a@b.c', email_verified: verified }), byEmail)).toBe(
        'its claim "email_verified" is not true',
      );
  });

  it('with a reserved name, also when names have no prefix', async () => {
    const plain = open({ usernamePrefix: '' });
    for (const sub of ['system:anonymous', 'system:', 'system:plugin:x'])
      expect(await refusal(await issuer.sign({ sub }), plain)).toContain('which no issuer may give');
    expect(plain.uidOf('system:x')).toBeUndefined();
    expect([tokens.uidOf('oidc:'), tokens.uidOf('ada')]).toEqual([undefined, undefined]);
    expect(tokens.uidOf('oidc:ada')).toMatch(/^issued-[0-9a-f]{32}$/);
  });

  it('that is for another purpose', async () => {
    for (const typ of ['at+jwt', 'application/at+jwt', 'logout+jwt', 'secevent+jwt', 'dpop+jwt'])
      expect(await refusal(await issuer.sign({}, { typ }))).toBe('it is a token for another purpose');
    for (const typ of ['JWT', 'jwt', 'application/jwt'])
      expect(await refusal(await issuer.sign({}, { typ }))).toBe('accepted as oidc:ada');
  });

  it('without a signature', async () => {
    for (const alg of ['none', 'None', 'NONE', '', undefined])
      for (const signature of ['', 'AAAA'])
        expect([ALGORITHM, MALFORMED]).toContain(await refusal(put({ alg }, goodClaims(), signature)));
  });

  it('that is signed with the public key as a secret', async () => {
    const key = createPublicKey({ key: issuer.key as never, format: 'jwk' });
    const secrets = [
      key.export({ type: 'spki', format: 'pem' }),
      key.export({ type: 'spki', format: 'der' }),
      JSON.stringify(key.export({ format: 'jwk' })),
    ];
    for (const [alg, name] of [
      ['HS256', 'sha256'],
      ['HS384', 'sha384'],
      ['HS512', 'sha512'],
    ] as const)
      for (const secret of secrets) {
        const unsigned = put({ alg, kid: issuer.key.kid }, goodClaims(), '').slice(0, -1);
        const signature = createHmac(name, secret).update(unsigned).digest('base64url');
        expect(await refusal(`${unsigned}.${signature}`)).toBe(ALGORITHM);
      }
  });

  it('that brings its key along, or says where the key is', async () => {
    const own = newKey();
    const jwk = { kty: own.kty, n: own.n, e: own.e };
    const other = `${issuer.url}/stolen`;
    for (const header of [
      { jwk },
      { jwk, kid: undefined },
      { kid: '../../../../dev/null' },
      { kid: other },
      { kid: "x' OR '1'='1" },
      { kid: issuer.key.kid },
      { kid: '__proto__' },
      { jku: other },
      { x5u: other },
      { x5c: ['AAAA'], x5t: 'AAAA' },
    ])
      expect(await refusal(await issuer.sign({}, header, own))).toBe(UNSIGNED);
    expect(issuer.requests).not.toContain('/stolen');
  });

  it('with extensions that must be understood', async () => {
    for (const header of [
      { crit: ['exp'], exp: 1 },
      { crit: ['b64'], b64: false },
      { crit: [] },
      { crit: 'exp' },
    ])
      expect(
        await refusal(signed({ alg: 'RS256', kid: issuer.key.kid, ...header }, goodClaims())),
      ).not.toContain('accepted as');
    expect(await refusal(signed({ alg: 'RS256', kid: issuer.key.kid }, goodClaims()))).toBe(
      'accepted as oidc:ada',
    );
  });

  it('with a claim or a member of the header that occurs twice', async () => {
    const header = JSON.stringify({ alg: 'RS256', kid: issuer.key.kid });
    const payload = JSON.stringify(goodClaims());
    expect(await refusal(signed(header, payload))).toBe('accepted as oidc:ada');
    const twice = 'a member of its header or a claim occurs twice';
    expect(await refusal(signed(header, payload.replace('{', '{"sub":"root",')))).toBe(twice);
    expect(await refusal(signed(header.replace('{', '{"alg":"none",'), payload))).toBe(twice);
  });

  it('that is no token, or too long', async () => {
    const good = await issuer.sign();
    const [header = '', payload = '', signature = ''] = good.split('.');
    for (const bad of [
      'a.b.c',
      '..',
      `${header}..${signature}`,
      `${header}.${payload}.`,
      `${header}.${payload}.${signature.slice(0, -8)}`,
      `${header}.${payload.slice(0, -2)}.${signature}`,
      put('[]', goodClaims()),
      put('null', 'null'),
      put('{', '{'),
      put({ alg: 'RS256', kid: issuer.key.kid }, '"text"'),
      '____.____.____',
    ])
      expect([MALFORMED, UNSIGNED, ALGORITHM]).toContain(await refusal(bad));
    expect(await refusal(await issuer.sign({ more: 'x'.repeat(16_000) }))).toContain(
      'it is longer than 16384',
    );
  });

  it('of the wrong claims with a log line, and no more than a few of them in a minute', async () => {
    for (let i = 0; i < 20; i++) await refusalOf({ sub: undefined, jti: String(i) });
    expect(logged).toEqual(
      Array(5).fill('an ID token of the issuer is not accepted: its claim "sub" is missing or no text'),
    );
  });
});

describe('the keys of the issuer', () => {
  it('are found when they change, and tokens of the former ones are refused then', async () => {
    const old = await issuer.sign();
    await identify(old);
    issuer.rotate();
    // Nothing tells the service yet.
    expect(await refusal(old)).toBe('accepted as oidc:ada');
    expect(await refusal(await issuer.sign({ sub: 'bob' }))).toBe('accepted as oidc:bob');
    expect(await refusal(old)).toBe(UNSIGNED);
    expect(fetches()).toBe(2);
  });

  it('are read again every five minutes while tokens arrive', async () => {
    const old = await issuer.sign();
    await identify(old);
    issuer.rotate();
    aheadMs = 299 * S;
    expect(await refusal(old)).toBe('accepted as oidc:ada');
    aheadMs = 301 * S;
    await expect.poll(() => refusal(old)).toBe(UNSIGNED);
  });

  it('are not asked for by each of ten thousand tokens with unknown keys', async () => {
    await identify(await issuer.sign());
    const bad = (i: number): string => put({ alg: 'RS256', kid: `k${i}` }, goodClaims());
    const reasons = await Promise.all(Array.from({ length: 10_000 }, (_, i) => refusal(bad(i))));
    expect(new Set(reasons)).toEqual(new Set([UNSIGNED]));
    expect(fetches()).toBe(2);
    aheadMs = 35 * S;
    await Promise.all(Array.from({ length: 1_000 }, (_, i) => refusal(bad(i))));
    expect(logged).toEqual([]);
    expect(fetches()).toBe(3);
    issuer.rotate();
    aheadMs = 70 * S;
    expect(await refusal(await issuer.sign())).toBe('accepted as oidc:ada');
    expect(logged).toEqual([]);
  });

  it('stay while the issuer is away, with one log line; unknown tokens are refused', async () => {
    const known = await issuer.sign();
    await identify(known);
    issuer.isAway = true;
    aheadMs = 1_000 * S;
    expect(await refusal(known)).toBe('accepted as oidc:ada');
    expect(await refusal(await issuer.sign({ sub: 'bob' }))).toBe('accepted as oidc:bob');
    for (let i = 0; i < 20; i++)
      expect(await refusal(put({ alg: 'RS256', kid: `k${i}` }, goodClaims()))).toBe(UNSIGNED);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatch(
      /^the keys of the issuer .* cannot be read; only known keys are accepted: cannot read /,
    );
    issuer.isAway = false;
    issuer.rotate();
    aheadMs = 1_100 * S;
    expect(await refusal(await issuer.sign())).toBe('accepted as oidc:ada');
  });

  it('are read again when a kept connection breaks under the request', async () => {
    await identify(await issuer.sign());
    issuer.rotate();
    issuer.breaksNext = true;
    expect(await refusal(await issuer.sign())).toBe('accepted as oidc:ada');
    expect(logged).toEqual([]);
  });

  it('are not known before the issuer was reached once', async () => {
    issuer.isAway = true;
    const token = await issuer.sign();
    for (let i = 0; i < 5; i++)
      expect(await refusal(token)).toBe('the issuer of ID tokens cannot be reached; try again later');
    // Two reads at most, each of which is tried again when its connection breaks.
    expect(issuer.requests.length).toBeLessThanOrEqual(4);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain('ID tokens are refused');
    issuer.isAway = false;
    aheadMs = 61 * S;
    expect(await refusal(token)).toBe('accepted as oidc:ada');
  });

  it('are not waited for when the issuer sends interim answers alone', async () => {
    issuer.isInterim = true;
    const token = await issuer.sign();
    expect(await refusal(token)).toBe('the issuer of ID tokens cannot be reached; try again later');
    issuer.isInterim = false;
    aheadMs = 61 * S;
    expect(await refusal(token)).toBe('accepted as oidc:ada');
    issuer.isInterim = true;
    issuer.rotate();
    aheadMs = 1_000 * S;
    expect(await refusal(await issuer.sign())).toBe(UNSIGNED);
    expect(logged).toHaveLength(2);
    for (const line of logged) expect(line).toContain('it sent 10 interim answers');
  });

  it('are not taken from a description of another issuer', async () => {
    const other = open({ issuer: issuer.url.replace('127.0.0.1', 'localhost') });
    expect(await refusal(await issuer.sign(), other)).toBe(
      'the issuer of ID tokens cannot be reached; try again later',
    );
    expect(logged[0]).toContain('describes the issuer');
  });
});
