import { Agent, request } from 'node:http';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AccessControl } from '../../src/access/control.js';
import { issueToken, makeFirstUser } from '../../src/access/issue.js';
import { openAccessModels, ROLE_BINDINGS, ROLES, USERS } from '../../src/access/models.js';
import type { AccessRule } from '../../src/access/rules.js';
import { createExpressApp } from '../../src/http/express-app.js';
import { listen, type RunningServer } from '../../src/http/server.js';
import { SILENT } from '../../src/lib/log/logger.js';
import type { Service } from '../../src/service/service.js';
import { fieldsOf, openTestAudit, type TestAudit } from '../helpers/audit.js';
import { senderAs, sendHttp, type HttpAnswer } from '../helpers/http.js';
import { PERSON, registerModels } from '../helpers/models.js';
import { openTestService, removeDirectories, type TestService } from '../helpers/store.js';
import { openStream } from '../helpers/watching.js';
import { person } from '../suites/verbs-helpers.js';

const PERSONS = '/apis/demo.example.com/v1/persons';
const BATCHES = '/apis/api.platform.run/v1alpha1/batches';
const REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const DEMO = 'demo.example.com';
const SUBJECT = { group: DEMO, version: 'v1', resource: 'persons' };
const FROM_CLIENT = { via: 'http', source: '127.0.0.1' };

let audit: TestAudit;
let t: TestService;
let service: Service;
let server: RunningServer;
let agent: Agent;
let admin: string;

interface Given {
  readonly auditReads?: boolean;
  /** Default true. */
  readonly hasUsers?: boolean;
}

async function open({ auditReads = false, hasUsers = true }: Given = {}): Promise<void> {
  audit = openTestAudit();
  t = await openTestService(undefined, {}, { audit: audit.log });
  ({ service } = t);
  await openAccessModels(service.models, t.registry);
  await registerModels(t);
  admin = (await makeFirstUser(service)) ?? '';
  const app = createExpressApp({
    service,
    audit: audit.log,
    auditReads,
    ...(hasUsers && { access: new AccessControl(service) }),
    models: service.models,
    logger: SILENT,
    bodyBytesMax: 10_000,
    loopbackOnly: true,
    version: '0.1.0',
    mcp: 'write',
  });
  server = await listen(app, { host: '127.0.0.1', port: 0 });
  agent = new Agent({ keepAlive: true });
  audit.next();
}

async function close(): Promise<void> {
  agent.destroy();
  await server.close(0);
  await t.close();
  audit.target.close();
}

const reopen = async (given: Given): Promise<void> => {
  await close();
  await open(given);
};

beforeEach(() => open());
afterEach(close);
afterAll(removeDirectories);

const as = senderAs(() => ({ agent, server }));
const port = (): number => Number(new URL(server.url).port);
const send = (
  method: string,
  target: string,
  given: Parameters<typeof sendHttp>[4] = {},
): Promise<HttpAnswer> => sendHttp(agent, port(), method, target, given);

/** A token of a new user with these rules, who is in the group `staff`. */
async function userWith(user: string, ...rules: readonly AccessRule[]): Promise<string> {
  await service.create(USERS, { metadata: { name: user }, spec: { groups: ['staff'] } });
  await service.create(ROLES, { metadata: { name: user }, rules });
  await service.create(ROLE_BINDINGS, {
    metadata: { name: user },
    roleRef: { kind: 'Role', name: user },
    subjects: [{ kind: 'User', name: user }],
  });
  const { token } = await issueToken(service, { user }, new Date());
  audit.next();
  return token;
}

const READ: AccessRule = { apiGroups: [DEMO], resources: ['persons'], verbs: ['get', 'list', 'watch'] };

