import { logKey } from '../../src/store/index/keys.js';
import { decodeLogEntry } from '../../src/store/log/log.js';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { admitted } from '../../src/access/checked-write.js';
import { AccessControl } from '../../src/access/control.js';
import { ADMIN, issueToken, makeFirstUser } from '../../src/access/issue.js';
import { openAccessModels, ROLE_BINDINGS, ROLES, TOKENS, USERS } from '../../src/access/models.js';
import { DEPENDENCIES } from '../../src/access/policy.js';
import type { AccessRule } from '../../src/access/rules.js';
import type { AccessLogEntry } from '../../src/http/metrics/access-log.js';
import { createExpressApp } from '../../src/http/express-app.js';
import { listen, type RunningServer } from '../../src/http/server.js';
import { SILENT } from '../../src/lib/log/logger.js';
import { EXPIRES_AT, TTL } from '../../src/model/expiration.js';
import { ownerReference } from '../../src/model/owner-references.js';
import { Collector } from '../../src/owners/collector.js';
import { COLLECTOR } from '../../src/model/system-users.js';
import type { CheckedWrite } from '../../src/owners/writer.js';
import type { Service } from '../../src/service/service.js';
import { PERSON, registerModels } from '../helpers/models.js';
import { senderAs, sendHttp, type HttpAnswer } from '../helpers/http.js';
import { AUTHOR, BOOK, named } from '../helpers/library.js';
import { openTestService, removeDirectories, type TestService } from '../helpers/store.js';
import { openStream, type OpenStream } from '../helpers/watching.js';
import { person } from '../suites/verbs-helpers.js';

const ACCESS = '/apis/access.platform.run/v1alpha1';
const PERSONS = '/apis/demo.example.com/v1/persons';
const BATCHES = '/apis/api.platform.run/v1alpha1/batches';
const DEMO = 'demo.example.com';

const READ: AccessRule = { apiGroups: [DEMO], resources: ['persons'], verbs: ['get', 'list', 'watch'] };
/** May write what says who may do what, but has no right to give more than READ. */
const MANAGE: AccessRule = {
  apiGroups: ['access.platform.run'],
  resources: ['*'],
  verbs: ['get', 'list', 'create', 'update', 'patch', 'delete'],
};

let t: TestService;
let service: Service;
let server: RunningServer;
let agent: Agent;
let admin: string;
let accessLog: AccessLogEntry[];
/** Lead of the clock that decides when tokens expire, in milliseconds. */
let aheadMs: number;
const streams: OpenStream[] = [];

beforeEach(async () => {
  t = await openTestService();
  ({ service } = t);
  await openAccessModels(service.models, t.registry);
  await registerModels(t);
  admin = (await makeFirstUser(service)) ?? '';
  accessLog = [];
  aheadMs = 0;
  const app = createExpressApp({
    service,
    accessLog: (entry) => accessLog.push(entry),
    access: new AccessControl(service, () => Date.now() + aheadMs),
    models: service.models,
    logger: SILENT,
    bodyBytesMax: 1024 * 1024,
    loopbackOnly: false,
    version: '0.1.0',
    recheckMs: 50,
  });
  server = await listen(app, { host: '127.0.0.1', port: 0 });
  agent = new Agent({ keepAlive: true });
});

afterEach(async () => {
  for (const stream of streams.splice(0)) stream.destroy();
  await expect.poll(() => service.hub.subscribers).toBe(0);
  agent.destroy();
  await server.close(0);
  await t.close();
});
afterAll(removeDirectories);

const as = senderAs(() => ({ agent, server }));

const merge = (token: string, target: string, body: unknown): Promise<HttpAnswer> =>
  as(token, 'PATCH', target, body, 'application/merge-patch+json');

const role = (
  name: string,
  rules: readonly AccessRule[],
  metadata: object = {},
): Record<string, unknown> => ({
  apiVersion: 'access.platform.run/v1alpha1',
  kind: 'Role',
  metadata: { name, ...metadata },
  rules,
});

const binding = (name: string, roleName: string, ...users: string[]): Record<string, unknown> => ({
  apiVersion: 'access.platform.run/v1alpha1',
  kind: 'RoleBinding',
  metadata: { name },
  roleRef: { kind: 'Role', name: roleName },
  subjects: users.map((one) => ({ kind: 'User', name: one })),
});

/** A name that a token may have. */
const idOf = (letter: string): string => letter.repeat(20);

async function tokenObject(letter: string, user: string): Promise<Record<string, unknown>> {
  const { metadata } = await service.get(USERS, user);
  const spec = { user, userUID: metadata.uid, sha256: '0'.repeat(64) };
  return {
    apiVersion: 'access.platform.run/v1alpha1',
    kind: 'Token',
    metadata: { name: idOf(letter) },
    spec,
  };
}

/** A token of a new user with these rules. */
async function userWith(user: string, ...rules: readonly AccessRule[]): Promise<string> {
  await service.create(ROLES, role(user, rules));
  return (await issueToken(service, { user, role: user }, new Date())).token;
}

const DELETE_PERSONS: AccessRule = { apiGroups: [DEMO], resources: ['persons'], verbs: ['delete'] };

