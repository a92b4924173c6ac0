import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkClientCa, readConfig, type Config } from '../../src/config.js';
import { startDaemon, type Daemon } from '../../src/daemon/app.js';
import { readTls } from '../../src/daemon/tls.js';
import { SILENT } from '../../src/lib/log/logger.js';
import { MemoryEngine } from '../../src/testing/memory-engine.js';
import { Authority, type Certificate } from '../helpers/certificates.js';
import type { Json } from '../helpers/http.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const authority = new Authority();
const HOUR_MS = 3_600_000;
const server = authority.sign('server');
const admin = authority.sign('ada', HOUR_MS, ['system:masters']);
const reader = authority.sign('ben', HOUR_MS, ['readers', 'others']);
const stranger = new Authority().sign('ada', HOUR_MS, ['system:masters']);

let daemon: Daemon;
let token = '';

function configOf(flags: Readonly<Record<string, unknown>>): Config {
  const directory = temporaryDirectory();
  const all = { dataDir: directory, port: 0, plugins: [], ...flags };
  return readConfig({ flags: all, env: {}, cwd: directory });
}

beforeAll(async () => {
  const flags = { auth: 'token', tlsCert: server.certFile, tlsKey: server.keyFile };
  const config = configOf({ ...flags, clientCa: authority.caFile });
  daemon = await startDaemon(config, SILENT, {
    engine: new MemoryEngine(),
    tls: await readTls(config),
    onFirstToken: (_user, first) => (token = first),
  });
});
afterAll(async () => {
  await daemon.close();
  removeDirectories();
});

interface Sent {
  readonly by?: Certificate;
  readonly token?: string;
  readonly body?: object;
}

function send(target: string, { by, token: used, body }: Sent = {}): Promise<{ status: number; body: Json }> {
  const files = by && { cert: readFileSync(by.certFile), key: readFileSync(by.keyFile) };
  return new Promise((resolve, reject) => {
    const options = {
      ca: readFileSync(authority.caFile),
      agent: false,
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(used !== undefined && { authorization: `Bearer ${used}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...files,
    };
    const req = request(`${daemon.url}${target}`, options, (res) => {
      let text = '';
      res.on('data', (part) => (text += String(part)));
      res.on('end', () => resolve({ status: res.statusCode ?? 0, body: JSON.parse(text) as Json }));
    });
    req.on('error', reject);
    req.end(body && JSON.stringify(body));
  });
}

async function whoIs(sent: Sent): Promise<unknown> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const answer = await send('/apis/authentication.k8s.io/v1/selfsubjectreviews', { ...sent, body: review });
  return answer.status === 201 ? answer.body.status : answer.body;
}

const MAPS = '/api/v1/namespaces/default/configmaps';
const ROLES = '/apis/access.platform.run/v1alpha1';

describe('certificates of clients', () => {
  it('name a user by their common name, and its groups by their organizations', async () => {
    expect(await whoIs({ by: reader })).toMatchObject({
      userInfo: { username: 'ben', groups: expect.arrayContaining(['readers', 'others']) as unknown },
    });
  });

  it('let members of system:masters do everything', async () => {
    expect((await send(MAPS, { by: admin })).status).toBe(200);
    const body = { metadata: { name: 'one' }, data: { a: 'b' } };
    expect((await send(MAPS, { by: admin, body })).status).toBe(201);
  });

  it('give the rights of roles that bindings give to a user, or to its groups', async () => {
    expect((await send(MAPS, { by: reader })).status).toBe(403);
    const role = {
      metadata: { name: 'reader' },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }],
    };
    expect(await send(`${ROLES}/roles`, { by: admin, body: role })).toMatchObject({ status: 201 });
    const binding = {
      metadata: { name: 'readers' },
      roleRef: { kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'Group', name: 'readers' }],
    };
    expect(await send(`${ROLES}/rolebindings`, { by: admin, body: binding })).toMatchObject({ status: 201 });
    expect((await send(MAPS, { by: reader })).status).toBe(200);
    const more = { metadata: { name: 'two' }, data: {} };
    expect((await send(MAPS, { by: reader, body: more })).status).toBe(403);
  });

  it('count before tokens, and tokens count without a certificate', async () => {
    expect(token).not.toBe('');
    expect((await send(MAPS, { token })).status).toBe(200);
    expect(await whoIs({ by: reader, token })).toMatchObject({ userInfo: { username: 'ben' } });
    expect((await send(MAPS)).status).toBe(401);
  });

  const wrong: Readonly<Record<string, Certificate>> = {
    'of another issuer': stranger,
    'that has expired': authority.sign('late', -HOUR_MS, ['system:masters']),
    'with the name of senders without credentials': authority.sign('system:anonymous'),
  };
  it.each(Object.entries(wrong))(
    'are refused when there is one %s, unless a token is valid',
    async (_, by) => {
      const answer = await send(MAPS, { by });
      expect([answer.status, answer.body.message]).toEqual([
        401,
        expect.stringContaining('the certificate of the client is not accepted: '),
      ]);
      expect((await send(MAPS, { by, token })).status).toBe(200);
    },
  );

  it('do not name the group system:masters for users of the service', async () => {
    const user = { metadata: { name: 'eve' }, spec: { groups: ['system:masters'] } };
    expect(await send(`${ROLES}/users`, { by: admin, body: user })).toMatchObject({ status: 422 });
  });
});

describe('the issuers of certificates of clients', () => {
  const tls = { tlsCert: server.certFile, tlsKey: server.keyFile };

  it('need TLS and tokens', () => {
    expect(() => configOf({ clientCa: authority.caFile })).toThrow(
      '--client-ca also needs --tls-cert and --tls-key',
    );
    const config = configOf({ ...tls, clientCa: authority.caFile });
    expect(() => checkClientCa(config)).toThrow('--client-ca needs --auth token');
  });

  it('are refused in a file that has none', async () => {
    const empty = path.join(temporaryDirectory(), 'empty.pem');
    writeFileSync(empty, 'nothing\n');
    await expect(readTls(configOf({ ...tls, clientCa: empty }))).rejects.toThrow(
      `--client-ca: ${empty} has no certificate in PEM`,
    );
    await expect(readTls(configOf({ ...tls, clientCa: '/missing.pem' }))).rejects.toThrow(
      '--client-ca: cannot read /missing.pem',
    );
  });
});
