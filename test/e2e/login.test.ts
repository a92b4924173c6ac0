import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../src/cli/program.js';
import { isRecord } from '../../src/lib/json/json.js';
import { testIo, type TestIo } from '../cli/helpers.js';
import { runCli, type CliResult } from '../helpers/cli.js';
import { killDaemons, startDaemonProcess, type DaemonProcess } from '../helpers/daemon.js';
import { CLIENT_ID, startIssuer, type TestIssuer } from '../helpers/issuer.js';
import { PERSON_PLUGIN } from '../helpers/person-daemon.js';
import { startReceiver } from '../helpers/receiver.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';
import { Visitor } from '../helpers/visitor.js';

let issuer: TestIssuer;
/** An issuer without codes for devices. */
let plain: TestIssuer;
let daemon: DaemonProcess;
let other: DaemonProcess;
let home: string;

const start = (by: TestIssuer): Promise<DaemonProcess> =>
  startDaemonProcess({
    dataDir: temporaryDirectory(),
    plugins: [PERSON_PLUGIN],
    flags: ['--auth', 'token', '--oidc-issuer', by.url, '--oidc-client-id', CLIENT_ID],
  });

beforeAll(async () => {
  [issuer, plain] = await Promise.all([startIssuer(), startIssuer({ hasDeviceFlow: false })]);
  [daemon, other] = await Promise.all([start(issuer), start(plain)]);
});
beforeEach(() => {
  home = temporaryDirectory();
  issuer.isAway = false;
});
afterEach(() => {
  issuer.account = undefined;
});
afterAll(async () => {
  await Promise.all([daemon.stop(), other.stop(), issuer.close(), plain.close()]);
  killDaemons();
  removeDirectories();
});

const credentialsFile = (): string => path.join(home, '.config', 'xsvc', 'credentials.json');
const cli = (...argv: readonly string[]): Promise<CliResult> =>
  runCli(argv, { cwd: '/', env: { HOME: home } });
const whoami = (server = daemon.url): Promise<CliResult> => cli('whoami', '--server', server);

interface Saved {
  idToken: string;
  expiresAt: number;
  refreshToken?: string;
  server: string;
}

function saved(): Saved[] {
  const value: unknown = JSON.parse(readFileSync(credentialsFile(), 'utf8'));
  return isRecord(value) ? (value.credentials as Saved[]) : [];
}

function change(part: Partial<Saved>): void {
  const credentials = saved().map((one) => ({ ...one, ...part }));
  writeFileSync(credentialsFile(), JSON.stringify({ credentials }), { mode: 0o600 });
}

/** Begins a sign-in, and waits for the address that it prints. */
async function begin(
  server: string,
  pattern: RegExp,
): Promise<{ readonly io: TestIo; readonly ended: Promise<number>; readonly address: string }> {
  const io = testIo({ env: { HOME: home }, cwd: '/' });
  const ended = run(['login', '--server', server], io);
  await expect.poll(() => pattern.exec(io.stderr.text)?.[1]).toBeDefined();
  return { io, ended, address: pattern.exec(io.stderr.text)?.[1] ?? '' };
}

/** Enters the code of a device in a browser. */
async function enterCode(address: string): Promise<void> {
  const visitor = new Visitor();
  const form = await visitor.open(address);
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(form.text)?.[1] ?? '';
  const code = new URL(address).searchParams.get('user_code') ?? '';
  const body = new URLSearchParams({ xsrf, user_code: code, confirm: 'yes' });
  const next = await visitor.open(new URL('/device', address).href, { method: 'POST', body });
  const location = next.headers.get('location');
  if (location !== null) await visitor.follow(new URL(location, address).href);
}

async function signIn(sub: string): Promise<void> {
  issuer.account = { sub, groups: ['staff'] };
  const { io, ended, address } = await begin(daemon.url, /^or open (\S+)$/m);
  await enterCode(address);
  expect(await ended, io.stderr.text).toBe(0);
}

