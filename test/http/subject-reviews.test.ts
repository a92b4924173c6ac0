import { Agent } from 'node:http';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AccessControl } from '../../src/access/control.js';
import { issueToken, makeFirstUser } from '../../src/access/issue.js';
import { openAccessModels, ROLE_BINDINGS, ROLES, USERS } from '../../src/access/models.js';
import { createExpressApp } from '../../src/http/express-app.js';
import { listen, type RunningServer } from '../../src/http/server.js';
import { SILENT } from '../../src/lib/log/logger.js';
import { senderAs, type HttpAnswer } from '../helpers/http.js';
import { openTestService, removeDirectories, type TestService } from '../helpers/store.js';

const AUTHORIZATION = '/apis/authorization.k8s.io/v1';
const ACCESS = `${AUTHORIZATION}/subjectaccessreviews`;
const LOCAL = `${AUTHORIZATION}/namespaces/default/localsubjectaccessreviews`;
const OWN = `${AUTHORIZATION}/selfsubjectaccessreviews`;
const TOKENS = '/apis/authentication.k8s.io/v1/tokenreviews';
const LIST = { verb: 'list', group: 'example.com', resource: 'things', namespace: 'default' };

let t: TestService;
let server: RunningServer;
let agent: Agent;
let admin = '';
let bob = '';
let access: AccessControl | undefined;

async function open(): Promise<void> {
  const app = createExpressApp({
    service: t.service,
    ...(access && { access }),
    models: t.service.models,
    logger: SILENT,
    bodyBytesMax: 1024 * 1024,
    loopbackOnly: false,
    version: '0.1.0',
  });
  server = await listen(app, { host: '127.0.0.1', port: 0 });
}

beforeEach(async () => {
  t = await openTestService();
  await openAccessModels(t.service.models, t.registry);
  admin = (await makeFirstUser(t.service)) ?? '';
  const rules = [{ apiGroups: ['example.com'], resources: ['things'], verbs: ['list'] }];
  await t.service.create(ROLES, { metadata: { name: 'lister' }, rules });
  bob = (await issueToken(t.service, { user: 'bob', role: 'lister' }, new Date())).token;
  access = new AccessControl(t.service);
  agent = new Agent({ keepAlive: true });
  await open();
});

afterEach(async () => {
  agent.destroy();
  await server.close(0);
  await t.close();
});
afterAll(removeDirectories);

const as = senderAs(() => ({ agent, server }));

const post = (target: string, spec: object, token = admin): Promise<HttpAnswer> =>
  as(token, 'POST', target, { spec });

describe('a review of the rights of a user', () => {
  it.each([ACCESS, LOCAL])('says what the roles of the user allow: %s', async (target) => {
    const spec = { user: 'bob', groups: ['any'], resourceAttributes: LIST };
    const allowed = await post(target, spec);
    expect([allowed.status, allowed.json()]).toMatchObject([201, { spec, status: { allowed: true } }]);
    const refused = await post(target, { ...spec, resourceAttributes: { ...LIST, verb: 'delete' } });
    expect(refused.json()).toMatchObject({ status: { allowed: false } });
  });

  it('counts the groups that it names, also without a user', async () => {
    const roleRef = { kind: 'Role', name: 'lister' };
    await t.service.create(ROLE_BINDINGS, {
      metadata: { name: 'staff' },
      roleRef,
      subjects: [{ kind: 'Group', name: 'staff' }],
    });
    const allowed = async (spec: object): Promise<unknown> => {
      const { status } = (await post(ACCESS, { ...spec, resourceAttributes: LIST })).json();
      return (status as { readonly allowed: boolean }).allowed;
    };
    expect(await allowed({ user: 'admin', groups: ['staff'] })).toBe(true);
    expect(await allowed({ groups: ['staff'] })).toBe(true);
    expect(await allowed({ groups: ['other', 7] })).toBe(false);
    expect(await allowed({ user: 'nobody', groups: ['staff'] })).toBe(false);
  });

  it('allows nothing to users who do not exist, or are disabled', async () => {
    const spec = { user: 'eve', resourceAttributes: LIST };
    expect((await post(ACCESS, spec)).json()).toMatchObject({
      status: { allowed: false, reason: 'there is no user "eve"' },
    });
    await t.service.patch(USERS, 'bob', { spec: { disabled: true } }, 'merge');
    expect((await post(ACCESS, { ...spec, user: 'bob' })).json()).toMatchObject({
      status: { allowed: false },
    });
  });

  it('needs the right to create it', async () => {
    expect((await post(ACCESS, { user: 'admin', resourceAttributes: LIST }, bob)).status).toBe(403);
    expect((await post(LOCAL, { user: 'admin', resourceAttributes: LIST }, bob)).status).toBe(403);
  });

  it.each([
    [ACCESS, { resourceAttributes: LIST }, 'spec.user'],
    [ACCESS, { user: 'bob' }, 'spec'],
    [ACCESS, { user: 'bob', resourceAttributes: LIST, nonResourceAttributes: { path: '/x' } }, 'spec'],
    [OWN, {}, 'spec'],
    [
      LOCAL,
      { user: 'bob', resourceAttributes: { ...LIST, namespace: 'other' } },
      'spec.resourceAttributes.namespace',
    ],
    [
      LOCAL,
      { user: 'bob', nonResourceAttributes: { verb: 'get', path: '/x' } },
      'spec.nonResourceAttributes',
    ],
  ])('%s is refused with %j', async (target, spec, field) => {
    const answer = await post(target, spec);
    expect(answer.status).toBe(422);
    expect(answer.json().details.causes[0]?.field).toBe(field);
  });

  it('allows everything in a service without authentication', async () => {
    await server.close(0);
    access = undefined;
    await open();
    const answer = await post(ACCESS, { user: 'bob', resourceAttributes: { ...LIST, verb: 'delete' } });
    expect(answer.json()).toMatchObject({ status: { allowed: true } });
  });
});

describe('a review of a token', () => {
  it('names the user of a valid token', async () => {
    const answer = await post(TOKENS, { token: bob });
    expect([answer.status, answer.json()]).toMatchObject([
      201,
      { kind: 'TokenReview', status: { authenticated: true, user: { username: 'bob' } } },
    ]);
  });

  it('names it in a service without authentication, and nobody for another token', async () => {
    await server.close(0);
    access = undefined;
    await open();
    expect((await post(TOKENS, { token: bob })).json().status).toMatchObject({
      authenticated: true,
      user: { username: 'bob' },
    });
    for (const token of ['abc', `${bob}x`, bob.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))])
      expect((await post(TOKENS, { token })).json().status).toEqual({
        user: {},
        error: 'invalid or revoked token',
      });
  });

  it('does not authenticate any other token', async () => {
    for (const token of ['abc', `${bob}x`, 'with space', 'ü'])
      expect((await post(TOKENS, { token })).json().status).not.toHaveProperty('authenticated');
  });

  it('needs a token, and the right to create it', async () => {
    expect((await post(TOKENS, {})).status).toBe(400);
    expect((await post(TOKENS, { token: admin }, bob)).status).toBe(403);
  });
});