describe('a write', () => {
  it('has its line with user, groups and address when the answer arrives', async () => {
    const ann = await userWith('ann', { apiGroups: ['*'], resources: ['*'], verbs: ['*'] });
    const { metadata } = (await as(ann, 'POST', PERSONS, person('ada'))).json();
    const [line, ...others] = audit.next();
    expect([{ ...line, time: '' }, others]).toEqual([
      {
        time: '',
        user: 'ann',
        groups: ['staff'],
        ...FROM_CLIENT,
        verb: 'create',
        ...SUBJECT,
        name: 'ada',
        code: 201,
        revision: metadata.resourceVersion,
      },
      [],
    ]);
    await as(ann, 'PATCH', `${PERSONS}/ada/status`, { status: {} }, 'application/merge-patch+json');
    await as(ann, 'DELETE', `${PERSONS}/ada?fieldValidation=Strict`);
    expect(fieldsOf(audit.next(), 'user', 'verb', 'name', 'subresource', 'code')).toEqual([
      ['ann', 'patch', 'ada', 'status', 200],
      ['ann', 'delete', 'ada', undefined, 200],
    ]);
  });

  it('has one line when it fails, wherever that happens', async () => {
    await as(admin, 'POST', PERSONS, person('ada'));
    audit.next();
    const answers = [
      await as(admin, 'POST', PERSONS, person('ada')),
      await as(admin, 'POST', PERSONS, '{not JSON'),
      await as(admin, 'POST', PERSONS, 'text', 'text/plain'),
      await as(admin, 'POST', PERSONS, { spec: 'x'.repeat(20_000) }),
      await as(admin, 'PUT', `${PERSONS}/ada%0Aeve`, person('ada')),
      await as(admin, 'PUT', `${PERSONS}/ada?dryRun=some`, person('ada')),
      await as(admin, 'DELETE', PERSONS),
      await as(admin, 'PUT', `/apis/${DEMO}/v1/nothing/ada`, {}),
      await as(admin, 'POST', '/nowhere', {}),
    ];
    const lines = audit.next();
    expect(lines.map(({ code }) => code)).toEqual(answers.map(({ status }) => status));
    expect(lines.map(({ user }) => user)).toEqual(answers.map(() => 'admin'));
    expect(fieldsOf(lines, 'verb', 'resource', 'name', 'path', 'code', 'reason')).toEqual([
      ['create', 'persons', 'ada', undefined, 409, 'AlreadyExists'],
      ['create', 'persons', undefined, undefined, 400, 'BadRequest'],
      ['create', 'persons', undefined, undefined, 415, 'UnsupportedMediaType'],
      ['create', 'persons', undefined, undefined, 413, 'RequestEntityTooLarge'],
      ['update', 'persons', 'ada\neve', undefined, answers[4]?.status, answers[4]?.json().reason],
      ['update', 'persons', 'ada', undefined, 400, 'BadRequest'],
      ['delete', 'persons', undefined, undefined, 405, 'MethodNotAllowed'],
      ['update', 'nothing', 'ada', undefined, 404, 'NotFound'],
      ['post', undefined, undefined, '/nowhere', 404, 'NotFound'],
    ]);
  });

  it('that was cut off has a line with code 499', async () => {
    const body = request({
      port: port(),
      host: '127.0.0.1',
      method: 'POST',
      path: PERSONS,
      headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json', 'content-length': 99 },
    });
    body.on('error', () => undefined);
    body.write('{');
    await expect.poll(() => body.socket?.bytesWritten ?? 0).toBeGreaterThan(0);
    // The next request shows that the head has arrived.
    await send('GET', '/livez');
    body.destroy();
    const found: unknown[] = [];
    await expect
      .poll(() => found.push(...fieldsOf(audit.next(), 'verb', 'resource', 'code')) && found)
      .toEqual([['create', 'persons', 499]]);
  });

  it('has no line as a dry run that is allowed', async () => {
    const answers = [
      await as(admin, 'POST', `${PERSONS}?dryRun=All`, person('ada')),
      await as(admin, 'POST', `${BATCHES}?dryRun=All`, { items: [{ verb: 'create', object: draft('ada') }] }),
      await as(admin, 'DELETE', `${PERSONS}/ada?dryRun=All`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 404]);
    expect(audit.next()).toEqual([]);
    const ann = await userWith('ann', READ);
    await as(ann, 'POST', `${PERSONS}?dryRun=All`, person('ada'));
    expect(fieldsOf(audit.next(), 'user', 'verb', 'code')).toEqual([['ann', 'create', 403]]);
  });
});

const draft = (name: string) => ({ apiVersion: `${DEMO}/v1`, kind: 'Person', ...person(name) });