describe('login with a code', () => {
  it('keeps the tokens in a file of its owner, for this server only', async () => {
    await signIn('ada');
    expect(await whoami()).toEqual({ code: 0, out: 'oidc:ada\n', err: '' });
    expect(statSync(credentialsFile()).mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(credentialsFile())).mode & 0o777).toBe(0o700);
    expect(saved()).toMatchObject([{ server: daemon.url, issuer: issuer.url, clientId: CLIENT_ID }]);
    expect((await whoami(other.url)).err).toMatch(/^error: the request has no credentials/);
    const receiver = await startReceiver();
    await cli('whoami', '--server', receiver.url);
    expect(receiver.received.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    await receiver.close();
  });

  it('renews the token when it has expired', async () => {
    await signIn('ada');
    change({ expiresAt: Date.now() - 1, idToken: 'expired' });
    expect(await whoami()).toEqual({ code: 0, out: 'oidc:ada\n', err: '' });
    const [after] = saved();
    expect(after?.idToken).not.toBe('expired');
    expect(after?.expiresAt).toBeGreaterThan(Date.now());
    expect(await whoami()).toMatchObject({ code: 0 });
  });

  it('renews the token once for all commands at the same time, of two services in one file', async () => {
    await signIn('ada');
    const second = await start(issuer);
    issuer.account = { sub: 'ada' };
    const { ended, address } = await begin(second.url, /^or open (\S+)$/m);
    await enterCode(address);
    expect(await ended).toBe(0);
    for (let round = 0; round < 2; round++) {
      change({ expiresAt: Date.now() - 1 });
      const servers = [daemon.url, second.url, daemon.url, second.url, daemon.url, second.url];
      const answers = await Promise.all(servers.map((server) => whoami(server)));
      expect(answers).toEqual(servers.map(() => ({ code: 0, out: 'oidc:ada\n', err: '' })));
    }
    expect(
      saved()
        .map(({ server }) => server)
        .sort(),
    ).toEqual([daemon.url, second.url].sort());
    await second.stop();
  });

  it('says how to go on when the token cannot be renewed', async () => {
    await signIn('ada');
    change({ expiresAt: 1, refreshToken: 'wrong' });
    const wrong = await whoami();
    expect(wrong.code).toBe(1);
    expect(wrong.err).toContain(`has expired and cannot be renewed`);
    expect(wrong.err).toContain(`run: xsvc login --server ${daemon.url}`);
    issuer.isAway = true;
    expect((await whoami()).err).toContain('cannot be renewed');
  });

  it('ends with logout', async () => {
    await signIn('ada');
    expect(await cli('logout', '--server', daemon.url)).toEqual({
      code: 0,
      out: '',
      err: `signed out of ${daemon.url}\n`,
    });
    expect(issuer.requests.at(-1)).toBe('/token/revocation');
    expect(saved()).toEqual([]);
    expect(await whoami()).toMatchObject({ code: 1 });
    expect(await cli('logout', '--server', daemon.url)).toMatchObject({
      code: 0,
      err: expect.stringContaining('not signed in') as string,
    });
  });

  it('is refused from a file that others can read, or that is damaged', async () => {
    await signIn('ada');
    chmodSync(credentialsFile(), 0o644);
    expect(await whoami()).toMatchObject({
      code: 2,
      err: expect.stringContaining('run: chmod 600') as string,
    });
    // A given token does not need the file.
    expect(await cli('whoami', '--server', daemon.url, '--token', 'x')).toMatchObject({ code: 1 });
    chmodSync(credentialsFile(), 0o600);
    writeFileSync(credentialsFile(), '{');
    expect(await whoami()).toMatchObject({ code: 2 });
  });

  it('gives kubectl a token', async () => {
    await signIn('ada');
    const printed = await cli('token', 'print', '--server', daemon.url);
    const [credential] = saved();
    expect(JSON.parse(printed.out)).toEqual({
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      status: {
        token: credential?.idToken,
        expirationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string,
      },
    });
    const config = await cli('kubeconfig', '--oidc', '--server', daemon.url);
    expect(config.out).toContain('apiVersion: client.authentication.k8s.io/v1');
    expect(config.out).toContain('command: xsvc');
    expect(config.out).not.toContain(credential?.idToken);
    expect(await cli('token', 'print', '--server', other.url)).toMatchObject({ code: 2 });
  });
});

describe('login with a browser on this machine', () => {
  it('signs in', async () => {
    plain.account = { sub: 'bob' };
    const { io, ended, address } = await begin(other.url, /^open (\S+)$/m);
    const query = new URL(address).searchParams;
    expect(query.get('code_challenge_method')).toBe('S256');
    expect(query.get('redirect_uri')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    const page = await new Visitor().follow(address);
    expect([page.status, page.text]).toEqual([200, 'Return to the terminal. You can close this page.\n']);
    expect(await ended, io.stderr.text).toBe(0);
    expect(await whoami(other.url)).toMatchObject({ out: 'oidc:bob\n' });
  });

  it('is not ended by requests without its state', async () => {
    plain.account = { sub: 'bob' };
    const { ended, address } = await begin(other.url, /^open (\S+)$/m);
    const callback = new URL(address).searchParams.get('redirect_uri') ?? '';
    expect((await fetch(`${callback}?code=stolen&state=guessed`)).status).toBe(400);
    expect((await fetch(callback)).status).toBe(400);
    expect((await fetch(new URL('/', callback))).status).toBe(404);
    await new Visitor().follow(address);
    expect(await ended).toBe(0);
  });

  it('fails when the issuer refuses, or when the user stops it, and keeps nothing', async () => {
    plain.account = undefined;
    const refused = await begin(other.url, /^open (\S+)$/m);
    await new Visitor().follow(refused.address);
    expect(await refused.ended).toBe(1);
    expect(refused.io.stderr.text).toContain('error: the sign-in failed: nobody signs in');
    const stopped = await begin(other.url, /^open (\S+)$/m);
    stopped.io.stop();
    expect(await stopped.ended).not.toBe(0);
    expect(existsSync(credentialsFile())).toBe(false);
  });
});

it('login needs a server with an issuer, and TLS or this machine', async () => {
  const without = await startDaemonProcess({ dataDir: temporaryDirectory(), plugins: [PERSON_PLUGIN] });
  const answer = await cli('login', '--server', without.url);
  expect([answer.code, answer.err]).toEqual([3, expect.stringContaining('it has no issuer')]);
  await without.stop();
  expect(await cli('login', '--server', 'http://xsvc.example.com')).toMatchObject({ code: 2 });
  expect(await cli('login')).toMatchObject({ code: 2 });
});

it('the service says openly where people sign in', async () => {
  const answer = await daemon.get('/apis/api.platform.run/v1alpha1/signin');
  expect([answer.status, JSON.parse(answer.text)]).toEqual([
    200,
    { issuer: issuer.url, clientId: CLIENT_ID },
  ]);
});
