import { Agent } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AccessControl } from '../../src/access/control.js';
import { issueToken, makeFirstUser } from '../../src/access/issue.js';
import { openAccessModels, ROLE_BINDINGS, ROLES, TOKENS, USERS } from '../../src/access/models.js';
import { WatchTickets } from '../../src/access/watch-tickets.js';
import { createExpressApp } from '../../src/http/express-app.js';
import { listen, type RunningServer } from '../../src/http/server.js';
import { SILENT } from '../../src/lib/log/logger.js';
import { IdTokens } from '../../src/oidc/id-tokens.js';
import type { Service } from '../../src/service/service.js';
import { senderAs } from '../helpers/http.js';
import { CLIENT_ID, startIssuer, type TestIssuer } from '../helpers/issuer.js';
import { PERSON, registerModels } from '../helpers/models.js';
import { openTestService, removeDirectories, type TestService } from '../helpers/store.js';
import { openStream } from '../helpers/watching.js';
import { person } from '../suites/verbs-helpers.js';

const PERSONS = '/apis/demo.example.com/v1/persons';
const ACCESS = '/apis/access.platform.run/v1alpha1';
const AUTHENTICATION = '/apis/authentication.k8s.io/v1';
const TICKETS = '/apis/api.platform.run/v1alpha1/watchtickets';

let issuer: TestIssuer;
let t: TestService;
let service: Service;
let server: RunningServer;
let control: AccessControl;
let agent: Agent;
let admin: string;
/** Lead of the service's clock, in milliseconds. */
let aheadMs: number;
/** Prefix of users and groups. */
let prefix: string;

beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.close());

async function start(): Promise<void> {
  const now = (): number => Date.now() + aheadMs;
  const idTokens = new IdTokens(
    {
      issuer: issuer.url,
      clientId: CLIENT_ID,
      clientSecretFile: undefined,
      usernameClaim: 'sub',
      groupsClaim: 'groups',
      usernamePrefix: prefix,
      groupsPrefix: prefix,
    },
    { logger: SILENT, now },
  );
  control = new AccessControl(service, now, idTokens);
  const app = createExpressApp({
    service,
    access: control,
    tickets: new WatchTickets(service.store, now),
    models: service.models,
    logger: SILENT,
    bodyBytesMax: 1024 * 1024,
    loopbackOnly: false,
    version: '0.1.0',
    recheckMs: 50,
  });
  server = await listen(app, { host: '127.0.0.1', port: 0 });
}

beforeEach(async () => {
  t = await openTestService();
  ({ service } = t);
  await openAccessModels(service.models, t.registry);
  await registerModels(t);
  admin = (await makeFirstUser(service)) ?? '';
  aheadMs = 0;
  prefix = 'oidc:';
  agent = new Agent({ keepAlive: true });
  await start();
});
afterEach(async () => {
  agent.destroy();
  await server.close(0);
  await t.close();
});
afterAll(removeDirectories);

const as = senderAs(() => ({ agent, server }));
const listed = async (token: string): Promise<number> => (await as(token, 'GET', PERSONS)).status;
const messageOf = async (token: string): Promise<string> => (await as(token, 'GET', PERSONS)).json().message;

/** Gives the right to do some things with persons, and to make tokens and groups. */
async function grant(
  subjects: readonly object[],
  rules: readonly object[] = [ALL_OF_PERSONS],
): Promise<void> {
  const { object } = await service.create(ROLES, { metadata: { generateName: 'r-' }, rules });
  const roleRef = { kind: 'Role', name: object.metadata.name };
  await service.create(ROLE_BINDINGS, { metadata: { generateName: 'b-' }, roleRef, subjects });
}
const ALL_OF_PERSONS = { apiGroups: ['demo.example.com'], resources: ['persons'], verbs: ['*'] };

