import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../helpers/cli.js';
import { killDaemons, startDaemonProcess, type DaemonProcess } from '../helpers/daemon.js';
import { CLIENT_ID, startIssuer, type TestIssuer } from '../helpers/issuer.js';
import { PERSON_PLUGIN } from '../helpers/person-daemon.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';
import { Visitor, type SetCookie } from '../helpers/visitor.js';

const PERSONS = '/apis/demo.example.com/v1alpha1/persons';
const WHO = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const CALLBACK = '/console/oidc/callback';

let issuer: TestIssuer;
let daemon: DaemonProcess;
let admin: string;

beforeAll(async () => {
  issuer = await startIssuer();
  const dataDir = temporaryDirectory();
  const flags = ['--auth', 'token', '--oidc-issuer', issuer.url, '--oidc-client-id', CLIENT_ID];
  daemon = await startDaemonProcess({ dataDir, plugins: [PERSON_PLUGIN], flags });
  admin = /xsvc_[a-z0-9]{20}_[\w-]{43}/.exec(daemon.output.stdout)?.[0] ?? '';
  const rules = [{ apiGroups: ['demo.example.com'], resources: ['persons'], verbs: ['*'] }];
  const access = { apiVersion: 'access.platform.run/v1alpha1' };
  const items = [
    { ...access, kind: 'Role', metadata: { name: 'editor' }, rules },
    {
      ...access,
      kind: 'RoleBinding',
      metadata: { name: 'staff-edits' },
      roleRef: { kind: 'Role', name: 'editor' },
      subjects: [{ kind: 'Group', name: 'oidc:staff' }],
    },
  ];
  const stdin = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  expect((await runCli(['apply', '-f', '-', '--data-dir', dataDir], { cwd: '/', stdin })).code).toBe(0);
});
beforeEach(() => {
  issuer.account = { sub: 'ada', groups: ['staff'] };
});
afterAll(async () => {
  await daemon.stop();
  await issuer.close();
  killDaemons();
  removeDirectories();
});

const isCallback = (url: string): boolean => url.startsWith(daemon.url + CALLBACK);
const keyOf = (name: string): string => `127.0.0.1 ${name}-${new URL(daemon.url).port}`;
const cookieOf = (visitor: Visitor, name: string): SetCookie | undefined => visitor.cookies.get(keyOf(name));

/** Goes to the issuer and back, up to the address of the callback, which is not opened. */
async function comeBack(visitor: Visitor): Promise<string> {
  return (await visitor.follow(`${daemon.url}/console/oidc/start`, isCallback)).url;
}

async function signedIn(): Promise<Visitor> {
  const visitor = new Visitor();
  const back = await visitor.open(await comeBack(visitor));
  expect([back.status, back.headers.get('location')], back.text).toEqual([303, '/console/']);
  return visitor;
}

const own = (): Record<string, string> => ({ Origin: daemon.url, 'Sec-Fetch-Site': 'same-origin' });
const statusOf = async (
  visitor: Visitor,
  method: string,
  headers: Record<string, string> = own(),
  path = PERSONS,
): Promise<number> => {
  const body = {
    apiVersion: 'demo.example.com/v1alpha1',
    kind: 'Person',
    metadata: { generateName: 'p-' },
    spec: { name: 'P' },
  };
  const init = method === 'POST' ? { body: JSON.stringify(body) } : {};
  const all = { 'Content-Type': 'application/json', ...headers };
  return (await visitor.open(daemon.url + path, { method, headers: all, ...init })).status;
};

async function userOf(visitor: Visitor): Promise<unknown> {
  const headers = { ...own(), 'Content-Type': 'application/json' };
  const answer = await visitor.open(daemon.url + WHO, { method: 'POST', body: '{}', headers });
  return answer.status === 201
    ? (JSON.parse(answer.text) as { status: { userInfo: unknown } }).status.userInfo
    : answer.status;
}