describe('a batch', () => {
  it('has a line for each item, and none for itself', async () => {
    const items = [
      { verb: 'create', object: draft('ada') },
      { verb: 'create', object: draft('bob') },
      { verb: 'delete', apiVersion: `${DEMO}/v1`, kind: 'Person', name: 'ada' },
    ];
    await as(admin, 'POST', BATCHES, { items });
    expect(fieldsOf(audit.next(), 'user', 'via', 'source', 'verb', 'name', 'code')).toEqual([
      ['admin', 'http', '127.0.0.1', 'create', 'ada', 201],
      ['admin', 'http', '127.0.0.1', 'create', 'bob', 201],
      ['admin', 'http', '127.0.0.1', 'delete', 'ada', 200],
    ]);
  });

  it('that is refused has a line with the item that may not be written', async () => {
    const ann = await userWith('ann', { ...READ, verbs: ['create'] });
    const items = [
      { verb: 'create', object: draft('ada') },
      { verb: 'delete', apiVersion: `${DEMO}/v1`, kind: 'Person', name: 'bob' },
    ];
    const { status } = await as(ann, 'POST', BATCHES, { items });
    expect(status).toBe(403);
    expect(fieldsOf(audit.next(), 'user', 'verb', 'version', 'resource', 'name', 'code', 'reason')).toEqual([
      ['ann', 'delete', 'v1', 'persons', 'bob', 403, 'Forbidden'],
    ]);
  });

  it('that cannot be read has one line', async () => {
    await as(admin, 'POST', BATCHES, { items: 'none' });
    await as(admin, 'POST', BATCHES, '{');
    expect(fieldsOf(audit.next(), 'verb', 'path', 'code')).toEqual([
      ['create', BATCHES, 400],
      ['create', BATCHES, 400],
    ]);
  });
});

describe('the undo of a commit', () => {
  const UNDOS = '/apis/api.platform.run/v1alpha1/undos';

  it('has a line for each object, with the verb of its effect', async () => {
    const { metadata } = (await as(admin, 'POST', PERSONS, person('ada'))).json();
    audit.next();
    expect((await as(admin, 'POST', UNDOS, { revision: metadata.resourceVersion })).status).toBe(200);
    expect(fieldsOf(audit.next(), 'user', 'via', 'source', 'verb', 'name', 'code')).toEqual([
      ['admin', 'http', '127.0.0.1', 'delete', 'ada', 200],
    ]);
  });

  it('that fails has a line, with the object that may not be written', async () => {
    const { metadata } = (await as(admin, 'POST', PERSONS, person('ada'))).json();
    const ann = await userWith('ann', READ);
    await as(admin, 'POST', UNDOS, { revision: '9999999' });
    await as(ann, 'POST', UNDOS, { revision: metadata.resourceVersion });
    expect(fieldsOf(audit.next(), 'user', 'verb', 'resource', 'name', 'path', 'code')).toEqual([
      ['admin', 'create', undefined, undefined, UNDOS, 400],
      ['ann', 'delete', 'persons', 'ada', undefined, 403],
    ]);
  });
});