describe('a role', () => {
  it('can be written only by a user who has all its rights', async () => {
    const eve = await userWith('eve', MANAGE, READ);
    expect((await as(eve, 'POST', `${ACCESS}/roles`, role('reader', [READ]))).status).toBe(201);
    const more = await as(eve, 'POST', `${ACCESS}/roles`, role('more', [READ, DELETE_PERSONS]));
    expect([more.status, more.json().reason, more.json().message]).toEqual([
      403,
      'Forbidden',
      'user "eve" may not write roles "more": role "more" grants the right to delete persons in group "demo.example.com", ' +
        'which "eve" does not have; that needs the verb escalate on roles in group "access.platform.run"',
    ]);
    const put = await as(eve, 'PUT', `${ACCESS}/roles/reader`, role('reader', [READ, DELETE_PERSONS]));
    const patched = await merge(eve, `${ACCESS}/roles/reader`, { rules: [{ ...READ, resources: ['*'] }] });
    const pointed = await as(
      eve,
      'PATCH',
      `${ACCESS}/roles/reader`,
      [{ op: 'add', path: '/rules/-', value: DELETE_PERSONS }],
      'application/json-patch+json',
    );
    expect([put.status, patched.status, pointed.status]).toEqual([403, 403, 403]);
    expect((await service.get(ROLES, 'reader')).rules).toEqual([READ]);
    const same = await as(
      eve,
      'PUT',
      `${ACCESS}/roles/reader`,
      role('reader', [{ ...READ, verbs: ['get'] }]),
    );
    expect(same.status).toBe(200);
    expect((await as(admin, 'POST', `${ACCESS}/roles`, role('more', [DELETE_PERSONS]))).status).toBe(201);
  });

  it('counts with the roles that it includes, and with those that are not there', async () => {
    const eve = await userWith('eve', MANAGE, READ);
    await service.create(ROLES, role('middle', [READ], { annotations: { [DEPENDENCIES]: '["admin"]' } }));
    const including = (name: string, ...names: string[]): object =>
      role(name, [], { annotations: { [DEPENDENCIES]: JSON.stringify(names) } });
    for (const [name, included] of [
      ['one', 'admin'],
      ['two', 'middle'],
      ['three', 'missing'],
    ] as const) {
      const answer = await as(eve, 'POST', `${ACCESS}/roles`, including(name, included));
      expect([included, answer.status]).toEqual([included, 403]);
    }
    expect((await as(eve, 'POST', `${ACCESS}/roles`, including('four', 'four', 'eve'))).status).toBe(201);
    const annotated = await merge(eve, `${ACCESS}/roles/four`, {
      metadata: { annotations: { [DEPENDENCIES]: '["admin"]' } },
    });
    expect(annotated.status).toBe(403);
  });

  it('of others with more is not made a template', async () => {
    const eve = await userWith('eve', MANAGE, READ);
    const labels = { 'platform.run/role-template': 'true' };
    expect((await merge(eve, `${ACCESS}/roles/admin`, { metadata: { labels } })).status).toBe(403);
    expect((await merge(eve, `${ACCESS}/roles/eve`, { metadata: { labels } })).status).toBe(200);
  });

  it('with more rights can be written by a user who may escalate roles of that name', async () => {
    const escalate = { ...MANAGE, resources: ['roles'], resourceNames: ['boss'], verbs: ['escalate'] };
    const eve = await userWith('eve', MANAGE, escalate);
    expect((await as(eve, 'POST', `${ACCESS}/roles`, role('boss', [DELETE_PERSONS]))).status).toBe(201);
    expect((await as(eve, 'POST', `${ACCESS}/roles`, role('chief', [DELETE_PERSONS]))).status).toBe(403);
    // To give it is another matter.
    expect((await as(eve, 'POST', `${ACCESS}/rolebindings`, binding('b', 'boss', 'eve'))).status).toBe(403);
  });

  it('with more is refused in a dry run as well', async () => {
    const eve = await userWith('eve', MANAGE, READ);
    expect((await as(eve, 'POST', `${ACCESS}/roles?dryRun=All`, role('x', [DELETE_PERSONS]))).status).toBe(
      403,
    );
    expect((await as(eve, 'POST', `${ACCESS}/roles?dryRun=All`, role('x', [READ]))).status).toBe(201);
    expect(await service.listNames(ROLES)).not.toContain('x');
  });
});

describe('a binding', () => {
  it('gives no role that has more than its writer, nor one that is not there', async () => {
    const eve = await userWith('eve', MANAGE, READ);
    await service.create(ROLES, role('reader', [READ]));
    const post = (name: string, roleName: string): Promise<HttpAnswer> =>
      as(eve, 'POST', `${ACCESS}/rolebindings`, binding(name, roleName, 'eve', 'bob'));
    expect((await post('a', 'admin')).status).toBe(403);
    const missing = await post('b', 'later');
    expect([missing.status, missing.json().message]).toEqual([
      403,
      expect.stringContaining('role "later" does not exist, so its rights are unknown'),
    ]);
    expect((await post('c', 'reader')).status).toBe(201);
    expect((await merge(eve, `${ACCESS}/rolebindings/c`, { roleRef: { name: 'admin' } })).status).toBe(403);
    const [ofAdmin = ''] = (await service.listNames(ROLE_BINDINGS)).filter((name) =>
      name.startsWith('admin'),
    );
    const subjects = [{ kind: 'User', name: 'eve' }];
    expect((await merge(eve, `${ACCESS}/rolebindings/${ofAdmin}`, { subjects })).status).toBe(403);
    expect((await as(eve, 'GET', '/metrics')).status).toBe(403);
  });
});

it('a history needs the right to get that part of the model, and names the writer', async () => {
  const reader = await userWith('eve', READ);
  const auditor = await userWith('ann', {
    apiGroups: [DEMO],
    resources: ['persons', 'persons/history'],
    verbs: ['get', 'create', 'update'],
  });
  await as(auditor, 'POST', PERSONS, person('told', { level: 1 }));
  await as(auditor, 'PUT', `${PERSONS}/told`, person('told', { level: 2 }));
  const refused = await as(reader, 'GET', `${PERSONS}/told/history`);
  expect([refused.status, refused.json().message]).toEqual([
    403,
    expect.stringMatching(
      /may not get persons\/history .*; the role allows persons, and must name persons\/history as well/,
    ),
  ]);
  const { items } = (await as(auditor, 'GET', `${PERSONS}/told/history`)).json();
  expect(items).toMatchObject([
    { user: 'ann', verb: 'update' },
    { user: 'ann', verb: 'create' },
  ]);
  expect((await as('', 'GET', `${PERSONS}/told/history`)).status).toBe(401);
});