describe('a user of an issuer', () => {
  it('has the rights of its name and of its groups, from the commit on that gives them', async () => {
    const token = await issuer.idTokenOf({ sub: 'ada', groups: ['staff'] });
    expect(await messageOf(token)).toBe('user "oidc:ada" may not list persons in group "demo.example.com"');
    await grant([{ kind: 'User', name: 'oidc:ada' }]);
    expect(await listed(token)).toBe(200);
    const other = await issuer.sign({ sub: 'bob', groups: ['staff', 'ops'] });
    expect(await listed(other)).toBe(403);
    await grant([{ kind: 'Group', name: 'oidc:staff' }]);
    expect(await listed(other)).toBe(200);
    for (const name of await service.listNames(ROLE_BINDINGS))
      if (name.startsWith('b-')) await service.delete(ROLE_BINDINGS, name);
    expect([await listed(token), await listed(other)]).toEqual([403, 403]);
  });

  it('is named with its groups, also by a review of its token', async () => {
    const token = await issuer.sign({ groups: ['staff'] });
    const self = await as(token, 'POST', `${AUTHENTICATION}/selfsubjectreviews`, {});
    expect(self.status).toBe(201);
    expect(self.json().status).toMatchObject({ userInfo: { username: 'oidc:ada', groups: ['oidc:staff'] } });
    const review = await as(admin, 'POST', `${AUTHENTICATION}/tokenreviews`, { spec: { token } });
    expect(review.json().status).toMatchObject({
      authenticated: true,
      user: { username: 'oidc:ada', groups: ['oidc:staff'] },
    });
  });

  it('is also in the groups of a user object of the name, and refused when that is disabled', async () => {
    await server.close(0);
    prefix = '';
    await start();
    const token = await issuer.sign({ sub: 'ada', groups: ['a'] });
    await grant([{ kind: 'Group', name: 'b' }]);
    expect(await listed(token)).toBe(403);
    await service.create(USERS, { metadata: { name: 'ada' }, spec: { groups: ['b'] } });
    expect(await listed(token)).toBe(200);
    const self = await as(token, 'POST', `${AUTHENTICATION}/selfsubjectreviews`, {});
    expect(self.json().status).toMatchObject({ userInfo: { groups: ['a', 'b'] } });
    await service.patch(USERS, 'ada', { spec: { disabled: true } }, 'merge');
    expect([await listed(token), await messageOf(token)]).toEqual([401, 'user "ada" is disabled']);
  });

  it('writes in its name, and cannot give rights that it does not have', async () => {
    const rights = { apiGroups: ['access.platform.run'], resources: ['*'], verbs: ['create', 'get', 'list'] };
    await grant([{ kind: 'Group', name: 'oidc:staff' }], [ALL_OF_PERSONS, rights]);
    const token = await issuer.sign({ groups: ['staff'] });
    expect((await as(token, 'POST', PERSONS, person('ann', {}))).status).toBe(201);
    expect((await service.history(PERSON, 'ann')).items[0]).toMatchObject({ user: 'oidc:ada' });
    const role = { metadata: { name: 'mine' }, rules: [{ ...ALL_OF_PERSONS, verbs: ['get'] }] };
    expect((await as(token, 'POST', `${ACCESS}/roles`, role)).status).toBe(201);
    const more = { metadata: { name: 'more' }, rules: [{ ...ALL_OF_PERSONS, resources: ['*'] }] };
    const refused = await as(token, 'POST', `${ACCESS}/roles`, more);
    expect([refused.status, refused.json().message]).toEqual([403, expect.stringContaining('escalate')]);
  });

  it('has its rights in what plugins do in its name, until the token expires', async () => {
    await grant([{ kind: 'Group', name: 'oidc:staff' }]);
    expect((await control.identityOf('oidc:ada')).rules).toEqual([]);
    await expect(async () => control.identityOf('ada')).rejects.toMatchObject({ code: 'Forbidden' });
    const token = await issuer.sign({ groups: ['staff'] });
    expect(await listed(token)).toBe(200);
    expect(await control.identityOf('oidc:ada')).toMatchObject({
      groups: ['oidc:staff'],
      issuedGroups: ['oidc:staff'],
    });
    expect((await control.identityOf('oidc:ada')).rules).toHaveLength(1);
    expect(await listed(await issuer.sign({ groups: [] }))).toBe(403);
    expect((await control.identityOf('oidc:ada')).rules).toEqual([]);
    expect(await listed(await issuer.sign({ groups: ['staff'], jti: 'x' }))).toBe(200);
    aheadMs = 4_000_000;
    expect((await control.identityOf('oidc:ada')).rules).toEqual([]);
  });

  it('is no administrator who could be the last', async () => {
    await grant([{ kind: 'User', name: 'oidc:ada' }], [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]);
    const token = await issuer.sign();
    const answer = await as(token, 'DELETE', `${ACCESS}/users/admin`);
    expect([answer.status, answer.json().message]).toEqual([
      403,
      expect.stringContaining('last administrator'),
    ]);
  });
});