describe('an agent', () => {
  const PERSON_OF = { group: DEMO, version: 'v1', resource: 'persons' };
  const items = [{ verb: 'create', model: 'persons', object: person('ada') }];
  const call = async (token: string, name: string, args: object): Promise<Record<string, string>> => {
    const params = { name, arguments: args };
    const answer = await as(token, 'POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const { result } = answer.json() as unknown as { result: { structuredContent: Record<string, string> } };
    return result.structuredContent;
  };

  it('has the lines of its writes, and of those that fail before their objects are known', async () => {
    const { plan } = await call(admin, 'plan', { items });
    expect(audit.next()).toEqual([]);
    const { revision } = await call(admin, 'apply', { plan });
    await call(admin, 'apply', { plan });
    await call(admin, 'undo', { revision: '999999' });
    await call(admin, 'undo', { revision });
    expect(fieldsOf(audit.next(), 'user', 'via', 'source', 'verb', 'name', 'path', 'code')).toEqual([
      ['admin', 'mcp', '127.0.0.1', 'create', 'ada', undefined, 201],
      ['admin', 'mcp', '127.0.0.1', 'create', undefined, '/mcp', 409],
      ['admin', 'mcp', '127.0.0.1', 'create', undefined, '/mcp', 400],
      ['admin', 'mcp', '127.0.0.1', 'delete', 'ada', undefined, 200],
    ]);
  });

  it('has a line for each refusal, with its code, and none for what it only looks for', async () => {
    const { metadata } = (await as(admin, 'POST', PERSONS, person('ada'))).json();
    const ann = await userWith('ann', { ...READ, verbs: ['get'] });
    await call(ann, 'models', {});
    await call(ann, 'get', { model: 'persons', name: 'ada' });
    expect(audit.next()).toEqual([]);
    await call(ann, 'list', { model: 'persons' });
    await call(ann, 'history', { model: 'persons', name: 'ada' });
    await call(ann, 'plan', { items: [{ verb: 'delete', model: 'persons', name: 'ada' }] });
    await call(ann, 'undo', { revision: metadata.resourceVersion });
    const refused = {
      user: 'ann',
      groups: ['staff'],
      ...FROM_CLIENT,
      via: 'mcp',
      code: 403,
      reason: 'Forbidden',
    };
    expect(audit.next()).toMatchObject([
      { ...refused, ...PERSON_OF, verb: 'list' },
      { ...refused, ...PERSON_OF, verb: 'get', name: 'ada', subresource: 'history' },
      { ...refused, ...PERSON_OF, verb: 'delete', name: 'ada' },
      { ...refused, ...PERSON_OF, verb: 'delete', name: 'ada' },
    ]);
  });

  it('has a line for each read, where reads have lines', async () => {
    await reopen({ auditReads: true });
    await as(admin, 'POST', PERSONS, person('ada'));
    audit.next();
    await call(admin, 'get', { model: 'persons', name: 'ada' });
    await call(admin, 'get', { model: 'persons', name: 'bob' });
    await call(admin, 'list', { model: 'persons', sort: 'unknown' });
    await call(admin, 'list', { model: 'persons' });
    expect(fieldsOf(audit.next(), 'user', 'via', 'verb', 'name', 'code', 'reason')).toEqual([
      ['admin', 'mcp', 'get', 'ada', 200, undefined],
      ['admin', 'mcp', 'get', 'bob', 404, 'NotFound'],
      ['admin', 'mcp', 'list', undefined, 400, 'BadRequest'],
      ['admin', 'mcp', 'list', undefined, 200, undefined],
    ]);
  });
});

describe('a refusal', () => {
  it('has a line, also of a read, and says who was refused', async () => {
    const ann = await userWith('ann', { ...READ, verbs: ['get'] });
    const answers = [
      await as(ann, 'GET', PERSONS),
      await as(ann, 'GET', `${PERSONS}?watch=true`),
      await as(ann, 'DELETE', `${PERSONS}/ada`),
      await as(ann, 'GET', '/metrics'),
      await send('GET', PERSONS),
      await send('POST', REVIEWS, { body: {} }),
      await as('xsvc_wrong', 'GET', `${PERSONS}/ada/history`),
      await as(admin, 'GET', PERSONS, undefined, undefined),
      await send('GET', PERSONS, {
        headers: { authorization: `Bearer ${admin}`, 'impersonate-user': 'eve' },
      }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 401, 401, 401, 200, 403]);
    const lines = audit.next();
    expect(fieldsOf(lines, 'user', 'groups', 'verb', 'resource', 'name', 'path', 'code', 'reason')).toEqual([
      ['ann', ['staff'], 'list', 'persons', undefined, undefined, 403, 'Forbidden'],
      ['ann', ['staff'], 'watch', 'persons', undefined, undefined, 403, 'Forbidden'],
      ['ann', ['staff'], 'delete', 'persons', 'ada', undefined, 403, 'Forbidden'],
      ['ann', ['staff'], 'get', undefined, undefined, '/metrics', 403, 'Forbidden'],
      ['system:anonymous', [], 'list', 'persons', undefined, undefined, 401, 'Unauthorized'],
      ['system:anonymous', [], 'create', undefined, undefined, REVIEWS, 401, 'Unauthorized'],
      [undefined, undefined, 'get', 'persons', 'ada', undefined, 401, 'Unauthorized'],
      ['admin', [], 'list', 'persons', undefined, undefined, 403, 'Forbidden'],
    ]);
    expect(lines[6]?.subresource).toBe('history');
    for (const line of lines) expect(line).toMatchObject(FROM_CLIENT);
  });

  it('by the rules of a commit has the line of the write', async () => {
    const role = { apiVersion: 'access.platform.run/v1alpha1', kind: 'Role', metadata: { name: 'more' } };
    const ann = await userWith('ann', {
      apiGroups: ['access.platform.run'],
      resources: ['roles'],
      verbs: ['create'],
    });
    const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
    const target = '/apis/access.platform.run/v1alpha1/roles';
    expect((await as(ann, 'POST', target, { ...role, rules })).status).toBe(403);
    expect(fieldsOf(audit.next(), 'user', 'verb', 'resource', 'name', 'code')).toEqual([
      ['ann', 'create', 'roles', 'more', 403],
    ]);
  });

  it('of a web page has a line without a user', async () => {
    const headers = { authorization: `Bearer ${admin}`, origin: 'http://evil.example.com' };
    const answers = [
      await send('POST', PERSONS, { headers, body: person('ada') }),
      await send('GET', PERSONS, { headers: { host: 'evil.example.com' } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403]);
    expect(fieldsOf(audit.next(), 'user', 'verb', 'resource', 'code')).toEqual([
      [undefined, 'create', 'persons', 403],
      [undefined, 'list', 'persons', 403],
    ]);
  });

  it('of too many wrong credentials has no more lines than refusals', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 30; i++) statuses.push((await as('xsvc_wrong', 'GET', PERSONS)).status);
    expect(audit.next()).toHaveLength(statuses.filter((status) => status === 401).length);
    expect(statuses).toContain(429);
  });
});

