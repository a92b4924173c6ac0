import { Agent, request } from 'node:http';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AccessControl } from '../../src/access/control.js';
import { issueToken, makeFirstUser } from '../../src/access/issue.js';
import { openAccessModels, ROLES } from '../../src/access/models.js';
import type { AccessRule } from '../../src/access/rules.js';
import { createExpressApp } from '../../src/http/express-app.js';
import { MODEL_PLANS } from '../../src/http/platform/plans/model-plans.js';
import type { MakePlan, PlanDefinition } from '../../src/http/platform/platform.js';
import { listen, type RunningServer } from '../../src/http/server.js';
import { STORED_VERSIONS } from '../../src/http/platform/stored-versions.js';
import { openViewModel, VIEWS } from '../../src/views/model.js';
import { openWebhookModel } from '../../src/webhooks/model.js';
import { WEBHOOKS } from '../../src/webhooks/webhook.js';
import { SILENT } from '../../src/lib/log/logger.js';
import { senderAs, type HttpAnswer } from '../helpers/http.js';
import {
  openTestService,
  removeDirectories,
  temporaryDirectory,
  type TestService,
} from '../helpers/store.js';
import { OLD_TICKET, registerOldTickets, registerTickets, TICKET } from '../helpers/tickets.js';

const PLAN = { apiVersion: 'v1', kind: 'ModelPlan', result: 'unchanged', models: [], failures: [] };
const TICKETS = 'desk.example.com';

let t: TestService;
let server: RunningServer;
let agent: Agent;
/** Requested plans: their plugins, and a signal that is aborted when the client has gone. */
let asked: { readonly plugins: readonly string[]; readonly signal: AbortSignal }[];

async function serve(
  directory = temporaryDirectory(),
  makePlan?: MakePlan,
  planDefinition?: PlanDefinition,
): Promise<void> {
  t = await openTestService(directory);
  await openAccessModels(t.service.models, t.registry);
  await openViewModel(t.service.models, t.registry);
  await openWebhookModel(t.service.models, t.registry, t.store);
  const app = createExpressApp({
    service: t.service,
    access: new AccessControl(t.service),
    models: t.service.models,
    logger: SILENT,
    bodyBytesMax: 1024,
    loopbackOnly: false,
    version: '0.1.0',
    makePlan,
    planDefinition,
  });
  server = await listen(app, { host: '127.0.0.1', port: 0 });
}

async function close(): Promise<void> {
  await server.close(0);
  await t.close();
}

const as = senderAs(() => ({ agent, server }));

async function userWith(user: string, ...rules: readonly AccessRule[]): Promise<string> {
  await t.service.create(ROLES, { metadata: { name: user }, rules });
  return (await issueToken(t.service, { user, role: user }, new Date())).token;
}

beforeEach(() => {
  agent = new Agent({ keepAlive: true });
  asked = [];
});
afterEach(async () => {
  agent.destroy();
  await close();
});
afterAll(removeDirectories);