describe('a sign-in with a browser', () => {
  it('leads to the issuer and back, and makes a session of the user with its groups', async () => {
    const visitor = new Visitor();
    const start = await visitor.open(`${daemon.url}/console/oidc/start`);
    const query = new URL(start.headers.get('location') ?? '').searchParams;
    expect(query.get('redirect_uri')).toBe(daemon.url + CALLBACK);
    expect(query.get('code_challenge_method')).toBe('S256');
    expect([query.get('state')?.length, query.get('nonce')?.length]).toEqual([43, 43]);
    expect(cookieOf(visitor, 'xsvc-signin')?.attributes).toEqual([
      'Path=/console/oidc',
      'Max-Age=600',
      'HttpOnly',
      'SameSite=Lax',
    ]);
    const after = await signedIn();
    const session = cookieOf(after, 'xsvc-session');
    expect(session?.attributes).toEqual(['Path=/', 'Max-Age=28800', 'HttpOnly', 'SameSite=Strict']);
    expect(cookieOf(after, 'xsvc-signin')).toBeUndefined();
    expect(await userOf(after)).toEqual({ username: 'oidc:ada', groups: ['oidc:staff'] });
    expect(await statusOf(after, 'GET')).toBe(200);
    expect(await statusOf(after, 'POST')).toBe(201);
  });

  it('is stored with a digest only, and its secret is no token', async () => {
    const visitor = await signedIn();
    const secret = cookieOf(visitor, 'xsvc-session')?.value ?? '';
    const headers = { Authorization: `Bearer ${admin}` };
    const list = await daemon.send('GET', '/apis/access.platform.run/v1alpha1/sessions', { headers });
    expect(list.text).toContain(secret.split('_')[1]);
    expect(list.text).not.toContain(secret.split('_').slice(2).join('_'));
    const bearer = await daemon.send('GET', PERSONS, { headers: { Authorization: `Bearer ${secret}` } });
    expect(bearer.status).toBe(401);
    expect(daemon.output.stderr + daemon.output.stdout).not.toContain(secret);
  });

  it('has a cookie for TLS where the address is not of this machine', async () => {
    const headers = { Host: 'xsvc.example.com' };
    const answer = await daemon.send('GET', '/console/oidc/start', { headers });
    expect(answer.headers['set-cookie']?.[0]).toMatch(/; SameSite=Lax; Secure$/);
    expect(answer.headers.location).toContain(
      encodeURIComponent('https://xsvc.example.com/console/oidc/callback'),
    );
  });
});

describe('the return from the issuer is refused', () => {
  const refused = async (visitor: Visitor, url: string): Promise<string> => {
    const answer = await visitor.open(url);
    expect(answer.status).toBe(401);
    expect(cookieOf(visitor, 'xsvc-session')).toBeUndefined();
    return answer.text;
  };

  it('in another browser, and with another state', async () => {
    const visitor = new Visitor();
    const url = await comeBack(visitor);
    expect(await refused(new Visitor(), url)).toContain('was not started in this browser');
    const thief = new Visitor();
    await comeBack(thief);
    expect(await refused(thief, url)).toContain('was not started in this browser');
    const forged = new Visitor();
    const name = `xsvc-signin-${new URL(daemon.url).port}`;
    forged.cookies.set(keyOf('xsvc-signin'), { name, value: 'e30.AAAA', attributes: [] });
    expect(await refused(forged, url)).toContain('was not started in this browser');
  });

  it('a second time, also with the same cookie', async () => {
    const visitor = new Visitor();
    const url = await comeBack(visitor);
    const kept = cookieOf(visitor, 'xsvc-signin');
    expect((await visitor.open(url)).status).toBe(303);
    const again = new Visitor();
    if (kept !== undefined) again.cookies.set(keyOf('xsvc-signin'), kept);
    expect(await refused(again, url)).toContain('was used before');
  });

  it('with a code of another sign-in', async () => {
    const victim = new Visitor();
    const stolen = new URL(await comeBack(victim)).searchParams.get('code') ?? '';
    const thief = new Visitor();
    const url = new URL(await comeBack(thief));
    url.searchParams.set('code', stolen);
    expect(await refused(thief, url.href)).toContain('did not confirm');
  });

  it('when the issuer refuses, without repeating its text', async () => {
    issuer.account = undefined;
    const visitor = new Visitor();
    const text = await refused(visitor, await comeBack(visitor));
    expect(text).toContain('did not confirm');
    expect(text).not.toContain('nobody signs in');
  });
});

