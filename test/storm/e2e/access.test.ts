import { execFileSync, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type ConnectionOptions } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  EXAMPLE_PLUGINS,
  FIXTURE_PLUGINS,
  killDaemons,
  runProgram,
  spawnDaemon,
  startDaemonProcess,
  type DaemonProcess,
} from '../../helpers/daemon.js';
import { PERSONS, person, type HttpAnswer } from '../../helpers/http.js';
import { findKubectl, kubectlVersions } from '../../helpers/kubectl.js';
import { temporaryDirectory, removeDirectories } from '../../helpers/store.js';

const ACCESS = '/apis/access.platform.run/v1alpha1';
const BATCHES = '/apis/api.platform.run/v1alpha1/batches';
const GROUP = 'demo.example.com';

const plugins = [path.join(EXAMPLE_PLUGINS, 'person'), path.join(FIXTURE_PLUGINS, 'roles')];

let daemon: DaemonProcess;
let dataDir: string;
let admin: string;

const tokenIn = (text: string): string => /xsvc_[a-z0-9]{20}_[\w-]{43}/.exec(text)?.[0] ?? '';

beforeAll(async () => {
  dataDir = path.join(temporaryDirectory(), 'data');
  daemon = await startDaemonProcess({ dataDir, plugins, flags: ['--auth', 'token'] });
  admin = tokenIn(daemon.output.stdout);
});

afterAll(async () => {
  expect((await daemon.stop()).code).toBe(0);
  killDaemons();
  removeDirectories();
});

function as(token: string, method: string, target: string, body?: unknown): Promise<HttpAnswer> {
  const headers = { authorization: `Bearer ${token}` };
  return daemon.send(method, target, { headers, ...(body === undefined ? {} : { body }) });
}

/** A token of a new user who has these rules. */
async function tokenFor(user: string, rules: readonly object[]): Promise<string> {
  expect((await as(admin, 'POST', `${ACCESS}/roles`, { metadata: { name: user }, rules })).status).toBe(201);
  const made = await runProgram(['token', 'create', '--data-dir', dataDir, '--user', user, '--role', user]);
  expect(made.code, made.stderr).toBe(0);
  return made.stdout.trim();
}

describe('without a token', () => {
  it('only the state of the service can be asked for', async () => {
    for (const open of ['/livez', '/readyz', '/healthz'])
      for (const query of ['', '?verbose', '?verbose=1&exclude=etcd'])
        expect((await daemon.get(open + query)).status).toBe(200);
    const closed = [
      PERSONS,
      `${PERSONS}/ada`,
      '/apis',
      '/version',
      '/metrics',
      '/v3/api-docs',
      '/swagger-ui.html',
    ];
    for (const target of [...closed, '/nothing', '/livez/x', '/Livez', BATCHES]) {
      const answer = await daemon.get(target);
      expect([target, answer.status, answer.json().reason]).toEqual([target, 401, 'Unauthorized']);
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
    }
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      expect((await daemon.send(method, `${PERSONS}/ada`, { body: person('ada') })).status).toBe(401);
  });

  it('a browser is shown the pages that have a place for a token, and nothing that is stored', async () => {
    const headers = { accept: 'text/html,*/*;q=0.8' };
    expect((await daemon.send('GET', '/', { headers })).headers.location).toBe('/console/');
    for (const target of [
      '/console/',
      '/swagger-ui.html',
      '/swagger-ui/swagger-ui.css',
      '/swagger-ui/swagger-ui-init.js',
    ]) {
      const { status, text } = await daemon.send('GET', target, { headers });
      expect([target, status]).toEqual([target, 200]);
      expect(text).not.toContain(GROUP);
    }
    for (const target of ['/', `${PERSONS}/ada`, '/v3/api-docs', '/swagger-ui', '/swagger-ui/../metrics'])
      expect((await daemon.get(target)).status).toBe(401);
    expect((await daemon.send('GET', PERSONS, { headers })).status).toBe(401);
    expect((await as(admin, 'GET', '/')).json().paths).toContain(PERSONS);
  });

  it('a page of another origin learns only that it may not write', async () => {
    for (const authorization of ['', `Bearer ${admin}`]) {
      const headers = { origin: 'https://evil.example', ...(authorization && { authorization }) };
      const answer = await daemon.send('POST', PERSONS, { headers, body: person('eve') });
      expect([answer.status, answer.json().reason]).toEqual([403, 'Forbidden']);
    }
    expect((await as(admin, 'GET', `${PERSONS}/eve`)).status).toBe(404);
  });

  it('a token of nobody is refused', async () => {
    const unknown = `${admin.slice(0, -3)}${admin.endsWith('AAA') ? 'BBB' : 'AAA'}`;
    expect((await as(unknown, 'GET', PERSONS)).json()).toMatchObject({
      code: 401,
      message: 'invalid or revoked token',
    });
  });
});