describe('a plan over HTTP', () => {
  const make: MakePlan = (plugins, signal) => {
    asked.push({ plugins, signal });
    return Promise.resolve(PLAN);
  };
  const plan = (token: string, body?: unknown, type?: string): Promise<HttpAnswer> =>
    as(token, 'POST', MODEL_PLANS.path, body, type);

  it('needs only the right to create modelplans', async () => {
    await serve(undefined, make);
    const verbs = ['create'];
    const models = { apiGroups: ['api.platform.run'], resources: ['models', 'backups', 'checks'], verbs };
    const other = await userWith('other', { ...models, verbs: ['*'] });
    const planner = await userWith('planner', { ...models, resources: ['modelplans'] });
    const refused = await plan(other);
    expect([refused.status, refused.json().message]).toEqual([
      403,
      'user "other" may not create modelplans in group "api.platform.run"',
    ]);
    expect(asked).toEqual([]);
    const answer = await plan(planner);
    expect([answer.status, answer.json()]).toEqual([200, PLAN]);
    expect(asked).toMatchObject([{ plugins: [] }]);
  });

  it('is of the plugins that the body names, in JSON or YAML', async () => {
    await serve(undefined, make);
    const admin = (await makeFirstUser(t.service)) ?? '';
    expect((await plan(admin, { plugins: ['desk', 'press'] })).status).toBe(200);
    expect((await plan(admin, 'plugins: [desk]', 'application/yaml')).status).toBe(200);
    expect((await plan(admin, {})).status).toBe(200);
    expect(asked.map(({ plugins }) => plugins)).toEqual([['desk', 'press'], ['desk'], []]);
  });

  it.each([
    ['[]', 400, 'the body must be an object'],
    ['"desk"', 400, 'the body must be an object'],
    ['{"plugins":"desk"}', 400, 'plugins must be an array of names'],
    ['{"plugins":[1]}', 400, 'plugins must be an array of names'],
    ['{"plugin":["desk"]}', 400, 'unknown member "plugin"; the known members are plugins and definition'],
    ['{"definition":[]}', 400, 'definition must be a CustomResourceDefinition'],
    ['{"definition":{},"plugins":["desk"]}', 400, 'plugins and definition cannot be planned together'],
    ['{"definition":{}}', 405, ''],
    ['{', 400, ''],
    [' '.repeat(2_000), 413, 'larger than 1KiB'],
  ])('is not made for the body %s', async (body, status, message) => {
    await serve(undefined, make);
    const admin = (await makeFirstUser(t.service)) ?? '';
    const answer = await plan(admin, body, 'application/json');
    expect([answer.status, answer.json().message]).toEqual([
      status,
      expect.stringContaining(message) as unknown,
    ]);
    expect((await plan(admin, '{}', 'text/plain')).status).toBe(415);
    expect((await as(admin, 'GET', MODEL_PLANS.path)).headers.allow).toBe('POST');
    expect(asked).toEqual([]);
  });

  it('is of a definition in the body, also on a shared store', async () => {
    const definitions: object[] = [];
    await serve(undefined, undefined, (definition) => {
      definitions.push(definition);
      return Promise.resolve(PLAN);
    });
    const admin = (await makeFirstUser(t.service)) ?? '';
    const answer = await plan(admin, { definition: { kind: 'CustomResourceDefinition' } });
    expect([answer.status, answer.json(), definitions]).toEqual([
      200,
      PLAN,
      [{ kind: 'CustomResourceDefinition' }],
    ]);
    const other = await userWith('other', { apiGroups: ['*'], resources: ['models'], verbs: ['*'] });
    expect((await plan(other, { definition: {} })).status).toBe(403);
  });

  it('names what mentions removed fields, as far as the sender may list it', async () => {
    const changes = [
      { kind: 'field-removed', path: 'spec.subject', text: 'removed', isTighter: false },
    ] as const;
    const counts = { version: 'v1', plugin: 'desk', objects: 0, problems: [], warnings: [] };
    const model = { group: TICKETS, kind: 'Ticket', plural: 'tickets', ...counts, changes };
    await serve(undefined, () => Promise.resolve({ ...PLAN, models: [model] }));
    await registerOldTickets(t);
    const admin = (await makeFirstUser(t.service)) ?? '';
    const ofTickets = { apiGroups: [TICKETS], resources: ['tickets'], verbs: ['get', 'list'] };
    await userWith('editor', { ...ofTickets, fields: { read: ['spec.subject'] } });
    await userWith('tagger', { ...ofTickets, fields: { read: ['spec.tags'] } });
    const spec = { url: 'http://127.0.0.1:1', models: [{ group: TICKETS, kind: 'Ticket' }] };
    for (const [name, fieldSelector] of [
      ['subjects', 'spec.subject=a'],
      ['named', 'metadata.name=a'],
    ])
      await t.service.create(WEBHOOKS, { metadata: { name }, spec: { ...spec, fieldSelector } });
    const view = { model: { group: TICKETS, plural: 'tickets' }, title: 'All', parameters: '' };
    for (const [name, columns] of [
      ['mine', 'spec.subject'],
      ['tags', 'spec.tags'],
    ])
      await t.service.create(VIEWS, {
        metadata: { name },
        spec: { ...view, columns: [columns], owner: 'planner' },
      });
    const right = { apiGroups: ['api.platform.run'], resources: ['modelplans'], verbs: ['create'] };
    const views = { apiGroups: [VIEWS.group], resources: [VIEWS.plural], verbs: ['list'] };
    const mentioned = async (token: string): Promise<unknown> => {
      const answer = await plan(token);
      const [{ mentions, warnings }] = answer.json().models as [
        { mentions: { kind: string; name: string }[]; warnings: [] },
      ];
      expect([answer.status, warnings.length]).toEqual([200, mentions.length]);
      return mentions.map(({ kind, name }) => `${kind} ${name}`);
    };
    expect(await mentioned(admin)).toEqual(['Role editor', 'Webhook subjects']);
    expect(await mentioned(await userWith('planner', right, views))).toEqual(['View mine']);
    expect(await mentioned(await userWith('other', right, views))).toEqual([]);
    expect(await mentioned(await userWith('third', right))).toEqual([]);
  });

  it('is refused on a shared store; the error names the alternative', async () => {
    await serve();
    const admin = (await makeFirstUser(t.service)) ?? '';
    const answer = await plan(admin);
    expect([answer.status, answer.headers.allow, answer.json().message]).toEqual([
      405,
      '',
      expect.stringMatching(
        /shared store; copy it .*`xsvc backup .*`xsvc restore .*`xsvc model plan --data-dir/,
      ),
    ]);
  });

  it('is given up when nobody waits for it any more', async () => {
    await serve(
      undefined,
      (plugins, signal) =>
        new Promise((_, reject) => {
          asked.push({ plugins, signal });
          signal.addEventListener('abort', () => reject(new Error('nobody waits')));
        }),
    );
    const admin = (await makeFirstUser(t.service)) ?? '';
    const headers = { authorization: `Bearer ${admin}` };
    const sent = request(`${server.url}${MODEL_PLANS.path}`, { method: 'POST', headers });
    sent.on('error', () => undefined);
    sent.end();
    await expect.poll(() => asked).toHaveLength(1);
    expect(asked[0]?.signal.aborted).toBe(false);
    sent.destroy();
    await expect.poll(() => asked[0]?.signal.aborted).toBe(true);
  });
});

describe('the stored versions of a model', () => {
  const read = (token: string, resource: string): Promise<HttpAnswer> =>
    as(token, 'GET', `${STORED_VERSIONS.path}?resource=${resource}`);

  it('are counted exactly, also while objects are stored in several', async () => {
    const directory = temporaryDirectory();
    await serve(directory);
    await registerOldTickets(t);
    for (const name of ['a', 'b', 'c'])
      await t.service.create(OLD_TICKET, { metadata: { name }, spec: { subject: name } });
    const admin = (await makeFirstUser(t.service)) ?? '';
    const before = await read(admin, `tickets.${TICKETS}`);
    expect(before.json()).toMatchObject({
      kind: 'StoredVersionList',
      resource: 'tickets.desk.example.com',
      storageVersion: 'v1alpha1',
      items: [{ version: 'v1alpha1', objects: 3 }],
    });
    await close();
    await serve(directory);
    await registerTickets(t);
    await t.service.patch(TICKET, 'b', { spec: { priority: 5 } }, 'merge');
    const mixed = (): Promise<HttpAnswer> => read(admin, `tickets.${TICKETS}`);
    for (const answer of await Promise.all([mixed(), mixed()]))
      expect(answer.json()).toMatchObject({
        storageVersion: 'v1',
        items: [
          { version: 'v1alpha1', objects: 2 },
          { version: 'v1', objects: 1 },
        ],
      });
    await t.service.models.lifecycle.rewrite(t.service.models.table(TICKET));
    expect((await mixed()).json().items).toEqual([{ version: 'v1', objects: 3 }]);
    for (const name of ['a', 'b', 'c']) await t.service.delete(TICKET, name);
    expect((await mixed()).json().items).toEqual([]);
  });

  it('need the right to list its objects, and hide from others which models exist', async () => {
    await serve();
    const admin = (await makeFirstUser(t.service)) ?? '';
    await registerTickets(t);
    const rule = { apiGroups: [TICKETS], resources: ['tickets'], verbs: ['list'] };
    const reader = await userWith('reader', rule);
    const other = await userWith(
      'other',
      { ...rule, verbs: ['get', 'watch', 'create'] },
      { apiGroups: ['api.platform.run'], resources: ['*'], verbs: ['*'] },
    );
    expect((await read(reader, `tickets.${TICKETS}`)).json().items).toEqual([]);
    for (const resource of [`tickets.${TICKETS}`, `nothing.${TICKETS}`, 'tickets'])
      expect((await read(other, resource)).status).toBe(403);
    // Only as it is judged: a role for `ticket` is none for tickets.
    expect((await read(reader, `Ticket.${TICKETS}`)).status).toBe(403);
    expect((await read(reader, 'persons.access.platform.run')).status).toBe(403);
    expect((await as(other, 'GET', STORED_VERSIONS.path)).status).toBe(400);
    const missing = await read(admin, `ticket.${TICKETS}`);
    expect([missing.status, missing.json().message]).toEqual([
      404,
      'no model "ticket.desk.example.com" is served; write it as <plural>.<group>',
    ]);
    const spelled = await as(admin, 'GET', `${STORED_VERSIONS.path}?resource=tickets.${TICKETS}&resorce=x`);
    expect(spelled.headers.warning).toContain('did you mean \\"resource\\"?');
    expect((await as(admin, 'POST', STORED_VERSIONS.path)).headers.allow).toBe('GET, HEAD');
  });
});