it('the history of a model needs the right to list that part of the model', async () => {
  const one = await userWith('eve', {
    apiGroups: [DEMO],
    resources: ['persons', 'persons/history'],
    verbs: ['get', 'create'],
  });
  const named = await userWith('ann', {
    apiGroups: [DEMO],
    resources: ['persons/history'],
    resourceNames: ['told'],
    verbs: ['list', 'get'],
  });
  const all = await userWith('bob', { apiGroups: [DEMO], resources: ['persons/history'], verbs: ['list'] });
  await as(one, 'POST', PERSONS, person('told', { level: 1 }));
  const path = `${PERSONS}/-/history`;
  for (const [token, status] of [
    [one, 403],
    [named, 403],
    [all, 200],
    ['', 401],
  ] as const)
    expect([token, (await as(token, 'GET', path)).status]).toEqual([token, status]);
  expect((await as(all, 'GET', `${path}?limit=1`)).json().items).toMatchObject([
    { name: 'told', user: 'eve' },
  ]);
});

it('the log names the writer', async () => {
  const ann = await userWith('ann', { apiGroups: ['*'], resources: ['*'], verbs: ['*'] });
  const done = await as(ann, 'POST', '/apis/access.platform.run/v1alpha1/users', {
    metadata: { name: 'new' },
  });
  expect(done.status).toBe(201);
  const revision = Number(done.json().metadata.resourceVersion);
  expect(await userInLog(service, revision)).toBe('ann');
  const { metadata } = await service
    .create(USERS, { metadata: { name: 'other' } })
    .then(({ object }) => object);
  expect(await userInLog(service, Number(metadata.resourceVersion))).toBe('');
});

async function userInLog({ store }: Service, revision: number): Promise<string | undefined> {
  const view = store.read();
  try {
    const entry = await view.snapshot.get(logKey(revision));
    return entry && decodeLogEntry(entry).stamp?.user;
  } finally {
    view.close();
  }
}