describe('the first user', () => {
  it('is made with a token that is shown once, and may do everything', async () => {
    expect(admin).not.toBe('');
    expect((await as(admin, 'GET', PERSONS)).status).toBe(200);
    expect((await as(admin, 'GET', '/metrics')).status).toBe(200);
    expect((await as(admin, 'GET', `/apis/console.api.${GROUP}/v1alpha1/persons`)).status).toBe(200);
    const again = await startDaemonProcess({ dataDir, plugins, flags: ['--auth', 'token'] });
    await again.stop();
    expect(tokenIn(again.output.stdout)).toBe('');
  });

  it('is answered whatever the Host is called: tokens are asked for instead', async () => {
    const headers = { authorization: `Bearer ${admin}`, host: 'xsvc.example.com' };
    expect((await daemon.send('GET', PERSONS, { headers })).status).toBe(200);
  });
});

describe('a user with a role', () => {
  it('may do what the rules allow, and gets errors for the rest', async () => {
    const token = await tokenFor('reader', [
      { apiGroups: [GROUP], resources: ['persons'], verbs: ['get', 'list'] },
      { apiGroups: [`console.api.${GROUP}`], resources: ['persons'], verbs: ['list'] },
      { nonResourceURLs: ['/version'], verbs: ['get'] },
    ]);
    const allowed = [PERSONS, `${PERSONS}/ada`, '/version', `/apis/console.api.${GROUP}/v1alpha1/persons`];
    for (const target of allowed)
      expect([target, (await as(token, 'GET', target)).status]).toEqual([target, 200]);
    const refused: readonly (readonly [string, string, string])[] = [
      ['GET', `${PERSONS}?watch=true`, `may not watch persons in group "${GROUP}"`],
      ['GET', `${PERSONS}/ada/status`, `may not get persons/status "ada" in group "${GROUP}"`],
      ['POST', PERSONS, `may not create persons in group "${GROUP}"`],
      ['DELETE', `${PERSONS}/ada`, `may not delete persons "ada" in group "${GROUP}"`],
      ['PUT', `/apis/uc.api.${GROUP}/v1alpha1/persons/ada/address`, 'may not update persons/address "ada"'],
      ['GET', `${ACCESS}/users`, 'may not list users in group "access.platform.run"'],
      ['GET', '/metrics', 'may not get the path /metrics'],
      ['GET', '/apis', 'may not get the path /apis'],
    ];
    for (const [method, target, message] of refused) {
      const answer = await as(token, method, target, method === 'GET' ? undefined : person('ada'));
      expect([target, answer.status, answer.json().reason]).toEqual([target, 403, 'Forbidden']);
      expect(answer.json().message).toMatch(`user "reader" ${message}`);
    }
    expect((await as(token, 'GET', `${PERSONS}/nobody`)).status).toBe(404);
  });

  it('may have done in a batch what each item may have, or nothing', async () => {
    const token = await tokenFor('editor', [
      { apiGroups: [GROUP], resources: ['persons'], verbs: ['create'] },
      { apiGroups: [GROUP], resources: ['persons'], resourceNames: ['batch-one'], verbs: ['delete'] },
    ]);
    const object = (name: string): object => ({
      apiVersion: `${GROUP}/v1alpha1`,
      kind: 'Person',
      ...person(name),
    });
    const create = (name: string): object => ({ verb: 'create', object: object(name) });
    const remove = (name: string): object => ({ verb: 'delete', ...object(name) });
    expect(
      (await as(token, 'POST', BATCHES, { items: [create('batch-one'), create('batch-two')] })).status,
    ).toBe(200);
    const both = await as(token, 'POST', BATCHES, { items: [remove('batch-one'), remove('batch-two')] });
    expect([both.status, both.json().message]).toEqual([
      403,
      `user "editor" may not delete persons "batch-two" in group "${GROUP}"`,
    ]);
    expect((await as(admin, 'GET', `${PERSONS}/batch-one`)).status).toBe(200);
    expect((await as(token, 'POST', BATCHES, { items: [remove('batch-one')] })).status).toBe(200);
  });

  it('cannot get around it by writing the path in another way', async () => {
    const token = await tokenFor('guest', [{ nonResourceURLs: ['/version', '/docs/*'], verbs: ['get'] }]);
    const tries = [
      `/docs/..${PERSONS}`,
      `/docs/%2e%2e${PERSONS}`,
      PERSONS.replace('persons', 'persons%2Fstatus'),
      `/version/../${PERSONS}`,
      `/VERSION`,
      `//version`,
      `http://127.0.0.1/version`,
      PERSONS.toUpperCase(),
      `${PERSONS};x=/version`,
      '/apis/api.platform.run/v1alpha1/MODELS',
    ];
    for (const target of tries) {
      const { status, text } = await as(token, 'GET', target);
      expect([400, 403, 404], `${target}: ${status} ${text.slice(0, 200)}`).toContain(status);
      expect(text).not.toMatch(/"kind":"(PersonList|ModelList)"|gitVersion/);
    }
  });

  it('may do what roles of a plugin say, and those that these include', async () => {
    const args = ['token', 'create', '--data-dir', dataDir, '--user', 'clerk', '--role', 'person-editor'];
    const token = (await runProgram(args)).stdout.trim();
    const remote = ['--server', daemon.url, '--token', token];
    const file = path.join(temporaryDirectory(), 'dora.yaml');
    writeFileSync(
      file,
      JSON.stringify({ apiVersion: `${GROUP}/v1alpha1`, kind: 'Person', ...person('dora') }),
    );
    expect(await runProgram(['apply', '-f', file, ...remote])).toMatchObject({ code: 0 });
    expect((await runProgram(['get', 'persons', 'dora', '-o', 'name', ...remote])).stdout).toBe(
      'persons/dora\n',
    );
    expect((await runProgram(['delete', 'person', 'dora', ...remote])).code).toBe(0);
    const refused = await runProgram(['get', 'plugins', ...remote]);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('user "clerk" may not list plugins in group "plugin.platform.run"'),
    ]);
  });

  it('is known to the endpoints of plugins', async () => {
    const me = '/apis/api.roles.example.com/v1/me';
    const token = await tokenFor('caller', [
      { apiGroups: ['api.roles.example.com'], resources: ['*'], verbs: ['list', 'get'] },
    ]);
    expect((await as(token, 'GET', me)).json()).toEqual({ user: 'caller' });
    expect((await as(token, 'GET', `${me}/router`)).json()).toEqual({ user: 'caller' });
    expect((await as(token, 'POST', me)).status).toBe(403);
    const open = await startDaemonProcess({ dataDir: temporaryDirectory(), plugins });
    expect((await open.get(me)).json()).toEqual({ user: null });
    await open.stop();
  });

  it('may ask what it may do, as kubectl does', async () => {
    const token = await tokenFor('asker', [{ apiGroups: [GROUP], resources: ['persons'], verbs: ['get'] }]);
    const ask = async (path: string, body: unknown): Promise<unknown> =>
      (await as(token, 'POST', `/apis/${path}`, body)).json().status;
    const canI = (resourceAttributes: object): Promise<unknown> =>
      ask('authorization.k8s.io/v1/selfsubjectaccessreviews', { spec: { resourceAttributes } });
    expect(await canI({ verb: 'get', group: GROUP, resource: 'persons', name: 'ada' })).toMatchObject({
      allowed: true,
    });
    expect(await canI({ verb: 'list', group: GROUP, resource: 'persons' })).toMatchObject({ allowed: false });
    expect(await ask('authorization.k8s.io/v1/selfsubjectrulesreviews', { spec: {} })).toMatchObject({
      resourceRules: [{ apiGroups: [GROUP], resources: ['persons'], verbs: ['get'] }],
      nonResourceRules: [],
    });
    expect(await ask('authentication.k8s.io/v1/selfsubjectreviews', {})).toEqual({
      userInfo: { username: 'asker', groups: [] },
    });
  });

  it('may not act as somebody else', async () => {
    const headers = { authorization: `Bearer ${admin}`, 'impersonate-user': 'reader' };
    expect((await daemon.send('GET', PERSONS, { headers })).status).toBe(403);
  });
});