describe('a watch of a user of an issuer', () => {
  it('ends when the token expires', async () => {
    await grant([{ kind: 'User', name: 'oidc:ada' }]);
    const token = await issuer.sign();
    const stream = await openStream(`${server.url}${PERSONS}?watch=true`, {
      authorization: `Bearer ${token}`,
    });
    expect(stream.status).toBe(200);
    aheadMs = 3_661_000;
    expect(await stream.ended).toBe(true);
    expect(stream.events().at(-1)).toMatchObject({ type: 'ERROR', object: { code: 401 } });
  });

  it('opens with a ticket, which has the rights of the token, and ends with it', async () => {
    await grant([{ kind: 'Group', name: 'oidc:staff' }]);
    const token = await issuer.sign({ groups: ['staff'] });
    const path = `${PERSONS}?watch=true`;
    const ticket = await as(token, 'POST', TICKETS, { path });
    expect(ticket.status).toBe(201);
    const stream = await openStream(`${server.url}${path}&ticket=${String(ticket.json().ticket)}`);
    expect(stream.status).toBe(200);
    aheadMs = 3_661_000;
    expect(await stream.ended).toBe(true);
    expect(stream.events().at(-1)).toMatchObject({ type: 'ERROR', object: { code: 401 } });
  });

  it('gets no ticket for more groups than a URL can have', async () => {
    const groups = Array.from({ length: 300 }, (_, i) => `a-group-with-number-${i}`);
    await grant([{ kind: 'User', name: 'oidc:ada' }]);
    const answer = await as(await issuer.sign({ groups }), 'POST', TICKETS, {
      path: `${PERSONS}?watch=true`,
    });
    expect([answer.status, answer.json().message]).toEqual([
      403,
      expect.stringContaining('too long for a ticket'),
    ]);
  });
});

describe('beside an issuer', () => {
  it('own tokens work as before, and unknown ones are refused as before', async () => {
    expect(await listed(admin)).toBe(200);
    await service.create(ROLES, { metadata: { name: 'reader' }, rules: [ALL_OF_PERSONS] });
    const { token, id } = await issueToken(service, { user: 'ci', role: 'reader' }, new Date());
    expect(await listed(token)).toBe(200);
    await service.delete(TOKENS, id);
    expect(await messageOf(token)).toBe('invalid or revoked token');
    expect(await messageOf('abc')).toBe('invalid or revoked token');
    expect(await messageOf('a.b.c.d.e')).toBe('invalid or revoked token');
    expect(await messageOf('a.b.c')).toMatch(/^the ID token is not accepted: /);
  });

  it('wrong ID tokens are limited for each network like other wrong tokens', async () => {
    const statuses = new Set<number>();
    for (let i = 0; i < 25; i++) statuses.add(await listed(`a.b${i}.c`));
    expect(statuses).toEqual(new Set([401, 429]));
    await grant([{ kind: 'User', name: 'oidc:ada' }]);
    expect(await listed(await issuer.sign())).toBe(200);
  });
});
