import { Agent } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AccessControl } from '../../src/access/control.js';
import { issueToken, makeFirstUser } from '../../src/access/issue.js';
import { openAccessModels, ROLE_BINDINGS, ROLES, TOKENS, USERS } from '../../src/access/models.js';
import { sweepTokens } from '../../src/access/sweep.js';
import { newToken } from '../../src/access/token.js';
import { createExpressApp } from '../../src/http/express-app.js';
import { listen, type RunningServer } from '../../src/http/server.js';
import { SILENT } from '../../src/lib/log/logger.js';
import { IdTokens } from '../../src/oidc/id-tokens.js';
import type { Service } from '../../src/service/service.js';
import { runCli, type CliResult } from '../helpers/cli.js';
import { senderAs, type HttpAnswer } from '../helpers/http.js';
import { CLIENT_ID, startIssuer, type TestIssuer } from '../helpers/issuer.js';
import { registerModels } from '../helpers/models.js';
import { openTestService, removeDirectories, type TestService } from '../helpers/store.js';

const ACCESS = '/apis/access.platform.run/v1alpha1';
const TOKEN_LIST = `${ACCESS}/tokens`;
const PERSONS = '/apis/demo.example.com/v1/persons';

let issuer: TestIssuer;
let t: TestService;
let service: Service;
let server: RunningServer;
let agent: Agent;
let admin: string;
/** Tokens of a user without roles, and of a user of the issuer. */
let rita: string;
let ada: string;