describe('the command line', () => {
  it('sends a token to a server, and reports refused requests', async () => {
    const server = ['--server', daemon.url];
    expect(
      await runProgram(['get', 'persons', 'ada', ...server, '--token', admin, '-o', 'name']),
    ).toMatchObject({
      code: 0,
      stdout: 'persons/ada\n',
    });
    const refused = await runProgram(['get', 'persons', ...server]);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toMatch('no credentials');
  });

  it('makes tokens over HTTP as well, lists them, and revokes them by deleting', async () => {
    const remote = ['--server', daemon.url, '--token', admin];
    const made = await runProgram(['token', 'create', '--user', 'admin', '--ttl', '1h', ...remote]);
    expect([made.code, made.stdout.trim()]).toEqual([0, tokenIn(made.stdout)]);
    const token = made.stdout.trim();
    expect((await as(token, 'GET', PERSONS)).status).toBe(200);
    const id = token.split('_')[1] ?? '';
    const listed = await runProgram(['get', 'tokens', ...remote]);
    expect(listed.stdout).toMatch(new RegExp(`^${id} +admin +\\d{4}-`, 'm'));
    expect((await runProgram(['delete', 'token', id, ...remote])).code).toBe(0);
    expect((await as(token, 'GET', PERSONS)).status).toBe(401);
  });

  it.each([
    [['token', 'create'], /--user/],
    [['token', 'create', '--user', 'ada', '--ttl', 'soon'], /not a duration/],
    [['token', 'create', '--user', 'ada', '--ttl', '0'], /more than 0/],
    [['token', 'create', '--user', 'ada', '--ttl', '36501d'], /at most 36500d/],
    [['serve', '--auth', 'password'], /--auth must be one of none, token/],
    [['serve', '--auth', 'token', '--tls-cert', 'x.pem'], /also needs --tls-key/],
    [['serve', '--auth', 'token', '--tls-key', 'x.pem', '--tls-cert', 'y.pem'], /cannot read/],
    [['serve', '--host', '0.0.0.0'], /--auth token/],
  ])('refuses what it cannot use with 2: %j', async (args, message) => {
    const ended = await runProgram([...args, '--data-dir', dataDir]);
    expect([ended.code, ended.stdout]).toEqual([2, '']);
    expect(ended.stderr).toMatch(message);
  });

  it('names the roles there are when one is not', async () => {
    const args = ['token', 'create', '--user', 'ada', '--role', 'nothing', '--data-dir', dataDir];
    const ended = await runProgram(args);
    expect([ended.code, ended.stdout]).toEqual([3, '']);
    expect(ended.stderr).toMatch(/there is no role "nothing"; known roles: admin/);
  });
});