describe('a session', () => {
  it('writes only from pages of this service', async () => {
    const visitor = await signedIn();
    expect(await statusOf(visitor, 'POST', { Origin: daemon.url })).toBe(201);
    expect(await statusOf(visitor, 'POST', { 'Sec-Fetch-Site': 'same-origin' })).toBe(201);
    expect(await statusOf(visitor, 'POST', {})).toBe(403);
    expect(await statusOf(visitor, 'POST', { Origin: 'https://evil.example.com' })).toBe(403);
    expect(await statusOf(visitor, 'POST', { Origin: 'null' })).toBe(403);
    expect(await statusOf(visitor, 'POST', { ...own(), 'Sec-Fetch-Site': 'same-site' })).toBe(403);
    expect(await statusOf(visitor, 'GET', { 'Sec-Fetch-Site': 'same-site' })).toBe(403);
    expect(await statusOf(visitor, 'GET', { Origin: 'http://127.0.0.1:1' })).toBe(401);
  });

  it('ends everywhere with the sign-out', async () => {
    const visitor = await signedIn();
    const copy = new Visitor();
    for (const [key, cookie] of visitor.cookies) copy.cookies.set(key, cookie);
    expect(await statusOf(copy, 'GET')).toBe(200);
    expect(await statusOf(copy, 'POST', {}, '/console/oidc/signout')).toBe(403);
    expect(await statusOf(visitor, 'POST', own(), '/console/oidc/signout')).toBe(204);
    expect(cookieOf(visitor, 'xsvc-session')).toBeUndefined();
    expect(await statusOf(copy, 'GET')).toBe(401);
    expect(await statusOf(visitor, 'POST', own(), '/console/oidc/signout')).toBe(204);
  });

  it('opens a watch with a ticket, which ends with the session', async () => {
    const visitor = await signedIn();
    const headers = { ...own(), 'Content-Type': 'application/json' };
    const path = `${PERSONS}?watch=true&timeoutSeconds=1`;
    const made = await visitor.open(`${daemon.url}/apis/api.platform.run/v1alpha1/watchtickets`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ path }),
    });
    const { ticket } = JSON.parse(made.text) as { ticket: string };
    await statusOf(visitor, 'POST', own(), '/console/oidc/signout');
    expect((await daemon.get(`${path}&ticket=${ticket}`)).status).toBe(401);
  });

  it('is made by a sign-in only', async () => {
    const headers = { Authorization: `Bearer ${admin}` };
    const users = [{ apiGroups: ['access.platform.run'], resources: ['sessions'], verbs: ['create'] }];
    const base = '/apis/access.platform.run/v1alpha1';
    await daemon.send('POST', `${base}/roles`, {
      headers,
      body: { metadata: { name: 'forger' }, rules: users },
    });
    const binding = {
      roleRef: { kind: 'Role', name: 'forger' },
      subjects: [{ kind: 'User', name: 'oidc:eve' }],
    };
    await daemon.send('POST', `${base}/rolebindings`, {
      headers,
      body: { metadata: { name: 'forger' }, ...binding },
    });
    const token = await issuer.sign({ sub: 'eve' });
    const spec = {
      user: 'oidc:ada',
      userUID: 'x',
      sha256: '0'.repeat(64),
      groups: ['oidc:staff'],
      expirationTimestamp: '2999-01-01T00:00:00Z',
    };
    const made = await daemon.send('POST', `${base}/sessions`, {
      headers: { Authorization: `Bearer ${token}` },
      body: { metadata: { name: 'forged' }, spec },
    });
    expect([made.status, made.json().message]).toEqual([
      403,
      expect.stringContaining('only a sign-in makes a session'),
    ]);
  });
});