beforeAll(async () => {
  issuer = await startIssuer();
});
beforeEach(async () => {
  t = await openTestService();
  ({ service } = t);
  await openAccessModels(service.models, t.registry);
  await registerModels(t);
  admin = (await makeFirstUser(service)) ?? '';
  rita = (await issueToken(service, { user: 'rita' }, new Date())).token;
  ada = await issuer.sign({ sub: 'ada', groups: ['staff'] });
  agent = new Agent({ keepAlive: true });
  const idTokens = new IdTokens(
    {
      issuer: issuer.url,
      clientId: CLIENT_ID,
      clientSecretFile: undefined,
      usernameClaim: 'sub',
      groupsClaim: 'groups',
      usernamePrefix: 'oidc:',
      groupsPrefix: 'oidc:',
    },
    { logger: SILENT },
  );
  const app = createExpressApp({
    service,
    access: new AccessControl(service, undefined, idTokens),
    models: service.models,
    logger: SILENT,
    bodyBytesMax: 1024 * 1024,
    loopbackOnly: false,
    version: '0.1.0',
  });
  server = await listen(app, { host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  agent.destroy();
  await server.close(0);
  await t.close();
});
afterAll(async () => {
  await issuer.close();
  removeDirectories();
});

const as = senderAs(() => ({ agent, server }));
const cli = (token: string, ...argv: readonly string[]): Promise<CliResult> =>
  runCli([...argv, '--server', server.url, '--token', token], { cwd: '/' });

/** The uid that the service sets. */
async function uidOf(sender: string, user: string): Promise<unknown> {
  const { answer } = await make(sender, { user });
  expect(answer.status).toBe(201);
  return answer.json().spec.userUID;
}

/** Asks for a token as a client would, and returns it with the answer. */
async function make(
  sender: string,
  spec: object,
): Promise<{ readonly answer: HttpAnswer; readonly token: string }> {
  const { token, id, sha256 } = newToken();
  const body = { metadata: { name: id }, spec: { sha256, ...spec } };
  return { answer: await as(sender, 'POST', TOKEN_LIST, body), token };
}

const idOf = (token: string): string => /^xsvc_(\w{20})_/.exec(token)?.[1] ?? '';
const namesFor = async (token: string): Promise<unknown[]> => {
  const answer = await as(token, 'GET', TOKEN_LIST);
  expect(answer.status).toBe(200);
  return answer.json().items.map(({ metadata }) => metadata.name);
};

describe.each([
  ['of the service', () => rita, 'rita'],
  ['of an issuer', () => ada, 'oidc:ada'],
])('a user %s without any role', (_, tokenOf, name) => {
  it('makes a token of its own name, sees it and ends it', async () => {
    const sender = tokenOf();
    const made = await cli(sender, 'token', 'create', '--ttl', '1h');
    expect([made.code, made.err]).toEqual([0, expect.stringMatching(/^token \w{20} is valid until 20/)]);
    const token = made.out.trim();
    expect((await cli(token, 'whoami')).out).toBe(`${name}\n`);
    expect(await namesFor(sender)).toContain(idOf(token));
    expect(await namesFor(sender)).not.toContain(idOf(admin));
    const seen = await as(sender, 'GET', `${TOKEN_LIST}/${idOf(token)}`);
    expect([seen.status, seen.json().spec.user]).toEqual([200, name]);
    expect((await as(sender, 'DELETE', `${TOKEN_LIST}/${idOf(token)}`)).status).toBe(200);
    expect(await cli(token, 'whoami')).toMatchObject({ code: 1, err: 'error: invalid or revoked token\n' });
  });

  it('sees and ends no token of others, whatever it asks for', async () => {
    const sender = tokenOf();
    for (const query of [
      '',
      '?filter=spec.user == "admin"',
      '?filter=true || spec.user == "x"',
      '?fieldSelector=spec.user=admin',
      '?search=admin',
      '?limit=500&sort=spec.user&aggregate=count()',
      '?explain=true',
    ])
      expect((await as(sender, 'GET', TOKEN_LIST + encodeURI(query))).text).not.toContain(idOf(admin));
    for (const method of ['GET', 'DELETE'])
      expect((await as(sender, method, `${TOKEN_LIST}/${idOf(admin)}`)).status).toBe(404);
    expect((await as(sender, 'GET', `${TOKEN_LIST}/none`)).status).toBe(404);
    expect((await as(admin, 'GET', PERSONS)).status).toBe(200);
    for (const [method, path] of [
      ['GET', `${TOKEN_LIST}?watch=true`],
      ['GET', `${TOKEN_LIST}/${idOf(admin)}/history`],
      ['GET', `${TOKEN_LIST}/-/history`],
      ['PUT', `${TOKEN_LIST}/${idOf(rita)}`],
      ['PATCH', `${TOKEN_LIST}/${idOf(rita)}`],
      ['GET', `${ACCESS}/users`],
      ['POST', `${ACCESS}/roles`],
    ] as const)
      expect([
        path,
        (await as(sender, method, path, method === 'GET' ? undefined : {}, 'application/json')).status,
      ]).toEqual([path, 403]);
    const item = {
      verb: 'delete',
      apiVersion: 'access.platform.run/v1alpha1',
      kind: 'Token',
      name: idOf(admin),
    };
    expect(
      (await as(sender, 'POST', '/apis/api.platform.run/v1alpha1/batches', { items: [item] })).status,
    ).not.toBe(200);
    expect((await as(admin, 'GET', PERSONS)).status).toBe(200);
  });

  it('makes no token under a name that is no id of a token', async () => {
    const sender = tokenOf();
    const { sha256 } = newToken();
    for (const metadata of [{ name: 'laptop' }, { generateName: 'laptop-' }, { name: 'a'.repeat(21) }]) {
      const answer = await as(sender, 'POST', TOKEN_LIST, { metadata, spec: { user: name, sha256 } });
      expect([answer.status, answer.json().message]).toEqual([
        422,
        expect.stringContaining('metadata.name: must be the id of the token, which xsvc_ID_SECRET contains'),
      ]);
    }
  });

  it('makes no token of others, and none with another uid', async () => {
    const sender = tokenOf();
    const uid = await uidOf(sender, name);
    const [boss] = await service.getMany(USERS, ['admin']);
    for (const spec of [
      { user: 'admin', userUID: boss?.metadata.uid },
      { user: 'admin', userUID: uid },
      { user: name, userUID: boss?.metadata.uid },
      { user: name, userUID: 'issued-00000000000000000000000000000000' },
    ]) {
      const { answer, token } = await make(sender, spec);
      expect([answer.status, (await as(token, 'GET', PERSONS)).status]).toEqual([403, 401]);
    }
    expect((await make(sender, { user: name, userUID: uid })).answer.status).toBe(201);
    expect(await cli(sender, 'token', 'create', '--role', 'admin')).toMatchObject({ code: 2 });
    expect(await cli(sender, 'token', 'create', '--user', 'admin')).toMatchObject({ code: 1 });
  });
});

describe('a token that a user has made', () => {
  it('ends no later than the token with which it was made', async () => {
    const hour = (await issueToken(service, { user: 'rita', ttlMs: 3_600_000 }, new Date())).token;
    const longer = await cli(hour, 'token', 'create', '--ttl', '2h');
    expect([longer.code, longer.err]).toEqual([1, expect.stringContaining('ends after the one it uses')]);
    expect((await cli(hour, 'token', 'create')).code).toBe(1);
    expect((await cli(hour, 'token', 'create', '--ttl', '10m')).code).toBe(0);
  });

  it('of an issuer has the roles of the user, not those of its groups, and is kept by the sweep', async () => {
    const rules = [{ apiGroups: ['demo.example.com'], resources: ['persons'], verbs: ['list'] }];
    await service.create(ROLES, { metadata: { name: 'lister' }, rules });
    const bind = (kind: string, name: string) =>
      service.create(ROLE_BINDINGS, {
        metadata: { generateName: 'b-' },
        roleRef: { kind: 'Role', name: 'lister' },
        subjects: [{ kind, name }],
      });
    await bind('Group', 'oidc:staff');
    const token = (await cli(ada, 'token', 'create')).out.trim();
    const statuses = async (): Promise<number[]> =>
      Promise.all([ada, token].map(async (one) => (await as(one, 'GET', PERSONS)).status));
    expect(await statuses()).toEqual([200, 403]);
    await bind('User', 'oidc:ada');
    expect(await statuses()).toEqual([200, 200]);
    await sweepTokens(service);
    expect(await statuses()).toEqual([200, 200]);
  });

  it('of an issuer is worthless at a service with another issuer, or with none', async () => {
    const { out } = await cli(ada, 'token', 'create');
    const authorization = `Bearer ${out.trim()}`;
    const without = new AccessControl(service);
    await expect(async () => without.identify(authorization)).rejects.toMatchObject({ code: 'Unauthorized' });
    const other = new AccessControl(service, undefined, {
      identify: () => Promise.reject(new Error('not called')),
      uidOf: () => 'issued-ffffffffffffffffffffffffffffffff',
    });
    await expect(async () => other.identify(authorization)).rejects.toMatchObject({ code: 'Unauthorized' });
  });
});

it('anonymous senders have no tokens, also where bindings give them rights', async () => {
  expect((await as('', 'GET', TOKEN_LIST)).status).toBe(401);
  const answer = await fetch(`${server.url}${TOKEN_LIST}`);
  expect(answer.status).toBe(401);
  const made = await fetch(`${server.url}${TOKEN_LIST}`, {
    method: 'POST',
    body: '{}',
    headers: { 'Content-Type': 'application/json' },
  });
  expect(made.status).toBe(401);
});

it('a command without a user needs a server that knows one', async () => {
  const onStore = await runCli(['token', 'create', '--data-dir', t.directory], { cwd: '/' });
  expect([onStore.code, onStore.err]).toEqual([2, expect.stringContaining('without --user')]);
});

it('an administrator sees all tokens', async () => {
  expect(await namesFor(admin)).toEqual(expect.arrayContaining([idOf(admin), idOf(rita)]));
  await service.delete(TOKENS, idOf(rita));
});