describe('the access log', () => {
  const lines = (text: string): Record<string, unknown>[] =>
    text
      .split('\n')
      .filter((line) => line.includes('"msg":"request"'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it('has a JSON line for each request, with who sent it and without its query', async () => {
    const data = path.join(temporaryDirectory(), 'data');
    const flags = ['--auth', 'token', '--access-log', '--log-level', 'silent'];
    const logged = await startDaemonProcess({ dataDir: data, plugins, flags });
    const token = tokenIn(logged.output.stdout);
    const send = (method: string, target: string, body?: unknown): Promise<HttpAnswer> =>
      logged.send(method, target, {
        headers: { authorization: `Bearer ${token}` },
        ...(body === undefined ? {} : { body }),
      });
    const answers = [
      await send('POST', PERSONS, person('zoe')),
      await send('GET', `${PERSONS}?labelSelector=secret%3Dhidden`),
      await send('GET', `${PERSONS}?size=2`),
      await send('DELETE', `${PERSONS}/zoe`),
      await send('GET', '/version'),
      await send('POST', BATCHES, { items: [] }),
      await send('GET', `/apis/console.api.${GROUP}/v1alpha1/persons`),
      await logged.get('/livez'),
      await logged.get(PERSONS),
    ];
    await expect.poll(() => lines(logged.output.stderr)).toHaveLength(answers.length);
    const found = lines(logged.output.stderr);
    expect(found.map(({ user, verb, path, code }) => [user, verb, path, code])).toEqual([
      ['admin', 'create', PERSONS, 201],
      ['admin', 'list', PERSONS, 200],
      ['admin', 'list', PERSONS, 200],
      ['admin', 'delete', `${PERSONS}/zoe`, 200],
      ['admin', 'get', '/version', 200],
      ['admin', 'create', BATCHES, 400],
      ['admin', 'list', `/apis/console.api.${GROUP}/v1alpha1/persons`, 200],
      [null, 'get', '/livez', 200],
      [null, 'list', PERSONS, 401],
    ]);
    expect(found.map(({ bytes }) => bytes)).toEqual(answers.map(({ text }) => Buffer.byteLength(text)));
    for (const { ms } of found) expect(ms).toBeGreaterThan(0);
    expect(logged.output.stderr).not.toContain('hidden');
    expect(logged.output.stderr).not.toContain(token);
    expect(logged.output.stdout).not.toContain('"msg"');
    await logged.stop();
  });

  it('has streams and those who left early, and nothing where it was not asked for', async () => {
    const data = path.join(temporaryDirectory(), 'data');
    const logged = await startDaemonProcess({ dataDir: data, plugins, flags: ['--access-log'] });
    const controller = new AbortController();
    const watching = fetch(`${logged.url}${PERSONS}?watch=true`, { signal: controller.signal });
    await (await watching).body?.getReader().read();
    controller.abort();
    await expect.poll(() => lines(logged.output.stderr)).toHaveLength(1);
    const [line] = lines(logged.output.stderr);
    expect(line).toMatchObject({ user: null, verb: 'watch', path: PERSONS, code: 200 });
    expect(line?.bytes).toBeGreaterThan(0);
    await logged.stop();
    expect(lines(daemon.output.stderr)).toEqual([]);
  });
});

const kubectl = findKubectl();
const kubectls = [...new Set([kubectl ?? [], kubectlVersions(kubectl)].flat())];

const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** Files of a new certificate for 127.0.0.1, and its key. */
function makeCertificate(directory: string, prefix: string, algorithm = EC): readonly [string, string] {
  const [cert, key] = [path.join(directory, `${prefix}cert.pem`), path.join(directory, `${prefix}key.pem`)];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const how = ['req', '-x509', '-newkey', ...algorithm, '-nodes', '-days', '2'];
  execFileSync('openssl', [...how, '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' });
  return [cert, key];
}

function tlsFlags(cert: string, key: string): string[] {
  return ['--auth', 'token', '--tls-cert', cert, '--tls-key', key];
}

const EC = ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];
const RSA = ['rsa:2048'];

/** The protocol, cipher and certificate of a connection; the code of the error when it fails. */
function handshake(url: string, options: ConnectionOptions): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), ...options }, () => {
      const { fingerprint256 } = socket.getPeerX509Certificate() ?? {};
      resolve(`${socket.getProtocol() ?? ''} ${socket.getCipher().standardName} ${fingerprint256 ?? ''}`);
      socket.destroy();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}