describe('reads', () => {
  it('have no lines by default', async () => {
    await as(admin, 'GET', PERSONS);
    await as(admin, 'GET', `${PERSONS}/nobody`);
    await as(admin, 'POST', REVIEWS, {});
    expect(audit.next()).toEqual([]);
  });

  it('have lines on request, except of what everybody may read', async () => {
    await reopen({ auditReads: true });
    await service.create(PERSON, person('ada'));
    audit.next();
    await as(admin, 'GET', `${PERSONS}?labelSelector=a%3DSECRET`);
    await as(admin, 'GET', `${PERSONS}/ada`);
    await as(admin, 'HEAD', `${PERSONS}/ada`);
    await as(admin, 'GET', `${PERSONS}/ada/history?limit=1`);
    await as(admin, 'GET', `${PERSONS}/-/history`);
    await as(admin, 'GET', `${PERSONS}/nobody`);
    await as(admin, 'GET', '/metrics');
    await as(admin, 'GET', '/apis');
    await send('GET', '/livez');
    await send('GET', '/console/');
    const lines = audit.next();
    expect(fieldsOf(lines, 'user', 'verb', 'name', 'subresource', 'path', 'code')).toEqual([
      ['admin', 'list', undefined, undefined, undefined, 200],
      ['admin', 'get', 'ada', undefined, undefined, 200],
      ['admin', 'get', 'ada', undefined, undefined, 200],
      ['admin', 'get', 'ada', 'history', undefined, 200],
      ['admin', 'list', undefined, 'history', undefined, 200],
      ['admin', 'get', 'nobody', undefined, undefined, 404],
      ['admin', 'get', undefined, undefined, '/metrics', 200],
      ['admin', 'get', undefined, undefined, '/apis', 200],
    ]);
    expect(JSON.stringify(lines)).not.toContain('SECRET');
  });

  it('that are watches have a line when they begin', async () => {
    await reopen({ auditReads: true });
    const stream = await openStream(`${server.url}${PERSONS}?watch=true`, {
      authorization: `Bearer ${admin}`,
    });
    expect(fieldsOf(audit.next(), 'verb', 'resource', 'code')).toEqual([['watch', 'persons', 200]]);
    stream.destroy();
    await expect.poll(() => service.hub.subscribers).toBe(0);
    expect(audit.next()).toEqual([]);
  });
});

it('without users, lines have no user and no groups', async () => {
  await reopen({ hasUsers: false });
  await send('POST', PERSONS, { body: person('ada') });
  await send('POST', PERSONS, { body: '{' });
  const lines = audit.next();
  expect(lines.map(({ code }) => code)).toEqual([201, 400]);
  for (const line of lines) expect(Object.keys(line)).not.toEqual(expect.arrayContaining(['user']));
});

it('no line has a token, a query or a part of a body', async () => {
  await as(admin, 'POST', `${PERSONS}?pretty=SECRET`, person('ada', { owner: 'SECRET' }));
  await as(admin, 'POST', `${PERSONS}?pretty=SECRET`, '{"SECRET');
  await as('xsvc_SECRET', 'GET', `${PERSONS}?ticket=SECRET`);
  await send('GET', `/nowhere?token=SECRET`);
  const text = JSON.stringify(audit.next());
  expect(text).not.toContain('SECRET');
  expect(text).not.toContain(admin);
});

it('another part of the service can record a sign-in', async () => {
  await audit.log.record({ user: 'ann', via: 'http', source: '192.0.2.7', verb: 'signin', code: 200 });
  expect(fieldsOf(audit.next(), 'user', 'via', 'verb', 'code')).toEqual([['ann', 'http', 'signin', 200]]);
});