describe('a group', () => {
  const group = (name: string, roleName: string, ...groups: string[]): Record<string, unknown> => ({
    ...binding(name, roleName),
    subjects: groups.map((one) => ({ kind: 'Group', name: one })),
  });
  const user = (name: string, ...groups: string[]): Record<string, unknown> => ({
    apiVersion: 'access.platform.run/v1alpha1',
    kind: 'User',
    metadata: { name },
    spec: { groups },
  });

  it('gives its roles to its members from the next request on, also where they are named to others', async () => {
    const bob = await userWith('bob');
    await service.create(ROLES, role('reader', [READ]));
    await service.create(ROLE_BINDINGS, group('staff-reads', 'reader', 'staff'));
    expect((await as(bob, 'GET', PERSONS)).status).toBe(403);
    await service.patch(USERS, 'bob', { spec: { groups: ['staff', 'others'] } }, 'merge');
    expect((await as(bob, 'GET', PERSONS)).status).toBe(200);
    const who = await as(bob, 'POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {});
    expect(who.json().status).toEqual({ userInfo: { username: 'bob', groups: ['staff', 'others'] } });
    await service.patch(USERS, 'bob', { spec: { groups: null } }, 'merge');
    expect((await as(bob, 'GET', PERSONS)).status).toBe(403);
  });

  it('gets members only from users who have all its rights, whatever the steps', async () => {
    const eve = await userWith('eve', MANAGE, READ);
    await service.create(ROLES, role('reader', [READ]));
    await service.create(ROLE_BINDINGS, group('staff-reads', 'reader', 'staff'));
    await service.create(ROLE_BINDINGS, group('bosses', 'admin', 'bosses'));
    expect((await as(eve, 'POST', `${ACCESS}/users`, user('one', 'staff', 'unknown'))).status).toBe(201);
    const refused = await as(eve, 'POST', `${ACCESS}/users`, user('two', 'bosses'));
    expect([refused.status, refused.json().message]).toEqual([
      403,
      expect.stringMatching(/may not write users "two": group "bosses" has a role, and role "admin" grants/),
    ]);
    const create = (object: unknown): object => ({ verb: 'create', object });
    const tries: readonly (readonly [string, string, unknown])[] = [
      ['PUT', `${ACCESS}/users/one`, { ...user('one', 'bosses') }],
      ['PATCH', `${ACCESS}/users/eve`, { spec: { groups: ['bosses'] } }],
      ['POST', `${ACCESS}/rolebindings`, group('mine', 'admin', 'staff')],
      ['POST', BATCHES, { items: [create(user('two', 'new')), create(group('mine', 'admin', 'new'))] }],
      ['POST', BATCHES, { items: [create(group('mine', 'admin', 'new')), create(user('two', 'new'))] }],
    ];
    for (const [method, target, body] of tries) {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      expect([target, (await as(eve, method, target, body, type)).status]).toEqual([target, 403]);
    }
    expect(await service.listNames(USERS)).not.toContain('two');
    // A user with the right may do it, and members can be changed in other ways.
    expect((await as(admin, 'POST', `${ACCESS}/users`, user('three', 'bosses'))).status).toBe(201);
    expect((await merge(eve, `${ACCESS}/users/three`, { spec: { displayName: 'Three' } })).status).toBe(200);
    expect((await as(eve, 'POST', `${ACCESS}/tokens`, await tokenObject('t', 'three'))).status).toBe(403);
    expect((await as(eve, 'POST', `${ACCESS}/tokens`, await tokenObject('t', 'one'))).status).toBe(201);
    expect((await merge(eve, `${ACCESS}/users/three`, { spec: { groups: [] } })).status).toBe(200);
  });

  it('counts with the rights of a writer who is a member', async () => {
    const eve = await userWith('eve', MANAGE);
    await service.create(ROLES, role('reader', [READ]));
    await service.create(ROLE_BINDINGS, group('staff-reads', 'reader', 'staff'));
    expect((await as(eve, 'POST', `${ACCESS}/roles`, role('more', [READ]))).status).toBe(403);
    await service.patch(USERS, 'eve', { spec: { groups: ['staff'] } }, 'merge');
    expect((await as(eve, 'POST', `${ACCESS}/roles`, role('more', [READ]))).status).toBe(201);
    // The rights are those before the write, which ends them.
    expect((await merge(eve, `${ACCESS}/users/eve`, { spec: { groups: [] } })).status).toBe(200);
    expect((await as(eve, 'POST', `${ACCESS}/roles`, role('again', [READ]))).status).toBe(403);
  });

  it('is no admin of whom one must stay', async () => {
    await service.create(ROLE_BINDINGS, group('bosses', 'admin', 'bosses'));
    await service.create(USERS, user('boss', 'bosses'));
    const { token } = await issueToken(service, { user: 'boss' }, new Date());
    expect((await as(token, 'DELETE', `${ACCESS}/users/admin`)).status).toBe(403);
  });

  it.each([['system:masters'], [''], ['a', 'a']])('is refused with the names %j', async (...groups) => {
    const answer = await as(admin, 'POST', `${ACCESS}/users`, user('one', ...groups));
    expect([answer.status, answer.json().reason]).toEqual([422, 'Invalid']);
  });
});

describe('a token', () => {
  it('of another user can be created by a user who has all rights of that user', async () => {
    const eve = await userWith('eve', MANAGE, READ);
    await userWith('bob', READ);
    const post = async (letter: string, user: string): Promise<HttpAnswer> =>
      as(eve, 'POST', `${ACCESS}/tokens`, await tokenObject(letter, user));
    expect((await post('a', 'eve')).status).toBe(201);
    expect((await post('b', 'bob')).status).toBe(201);
    const ofAdmin = await post('c', ADMIN);
    expect([ofAdmin.status, ofAdmin.json().message]).toEqual([
      403,
      expect.stringMatching(
        /may not write tokens "c{20}": it belongs to user "admin", and role "admin" grants/,
      ),
    ]);
    const spec = { user: ADMIN, userUID: (await service.get(USERS, ADMIN)).metadata.uid };
    expect((await merge(eve, `${ACCESS}/tokens/${idOf('b')}`, { spec })).status).toBe(403);
    const [known = ''] = await service.listNames(TOKENS, { fieldSelector: 'spec.user=admin' });
    const planted = await merge(eve, `${ACCESS}/tokens/${known}`, { spec: { sha256: '1'.repeat(64) } });
    expect(planted.status).toBe(403);
    expect((await as(eve, 'DELETE', `${ACCESS}/tokens/${idOf('b')}`)).status).toBe(200);
  });
});

describe('a batch', () => {
  it('gives no more than its writer has, in whatever order and by whatever steps', async () => {
    const eve = await userWith('eve', MANAGE, READ);
    const create = (object: object): object => ({ verb: 'create', object });
    const tries: readonly (readonly object[])[] = [
      [create(role('x', [DELETE_PERSONS]))],
      [create(binding('x', 'admin', 'eve'))],
      [
        create(role('x', [])),
        create(binding('x', 'x', 'eve')),
        { verb: 'update', object: role('x', [DELETE_PERSONS]) },
      ],
      [
        create(binding('x', 'x', 'eve')),
        create(role('x', [], { annotations: { [DEPENDENCIES]: '["admin"]' } })),
      ],
      [
        {
          verb: 'patch',
          ...role('eve', []),
          name: 'eve',
          patch: [{ op: 'add', path: '/rules/-', value: DELETE_PERSONS }],
          contentType: 'application/json-patch+json',
        },
      ],
    ];
    for (const items of tries)
      expect([items, (await as(eve, 'POST', BATCHES, { items })).status]).toEqual([items, 403]);
    const fine = [create(binding('x', 'x', 'eve')), create(role('x', [READ]))];
    expect((await as(eve, 'POST', BATCHES, { items: fine })).status).toBe(200);
    expect((await as(eve, 'DELETE', `${PERSONS}/nobody`)).status).toBe(403);
  });
});

describe('the undo of a commit', () => {
  const UNDOS = '/apis/api.platform.run/v1alpha1/undos';

  it('needs the right to each of its writes, and gives no rights that its sender lacks', async () => {
    const eve = await userWith('eve', READ);
    await service.batch([
      { verb: 'create', resource: PERSON, object: person('ada') },
      { verb: 'create', resource: PERSON, object: person('bob') },
    ]);
    const [change] = (await service.history(PERSON, 'ada')).items;
    const revision = change?.resourceVersion ?? '';
    const refused = await as(eve, 'POST', UNDOS, { revision });
    expect([refused.status, refused.json().message]).toEqual([
      403,
      expect.stringContaining('may not delete persons "ada"'),
    ]);
    const del = { ...READ, verbs: ['delete'] };
    await service.create(ROLES, role('deleter', [del]));
    await service.create(ROLE_BINDINGS, binding('deletes', 'deleter', 'eve'));
    const done = await as(eve, 'POST', UNDOS, { revision });
    expect([done.status, done.json().items]).toMatchObject([
      200,
      [
        { verb: 'delete', kind: 'Person', name: 'ada' },
        { verb: 'delete', kind: 'Person', name: 'bob' },
      ],
    ]);
    expect((await service.history(PERSON, 'ada')).items[0]?.user).toBe('eve');
    for (const body of [{}, { revision: 7 }, { revision: '7', force: 'yes' }, 'x'])
      expect((await as(eve, 'POST', UNDOS, body)).status).toBe(400);

    const manager = await userWith('max', MANAGE);
    await service.delete(ROLE_BINDINGS, 'deletes');
    const { resourceVersion } = (await service.list(ROLE_BINDINGS)).metadata;
    const given = await as(manager, 'POST', UNDOS, { revision: resourceVersion });
    expect([given.status, given.json().message]).toEqual([403, expect.stringContaining('deleter')]);
  });
});

describe('the decision about a write', () => {
  it('depends on roles and bindings at the commit', async () => {
    const eve = await userWith('eve', MANAGE, READ);
    await service.create(ROLE_BINDINGS, binding('boss', 'admin', 'eve'));
    expect((await as(eve, 'GET', '/metrics')).status).toBe(200);
    const control = new AccessControl(service);
    let attempts = 0;
    const write = control.admit(
      { user: 'eve', groups: [], rules: [], expiresAt: Infinity },
      async (admission) => {
        // The first finds out that rights are concerned, the second has them as they were a moment ago.
        if (++attempts === 2) await service.delete(ROLE_BINDINGS, 'boss');
        return service.create(ROLE_BINDINGS, binding('again', 'admin', 'eve'), { admission });
      },
    );
    await expect(write).rejects.toMatchObject({ code: 'Forbidden' });
    expect(attempts).toBe(3);
    expect(await service.listNames(ROLE_BINDINGS)).not.toContain('again');
  });

  it('depends on the token when the body has arrived', async () => {
    const { token, id } = await issueToken(service, { user: ADMIN }, new Date());
    const body = JSON.stringify(person('late'));
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
      let text = '';
      socket.on('data', (part) => (text += String(part)));
      socket.on('close', () => resolve(text));
      socket.write(
        `POST ${PERSONS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
      );
      setTimeout(() => void service.delete(TOKENS, id).then(() => socket.write(body.slice(5))), 1_100);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 401/);
    expect(await service.count(PERSON)).toBe(0);
  });

  it('asks for update as well where finalizers are left aside', async () => {
    const remover = await userWith('remover', DELETE_PERSONS);
    const both = await userWith('both', { ...DELETE_PERSONS, verbs: ['delete', 'update'] });
    for (const name of ['ann', 'bob', 'cleo'])
      await service.create(PERSON, person(name, {}, { finalizers: ['example.com/hold'] }));
    const force = '?forceFinalizers=true';
    const refused = await as(remover, 'DELETE', `${PERSONS}/ann${force}`);
    expect([refused.status, refused.json().message]).toEqual([
      403,
      'user "remover" may not update persons "ann" in group "demo.example.com"',
    ]);
    expect((await as(remover, 'DELETE', `${PERSONS}/bob`)).status).toBe(200);
    expect((await as(both, 'DELETE', `${PERSONS}/cleo${force}`)).status).toBe(200);
    expect(await service.listNames(PERSON)).toEqual(['ann', 'bob']);
  });
});

describe('the end of an object', () => {
  it('can be made earlier by a user who may delete it, and later by any writer', async () => {
    const change: AccessRule = { ...DELETE_PERSONS, verbs: ['update', 'patch', 'create', 'get'] };
    const writer = await userWith('writer', change);
    const both = await userWith('both', change, DELETE_PERSONS);
    const ending = (annotations: Record<string, string | null>): object => ({ metadata: { annotations } });
    const created = { metadata: { name: 'own', annotations: { [TTL]: '1h' } }, spec: {} };
    expect((await as(writer, 'POST', PERSONS, created)).status).toBe(201);
    await service.create(PERSON, person('bob'));
    for (const [name, annotations] of [
      ['bob', { [TTL]: '9000h' }],
      ['bob', { [EXPIRES_AT]: '2999-01-01T00:00:00Z' }],
      ['own', { [TTL]: '59m' }],
      ['own', { [EXPIRES_AT]: '2001-01-01T00:00:00Z' }],
    ] as const) {
      const refused = await merge(writer, `${PERSONS}/${name}`, ending(annotations));
      expect([refused.status, refused.json().message]).toEqual([
        403,
        `user "writer" may not change ${EXPIRES_AT} or ${TTL} without the right to delete persons "${name}" in group "demo.example.com"`,
      ]);
    }
    expect((await merge(writer, `${PERSONS}/own`, { spec: { owner: 'x' } })).status).toBe(200);
    expect((await merge(writer, `${PERSONS}/own`, ending({ [TTL]: '2h' }))).status).toBe(200);
    expect((await merge(writer, `${PERSONS}/own`, ending({ [TTL]: null }))).status).toBe(200);
    expect((await merge(both, `${PERSONS}/bob`, ending({ [TTL]: '9000h' }))).status).toBe(200);
  });
});

describe('the owners of an object', () => {
  it('can be changed by a user who may delete it, as it is deleted with them', async () => {
    const change: AccessRule = { ...DELETE_PERSONS, verbs: ['update', 'patch', 'create', 'get'] };
    const writer = await userWith('writer', change);
    const both = await userWith('both', change, DELETE_PERSONS);
    const { object: ann } = await service.create(PERSON, person('ann'));
    const owned = { metadata: { ownerReferences: [ownerReference(ann)] } };
    expect(
      (
        await as(writer, 'POST', PERSONS, {
          ...owned,
          metadata: { ...owned.metadata, name: 'own' },
          spec: {},
        })
      ).status,
    ).toBe(201);
    await service.create(PERSON, person('bob'));
    const refused = await merge(writer, `${PERSONS}/bob`, owned);
    expect([refused.status, refused.json().message]).toEqual([
      403,
      'user "writer" may not change metadata.ownerReferences without the right to delete persons "bob" in group "demo.example.com"',
    ]);
    expect((await merge(writer, `${PERSONS}/own`, { metadata: { ownerReferences: null } })).status).toBe(403);
    expect((await merge(writer, `${PERSONS}/own`, { spec: { owner: 'x' } })).status).toBe(200);
    expect((await merge(both, `${PERSONS}/bob`, owned)).status).toBe(200);
  });

  it('show what they own, with names only for those who may list its model', async () => {
    const ask: AccessRule = {
      apiGroups: ['api.platform.run'],
      resources: ['dependents', 'referrers'],
      verbs: ['list'],
    };
    const [counts, names, none] = [
      await userWith('counts', ask),
      await userWith('names', ask, READ, {
        ...READ,
        apiGroups: ['library.example.com'],
        resources: ['books'],
      }),
      await userWith('none', READ),
    ];
    const { object: ann } = await service.create(PERSON, person('ann'));
    await service.create(PERSON, person('bob', {}, { ownerReferences: [ownerReference(ann)] }));
    await service.create(AUTHOR, named('amy'));
    await service.create(BOOK, named('tale', { author: 'amy' }));
    const owned = '/apis/api.platform.run/v1alpha1/dependents?resource=persons&name=ann';
    const referring = '/apis/api.platform.run/v1alpha1/referrers?resource=authors&name=amy';
    for (const [target, found] of [
      [owned, { plural: 'persons', total: 1, names: ['bob'] }],
      [referring, { plural: 'books', total: 1, names: ['tale'] }],
    ] as const) {
      expect((await as(names, 'GET', target)).json().items[0]).toMatchObject(found);
      expect((await as(admin, 'GET', target)).json().items[0]).toMatchObject(found);
      expect((await as(counts, 'GET', target)).json().items[0]).toMatchObject({ ...found, names: [] });
      expect((await as(none, 'GET', target)).status).toBe(403);
    }
  });

  it('do not take the last admin along', async () => {
    const { object: ann } = await service.create(PERSON, person('ann'));
    await userWith('eve', READ);
    const owned = { metadata: { ownerReferences: [ownerReference(ann)] } };
    for (const name of ['eve', ADMIN]) await service.patch(USERS, name, owned, 'merge');
    await service.delete(PERSON, 'ann');
    const ending = new AbortController();
    const admit: CheckedWrite = (write) => admitted(service, { user: COLLECTOR }, write);
    const running = new Collector(service, SILENT, ending.signal, { admit }).run();
    await expect.poll(() => service.listNames(USERS)).toEqual([ADMIN]);
    ending.abort();
    await running;
    expect((await as(admin, 'GET', PERSONS)).status).toBe(200);
  });
});

describe('wrong credentials', () => {
  it('are answered with 429 when there are too many, which those with a good token do not notice', async () => {
    const tries: HttpAnswer[] = [];
    for (let i = 0; i < 30; i++) tries.push(await as(`xsvc_wrong${i}`, 'GET', PERSONS));
    expect(tries.slice(0, 20).map(({ status }) => status)).toEqual(Array(20).fill(401));
    const last = tries.at(-1);
    expect([last?.status, last?.json().reason]).toEqual([429, 'TooManyRequests']);
    expect(Number(last?.headers['retry-after'])).toBeGreaterThan(0);
    expect((await as(admin, 'GET', PERSONS)).status).toBe(200);
    const fresh = await userWith('fresh', READ);
    expect((await as(fresh, 'GET', PERSONS)).status).toBe(200);
    expect((await as('xsvc_wrong', 'GET', PERSONS)).status).toBe(429);
    // A request without a token is no guess.
    const port = Number(new URL(server.url).port);
    for (let i = 0; i < 3; i++) expect((await sendHttp(agent, port, 'GET', PERSONS, {})).status).toBe(401);
  });
});

describe('the last admin', () => {
  /** All ways to take a single admin away, each as a request. */
  async function ways(): Promise<readonly (readonly [string, string, unknown?])[]> {
    const [given = ''] = (await service.listNames(ROLE_BINDINGS)).filter((name) => name.startsWith('admin'));
    const less = [{ apiGroups: ['*'], resources: ['*'], verbs: ['get'] }];
    const user = { apiVersion: 'access.platform.run/v1alpha1', kind: 'User' };
    return [
      ['DELETE', `${ACCESS}/users/admin`],
      ['PATCH', `${ACCESS}/users/admin`, { spec: { disabled: true } }],
      ['PUT', `${ACCESS}/users/admin`, { spec: { disabled: true } }],
      ['DELETE', `${ACCESS}/rolebindings/${given}`],
      ['PATCH', `${ACCESS}/rolebindings/${given}`, { subjects: [] }],
      ['PATCH', `${ACCESS}/rolebindings/${given}`, { subjects: [{ kind: 'User', name: 'nobody' }] }],
      ['PATCH', `${ACCESS}/rolebindings/${given}`, { roleRef: { name: 'less' } }],
      ['DELETE', `${ACCESS}/roles/admin`],
      ['PATCH', `${ACCESS}/roles/admin`, { rules: less }],
      ['POST', BATCHES, { items: [{ verb: 'delete', ...user, name: 'admin' }] }],
      [
        'POST',
        BATCHES,
        {
          items: [
            { verb: 'delete', ...user, name: 'admin' },
            { verb: 'create', object: { ...user, metadata: { name: 'admin' } } },
          ],
        },
      ],
    ];
  }

  const send = (method: string, target: string, body?: unknown): Promise<HttpAnswer> =>
    as(admin, method, target, body, method === 'PATCH' ? 'application/merge-patch+json' : 'application/json');

  it('cannot be removed in any way, also in a dry run; the error says how to proceed', async () => {
    await service.create(ROLES, role('less', []));
    for (const way of await ways()) {
      for (const dryRun of ['', '?dryRun=All']) {
        const answer = await send(way[0], `${way[1]}${dryRun}`, way[2]);
        expect([way, answer.status, answer.json().message]).toEqual([
          way,
          403,
          expect.stringMatching(/remove the last administrator.*xsvc token create/),
        ]);
      }
    }
    expect((await as(admin, 'GET', PERSONS)).status).toBe(200);
  });

  it('has a valid token and is not disabled; roles that include others count', async () => {
    const stays = async (): Promise<number> =>
      (await send('DELETE', `${ACCESS}/users/admin?dryRun=All`)).status;
    await service.create(USERS, { metadata: { name: 'second' } });
    await service.create(ROLES, role('chief', [], { annotations: { [DEPENDENCIES]: '["admin"]' } }));
    await service.create(ROLE_BINDINGS, binding('second', 'chief', 'second'));
    expect(await stays()).toBe(403);
    await issueToken(service, { user: 'second', ttlMs: 1 }, new Date());
    expect(await stays()).toBe(403);
    await issueToken(service, { user: 'second', ttlMs: 60_000 }, new Date());
    expect(await stays()).toBe(200);
    await service.patch(USERS, 'second', { spec: { disabled: true } }, 'merge');
    expect(await stays()).toBe(403);
    await service.patch(USERS, 'second', { spec: { disabled: false } }, 'merge');
    await service.patch(USERS, 'second', { metadata: { finalizers: ['example.com/hold'] } }, 'merge');
    await service.delete(USERS, 'second');
    expect(await stays()).toBe(403);
  });

  it('may go when there is another, and tokens may always', async () => {
    const second = (await issueToken(service, { user: 'second', role: 'admin' }, new Date())).token;
    expect((await send('DELETE', `${ACCESS}/users/admin`)).status).toBe(200);
    expect((await as(admin, 'GET', PERSONS)).status).toBe(401);
    const last = await as(second, 'DELETE', `${ACCESS}/users/second`);
    expect(last.status).toBe(403);
    const id = second.split('_')[1] ?? '';
    expect((await as(second, 'DELETE', `${ACCESS}/tokens/${id}`)).status).toBe(200);
    expect((await as(second, 'GET', PERSONS)).status).toBe(401);
  });

  it('hinders no other write, and none where there is no admin', async () => {
    const manager = await userWith('manager', MANAGE);
    await service.create(USERS, { metadata: { name: 'bob' } });
    expect((await merge(manager, `${ACCESS}/users/bob`, { spec: { disabled: true } })).status).toBe(200);
    await service.delete(ROLES, 'admin');
    expect((await as(manager, 'DELETE', `${ACCESS}/users/bob`)).status).toBe(200);
    expect((await as(manager, 'DELETE', `${ACCESS}/users/admin`)).status).toBe(200);
  });
});

describe('the list of changed models', () => {
  const CHANGED = '/apis/api.platform.run/v1alpha1/models?changedAfter=0';
  const MODELS: AccessRule = { apiGroups: ['api.platform.run'], resources: ['models'], verbs: ['list'] };
  const reported = async (token: string): Promise<unknown[]> =>
    (await as(token, 'GET', CHANGED)).json().items.map(({ plural }) => plural);

  it('has those alone that its reader may list', async () => {
    await service.create(PERSON, person('ann'));
    const all = await reported(admin);
    expect(all).toContain('persons');
    expect(all).toContain('tokens');
    expect(await reported(await userWith('reads', MODELS, READ))).toEqual(['persons']);
    expect(await reported(await userWith('reads-one', MODELS, { ...READ, resourceNames: ['ann'] }))).toEqual(
      [],
    );
    expect(await reported(await userWith('writes', MODELS, DELETE_PERSONS))).toEqual([]);
    expect((await as(await userWith('knows-none', READ), 'GET', CHANGED)).status).toBe(403);
  });
});

describe('an open watch', () => {
  const open = async (token: string, path: string, accept?: string): Promise<OpenStream> => {
    const headers = { authorization: `Bearer ${token}`, ...(accept && { accept }) };
    const stream = await openStream(`${server.url}${path}watch=true`, headers);
    streams.push(stream);
    return stream;
  };
  const GONE: readonly (readonly [string, number, (id: string) => Promise<unknown>])[] = [
    ['the token is gone', 401, (id) => service.delete(TOKENS, id)],
    ['the user is gone', 401, () => service.delete(USERS, 'eve')],
    ['the user is disabled', 401, () => service.patch(USERS, 'eve', { spec: { disabled: true } }, 'merge')],
    ['the role is gone', 403, () => service.delete(ROLES, 'eve')],
    ['the role allows less', 403, () => service.patch(ROLES, 'eve', { rules: [] }, 'merge')],
    [
      'the binding is gone',
      403,
      async () => {
        const names = await service.listNames(ROLE_BINDINGS);
        await service.delete(ROLE_BINDINGS, names.find((name) => name.startsWith('eve')) ?? '');
      },
    ],
  ];

  it.each(GONE)('ends with an ERROR event when %s', async (_what, code, takeAway) => {
    const eve = await userWith('eve', READ);
    const opened = [
      await open(eve, `${PERSONS}?`),
      await open(eve, `${PERSONS}/ann?`),
      await open(eve, `${PERSONS}?`, 'text/event-stream'),
      await open(eve, `${PERSONS}/ann?`, 'text/event-stream'),
      await open(eve, `${PERSONS}?`, 'application/json;as=Table;v=v1;g=meta.k8s.io'),
    ];
    const other = await open(admin, `${PERSONS}?`);
    await service.create(PERSON, person('ann'));
    for (const stream of opened) await stream.take(1);
    await takeAway(eve.split('_')[1] ?? '');
    for (const stream of opened) {
      expect(await stream.ended).toBe(true);
      expect(stream.events().at(-1)).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code } });
    }
    await service.create(PERSON, person('bob'));
    expect((await other.take(2)).map(({ type }) => type)).toEqual(['ADDED', 'ADDED']);
  });

  it('ends when its token expires, though nothing else happens', async () => {
    await userWith('eve', READ);
    const { token } = await issueToken(service, { user: 'eve', ttlMs: 600_000 }, new Date());
    const stream = await open(token, `${PERSONS}?`);
    aheadMs = 600_000;
    expect(await stream.ended).toBe(true);
    expect(stream.events()).toMatchObject([
      { type: 'ERROR', object: { code: 401, message: 'the token has expired' } },
    ]);
  });

  it('is cut off when it does not take its end either', async () => {
    const eve = await userWith('eve', READ);
    const stream = await open(eve, `${PERSONS}?`);
    stream.pause();
    const owner = 'x'.repeat(500_000);
    // More than the buffers of the connection take.
    for (let i = 0; i < 40; i++) await service.create(PERSON, person(`p${i}`, { owner }));
    await service.delete(USERS, 'eve');
    // Written when the answer is over, which the server cannot bring to its end.
    await expect.poll(() => accessLog.filter(({ user }) => user === 'eve')).toHaveLength(1);
    stream.resume();
    expect(await stream.ended).toBe(false);
  });
});

describe('the access log', () => {
  it('names the refused user, and nobody for wrong credentials', async () => {
    const eve = await userWith('eve', READ);
    expect((await as(eve, 'DELETE', `${PERSONS}/ann`)).status).toBe(403);
    expect((await as('wrong', 'GET', PERSONS)).status).toBe(401);
    expect((await fetch(server.url + PERSONS)).status).toBe(401);
    await expect
      .poll(() => accessLog.map(({ user, code }) => [user, code]))
      .toEqual([
        ['eve', 403],
        [null, 401],
        [null, 401],
      ]);
  });
});

describe('an answer that follows references', () => {
  const LIBRARY = 'library.example.com';
  const BOOKS = `/apis/${LIBRARY}/v1/books`;
  const may = (
    resources: string,
    verbs: readonly string[],
    resourceNames: readonly string[] = [],
  ): AccessRule => ({
    apiGroups: [LIBRARY],
    resources: [resources],
    verbs,
    ...(resourceNames.length > 0 && { resourceNames }),
  });
  const names = (answer: HttpAnswer): unknown =>
    Object.fromEntries(
      Object.entries(answer.json().included as Record<string, object>).map(([model, objects]) => [
        model.split('.')[0],
        Object.keys(objects),
      ]),
    );

  beforeEach(async () => {
    for (const name of ['ann', 'bob']) await service.create(AUTHOR, named(name));
    await service.create(BOOK, named('one', { author: 'ann', readers: ['bob'] }));
    await service.create(BOOK, named('two', { author: 'bob', sequelOf: 'one' }));
  });

  it('has only what its sender may get, and follows nothing else', async () => {
    const all = 'expand=spec.author,spec.readers,spec.sequelOf->spec.author';
    const read = ['get', 'list'];
    const expected: readonly (readonly [token: string, one: object, two: object])[] = [
      [admin, { authors: ['ann', 'bob'] }, { authors: ['bob', 'ann'], books: ['one'] }],
      [await userWith('books', may('books', read)), {}, { books: ['one'] }],
      [
        await userWith('ann', may('books', read), may('authors', ['get'], ['ann'])),
        { authors: ['ann'] },
        { authors: ['ann'], books: ['one'] },
      ],
      [await userWith('lists', may('books', read), may('authors', ['list'])), {}, { books: ['one'] }],
      // Without the book on the way, its author is not found.
      [
        await userWith('two', may('books', ['get'], ['two']), may('books', ['list']), may('authors', read)),
        { authors: ['ann', 'bob'] },
        { authors: ['bob'] },
      ],
    ];
    for (const [token, one, two] of expected) {
      const got = await as(token, 'GET', `${BOOKS}/two?${all}`);
      expect([got.status, names(got)]).toEqual([200, two]);
      const listed = await as(token, 'GET', `${BOOKS}?${all}&fieldSelector=name%3Done`);
      expect([listed.status, names(listed)]).toEqual([200, one]);
    }
    const refused = await as(expected[4]?.[0] ?? '', 'GET', `${BOOKS}/one?${all}`);
    expect(refused.status).toBe(403);
  });

  it('is not refused for many objects that its sender may not get', async () => {
    const readers = Array.from({ length: 1_001 }, (_, i) => `r${i}`);
    await service.batch(readers.map((name) => ({ verb: 'create', resource: AUTHOR, object: named(name) })));
    await service.create(BOOK, named('three', { readers }));
    const token = await userWith('books', may('books', ['get']), may('authors', ['get'], ['r7']));
    const got = await as(token, 'GET', `${BOOKS}/three?expand=spec.readers`);
    expect([got.status, names(got)]).toEqual([200, { authors: ['r7'] }]);
    expect((await as(admin, 'GET', `${BOOKS}/three?expand=spec.readers`)).status).toBe(400);
  });

  it('has another tag for a sender who may get something else', async () => {
    const token = await userWith('books', may('books', ['get', 'list']));
    for (const path of [`${BOOKS}/one?expand=spec.author`, `${BOOKS}?expand=spec.author`]) {
      const tags = [await as(admin, 'GET', path), await as(token, 'GET', path)].map(
        ({ headers }) => headers.etag,
      );
      expect(new Set(tags).size).toBe(2);
    }
  });
});