describe.skipIf(!hasOpenssl)('over TLS', () => {
  let directory: string;
  let files: readonly [string, string];

  beforeAll(() => {
    directory = temporaryDirectory();
    files = makeCertificate(directory, '');
  });

  it('answers with the certificate it was given, and nothing without TLS', async () => {
    const [cert, key] = files;
    const flags = tlsFlags(cert, key);
    const { child, output, exited } = spawnDaemon({ dataDir: path.join(directory, 'data'), flags });
    await expect.poll(() => output.stdout).toMatch('listening on https://127.0.0.1:');
    const url = /https:\S+/.exec(output.stdout)?.[0] ?? '';
    const token = tokenIn(output.stdout);
    const status = await new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}` };
      request(`${url}${PERSONS}`, { headers, ca: readFileSync(cert) }, (res) =>
        resolve(res.resume().statusCode),
      )
        .on('error', reject)
        .end();
    });
    expect(status).toBe(200);
    await expect(fetch(url.replace('https', 'http'))).rejects.toThrow();
    const args = ['get', 'persons', 'ada', '-o', 'name', '--server', url, '--token', token];
    const untrusted = await runProgram(args);
    expect([untrusted.code, untrusted.stderr]).toEqual([6, expect.stringMatching(/self.signed/)]);
    const trusted = await runProgram(args, { wrapper: ['env', `NODE_EXTRA_CA_CERTS=${cert}`] });
    expect([trusted.code, trusted.stdout]).toEqual([0, 'persons/ada\n']);
    child.kill('SIGTERM');
    expect((await exited).code).toBe(0);
  });

  it.skipIf(kubectls.length === 0)(
    `tells kubectl who it is and what it may do (${kubectls.length} versions)`,
    async () => {
      const [cert, key] = files;
      const data = path.join(directory, 'kubectl-data');
      const flags = tlsFlags(cert, key);
      const { child, output, exited } = spawnDaemon({ dataDir: data, plugins, flags });
      await expect.poll(() => output.stdout).toMatch('listening on https://127.0.0.1:');
      const url = /https:\S+/.exec(output.stdout)?.[0] ?? '';
      const args = ['token', 'create', '--data-dir', data, '--user', 'kim', '--role', 'person-reader'];
      await expect.poll(async () => (await runProgram(args)).code).toBe(0);
      const token = (await runProgram(args)).stdout.trim();
      for (const kubectl of kubectls) {
        const asKim = (...asked: readonly string[]): string => {
          const access = ['--server', url, '--certificate-authority', cert, '--token', token];
          const { stdout } = spawnSync(kubectl, [...asked, ...access], { encoding: 'utf8', timeout: 60_000 });
          return `${kubectl}: ${stdout}`;
        };
        expect(asKim('auth', 'can-i', 'list', `persons.v1alpha1.${GROUP}`)).toBe(`${kubectl}: yes\n`);
        expect(asKim('auth', 'can-i', 'get', '/metrics')).toMatch(`${kubectl}: no`);
        expect(asKim('auth', 'whoami')).toMatch(/Username +kim/);
      }
      child.kill('SIGTERM');
      expect((await exited).code).toBe(0);
    },
  );

  it.each([
    ['EC', EC, 'ECDSA'],
    ['RSA', RSA, 'RSA'],
  ])('speaks TLS 1.2 with forward secrecy and AEAD only, and TLS 1.3, with %s', async (name, how, auth) => {
    const [cert, key] = makeCertificate(directory, name, how);
    const data = path.join(directory, `data-${name}`);
    const { child, output, exited } = spawnDaemon({ dataDir: data, flags: tlsFlags(cert, key) });
    await expect.poll(() => output.stdout).toMatch('listening on https://127.0.0.1:');
    const url = /https:\S+/.exec(output.stdout)?.[0] ?? '';
    const ca = readFileSync(cert);
    const tls12 = (ciphers: string): Promise<string> =>
      handshake(url, { ca, ciphers, maxVersion: 'TLSv1.2', minVersion: 'TLSv1' });
    expect(await handshake(url, { ca })).toMatch(/^TLSv1\.3 TLS_AES_/);
    expect(await tls12('ALL')).toMatch(new RegExp(`^TLSv1\\.2 TLS_ECDHE_${auth}_.*(GCM|POLY1305)`));
    for (const weak of ['kRSA', 'AES128-SHA', 'ECDHE+AES128+SHA1', 'ECDHE+SHA256:!AESGCM', 'DHE'])
      expect([weak, await tls12(`${weak}:@SECLEVEL=0`)]).toEqual([
        weak,
        expect.stringMatching(/^ERR_SSL|ECONN/),
      ]);
    const old = await handshake(url, {
      ca,
      maxVersion: 'TLSv1.1',
      minVersion: 'TLSv1',
      ciphers: 'ALL:@SECLEVEL=0',
    });
    expect(old).toMatch(/^ERR_SSL|ECONN/);
    child.kill('SIGTERM');
    expect((await exited).code).toBe(0);
  });

  it('takes a new certificate when the files change, and keeps the old one while they are of no use', async () => {
    const there = path.join(directory, 'live');
    mkdirSync(there);
    const [cert, key] = makeCertificate(there, '');
    const [first, second] = [makeCertificate(directory, 'first-'), makeCertificate(directory, 'second-')];
    const put = ([from, keyFrom]: readonly [string, string]): void => {
      copyFileSync(from, cert);
      copyFileSync(keyFrom, key);
    };
    put(first);
    const { child, output, exited } = spawnDaemon({
      dataDir: path.join(directory, 'live-data'),
      flags: tlsFlags(cert, key),
    });
    await expect.poll(() => output.stdout).toMatch('listening on https://127.0.0.1:');
    const url = /https:\S+/.exec(output.stdout)?.[0] ?? '';
    const served = async (): Promise<string> =>
      (await handshake(url, { rejectUnauthorized: false })).split(' ')[2] ?? '';
    const printOf = (file: string): string => new X509Certificate(readFileSync(file)).fingerprint256;
    expect(await served()).toBe(printOf(first[0]));
    // One of the two files, and then no certificate at all.
    copyFileSync(second[0], cert);
    await expect.poll(() => output.stderr).toMatch('cannot reload the certificate');
    writeFileSync(cert, 'nothing');
    await sleep(1_500);
    expect(await served()).toBe(printOf(first[0]));
    put(second);
    await expect.poll(served).toBe(printOf(second[0]));
    expect(output.stderr).toMatch('was reloaded');
    // As Kubernetes and certbot do it: a link that points elsewhere from now on.
    for (const [file, target] of [
      [cert, first[0]],
      [key, first[1]],
    ] as const) {
      symlinkSync(target, `${file}.next`);
      renameSync(`${file}.next`, file);
    }
    await expect.poll(served).toBe(printOf(first[0]));
    child.kill('SIGTERM');
    expect((await exited).code).toBe(0);
  });

  it('is refused with files that do not belong together', async () => {
    const [cert, key] = files;
    const other = path.join(directory, 'other.pem');
    writeFileSync(other, readFileSync(key, 'utf8').replace(/[A-Z]/g, 'A'));
    const flags = ['--data-dir', path.join(directory, 'none'), '--tls-cert', cert, '--tls-key', other];
    const ended = await runProgram(['serve', ...flags]);
    expect([ended.code, ended.stdout]).toEqual([2, '']);
    expect(ended.stderr).toMatch('must be a certificate and its key');
  });
});
