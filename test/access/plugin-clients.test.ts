import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ROLE_BINDINGS, ROLES, USERS } from '../../src/access/models.js';
import { getMessage, ServiceError } from '../../src/errors.js';
import { EVENTS } from '../../src/events/names.js';
import {
  AbstractExtension,
  BasePlugin,
  GVK,
  RouteBuilder,
  type Controller,
  type ControllerBuilder,
  type CustomEndpoint,
  type EndpointRequest,
  type ExtensionClient,
  type PluginContext,
  type Reconciler,
  type RouteSet,
} from '../../src/index.js';
import { eventually, startTestService, type TestPlugin, type TestService } from '../../src/testing/index.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const GROUP = 'memo.example.com';

@GVK({ group: GROUP, version: 'v1', kind: 'Memo', plural: 'memos', singular: 'memo' })
class Memo extends AbstractExtension {
  static schema = {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { text: { type: 'string' }, for: { type: 'string' } } },
      status: { type: 'object', properties: { seen: { type: 'string' } } },
    },
  };
  declare spec: { text?: string; for?: string };
  declare status?: { seen: string };
}

/** The context of the plugin that runs now. */
let context: PluginContext;

class MemoPlugin extends BasePlugin {
  override start(): void {
    context = this.ctx;
    this.ctx.schemeManager.register(Memo);
  }
}

/** Writes the status as itself, or in the name of the user that the object names. */
class MemoReconciler implements Reconciler {
  constructor(private readonly ctx: PluginContext) {}

  setupWith(builder: ControllerBuilder): Controller {
    return builder.extension(Memo).minDelay(5).maxDelay(20).name('stamper').build();
  }

  async reconcile({ name }: { readonly name: string }): Promise<void> {
    const memo = await this.ctx.client.fetch(Memo, name);
    if (memo?.spec.text === undefined || memo.status !== undefined) return;
    const client = memo.spec.for === undefined ? this.ctx.client : this.ctx.client.as(memo.spec.for);
    this.ctx.events.record(memo, 'Normal', 'Stamped', 'it was stamped');
    await client.updateStatus(Object.assign(memo, { status: { seen: 'yes' } }));
  }
}

class MemoEndpoint implements CustomEndpoint {
  groupVersion(): string {
    return `api.${GROUP}/v1`;
  }

  endpoint(): RouteSet {
    const named = (req: EndpointRequest): string => req.params.name ?? '';
    return RouteBuilder.route()
      .POST(
        '/memos/{name}/mine',
        (req) => req.client.create(Memo, { metadata: { name: named(req) }, spec: {} }),
        (d) => d.operationId('CreateMine'),
      )
      .GET(
        '/memos/{name}/mine',
        (req) => req.client.get(Memo, named(req)),
        (d) => d.operationId('GetMine'),
      )
      .build();
  }
}

const MODULE = { default: MemoPlugin, MemoReconciler, MemoEndpoint };
const services: TestService[] = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
  removeDirectories();
});

async function start(
  settings: Readonly<Record<string, unknown>> = {},
  plugin: TestPlugin = MODULE,
): Promise<TestService> {
  const service = await startTestService({ plugins: [plugin], settings });
  services.push(service);
  return service;
}

const withTokens = { auth: 'token' };
const memo = (name: string) => ({ metadata: { name }, spec: {} });
const usersOf = async (service: TestService, name: string): Promise<unknown[]> => {
  const answer = await service.fetch(`/apis/${GROUP}/v1/memos/${name}/history`);
  const { items } = (await answer.json()) as { items: { user?: string }[] };
  return items.map(({ user }) => user);
};

/** Creates a user with rights on memos. */
async function addUser({ client }: TestService, name: string, verbs: readonly string[]): Promise<void> {
  const role = { rules: [{ apiGroups: [GROUP], resources: ['memos'], verbs }] };
  await client.create(USERS, { metadata: { name } });
  await client.create(ROLES, { metadata: { name }, ...role });
  await client.create(ROLE_BINDINGS, {
    metadata: { name },
    roleRef: { kind: 'Role', name },
    subjects: [{ kind: 'User', name }],
  });
}

async function refusalOf(call: () => Promise<unknown>, code = 'Forbidden'): Promise<string> {
  const error: unknown = await call().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ServiceError);
  expect((error as ServiceError).code).toBe(code);
  return getMessage(error);
}

const ABOUT = { group: GROUP, version: 'v1', kind: 'Remark', plural: 'remarks', singular: 'remark' };

@GVK(ABOUT)
class Remark extends AbstractExtension {
  static schema = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: { about: { type: 'string', 'x-xsvc-reference': { group: GROUP, kind: 'Memo' } } },
      },
    },
  };
  declare spec: { about?: string };
}

describe('references that a client follows', () => {
  class RemarkPlugin extends MemoPlugin {
    override start(): void {
      super.start();
      this.ctx.schemeManager.register(Remark);
    }
  }

  it('lead to objects that the user may get', async () => {
    const service = await start(withTokens, { default: RemarkPlugin });
    const { client } = service;
    await client.create(Memo, memo('a'));
    await client.create(Remark, { metadata: { name: 'r' }, spec: { about: 'a' } });
    for (const [name, resources] of [
      ['both', ['remarks', 'memos']],
      ['one', ['remarks']],
    ] as const) {
      await client.create(USERS, { metadata: { name } });
      const rules = [{ apiGroups: [GROUP], resources, verbs: ['get', 'list'] }];
      await client.create(ROLES, { metadata: { name }, rules });
      const roleRef = { kind: 'Role', name };
      await client.create(ROLE_BINDINGS, { metadata: { name }, roleRef, subjects: [{ kind: 'User', name }] });
    }
    const expand = 'spec.about';
    const all = { [`memos.${GROUP}`]: { a: await client.get({ ...ABOUT, kind: 'Memo' }, 'a') } };
    for (const [of, included] of [
      [context.client, all],
      [context.client.as('both'), all],
      [context.client.as('one'), {}],
    ] as const) {
      expect((await of.get(Remark, 'r', { expand })).included).toEqual(included);
      expect((await of.list(Remark, { expand })).included).toEqual(included);
    }
  });
});

describe('the client of a plugin', () => {
  it('writes as the plugin, and in a reconcile as the controller', async () => {
    const service = await start();
    await context.client.create(Memo, { metadata: { name: 'a' }, spec: { text: 'x' } });
    await service.controllersSettled();
    const plugin = `system:plugin:${context.name}`;
    const controller = `system:controller:${context.name}/stamper`;
    expect(await usersOf(service, 'a')).toEqual([controller, plugin]);
    const events = await eventually(async () => {
      const { items } = await service.client.list(EVENTS);
      return items.length > 0 ? items : undefined;
    });
    expect(events).toMatchObject([{ reason: 'Stamped', reportingComponent: controller }]);
  });

  it('writes in the name of a user without asking for rights when no tokens are asked for', async () => {
    const service = await start();
    await context.client.as('ada').create(Memo, memo('a'));
    await context.client
      .as('ada')
      .as('bob')
      .patch(Memo, 'a', { spec: { for: 'x' } });
    await context.client.as(undefined).delete(Memo, 'a');
    expect(await usersOf(service, 'a')).toEqual([undefined, 'bob', 'ada']);
  });

  it.each(['', 'system:plugin:other', 'system:garbage-collector', 'x'.repeat(254)])(
    'does not act in the name of %j, which is no user',
    async (user) => {
      await start();
      expect(() => context.client.as(user)).toThrow(/^as: /);
    },
  );

  it('asks for the rights of the user at each call', async () => {
    const service = await start(withTokens);
    await addUser(service, 'ada', ['create', 'get']);
    const ada = context.client.as('ada');
    await ada.create(Memo, memo('a'));
    expect(await ada.get(Memo, 'a')).toBeInstanceOf(Memo);
    expect(await usersOf(service, 'a')).toEqual(['ada']);
    const calls: readonly (readonly [string, (client: ExtensionClient) => Promise<unknown>])[] = [
      ['list memos', (client) => client.list(Memo)],
      ['list memos', (client) => client.count(Memo)],
      ['list memos', (client) => client.listNames(Memo)],
      ['list memos', (client) => client.listTop(Memo, 1)],
      ['list memos', async (client) => client.listAll(Memo)[Symbol.asyncIterator]().next()],
      ['watch memos', async (client) => client.watch(Memo)[Symbol.asyncIterator]().next()],
      ['patch memos "a"', (client) => client.patch(Memo, 'a', {})],
      ['delete memos "a"', (client) => client.delete(Memo, 'a')],
      ['update memos "a"', async (client) => client.update(await client.get(Memo, 'a'))],
      ['update memos/status "a"', async (client) => client.updateStatus(await client.get(Memo, 'a'))],
      ['delete memos "a"', (client) => client.batch([{ verb: 'delete', model: Memo, name: 'a' }])],
    ];
    for (const [action, call] of calls)
      expect(await refusalOf(() => call(ada))).toBe(`user "ada" may not ${action} in group "${GROUP}"`);
    await service.client.patch(ROLES, 'ada', { rules: [] });
    expect(await refusalOf(() => ada.get(Memo, 'a'))).toContain('may not get');
  });

  it('ends a watch of a user who loses the right', async () => {
    const service = await start(withTokens);
    await addUser(service, 'ada', ['watch']);
    const events = context.client.as('ada').watch(Memo)[Symbol.asyncIterator]();
    await context.client.create(Memo, memo('a'));
    expect(await events.next()).toMatchObject({ value: { type: 'ADDED' } });
    await service.client.patch(ROLES, 'ada', { rules: [] });
    await context.client.create(Memo, memo('b'));
    expect(await refusalOf(() => events.next())).toContain('may not watch');
  });

  it('is refused for users that do not exist, are gone meanwhile, or are disabled', async () => {
    const service = await start(withTokens);
    expect(await refusalOf(() => context.client.as('nobody').get(Memo, 'a'))).toBe(
      'there is no user "nobody"',
    );
    await addUser(service, 'ada', ['*']);
    const ada = context.client.as('ada');
    await ada.create(Memo, memo('a'));
    await service.client.patch(USERS, 'ada', { spec: { disabled: true } });
    expect(await refusalOf(() => ada.get(Memo, 'a'))).toBe('user "ada" is disabled');
    await service.client.delete(USERS, 'ada');
    expect(await refusalOf(() => ada.get(Memo, 'a'))).toBe('there is no user "ada"');
  });

  it.each([undefined, null, 'system:anonymous'])(
    'acts for %s as a sender without credentials',
    async (user) => {
      const service = await start(withTokens);
      const nobody = context.client.as(user);
      expect(await refusalOf(() => nobody.create(Memo, memo('a')))).toContain(
        'user "system:anonymous" may not create memos',
      );
      const rules = [{ apiGroups: [GROUP], resources: ['memos'], verbs: ['create'] }];
      await service.client.create(ROLES, { metadata: { name: 'all' }, rules });
      await service.client.create(ROLE_BINDINGS, {
        metadata: { name: 'all' },
        roleRef: { kind: 'Role', name: 'all' },
        subjects: [{ kind: 'User', name: 'system:anonymous' }],
      });
      await nobody.create(Memo, memo('a'));
      expect(await usersOf(service, 'a')).toEqual(['system:anonymous']);
    },
  );

  it('gives nobody more rights than the user has', async () => {
    const service = await start(withTokens);
    await addUser(service, 'ada', ['*']);
    await service.client.patch(ROLES, 'ada', {
      rules: [{ apiGroups: ['access.platform.run'], resources: ['roles'], verbs: ['create'] }],
    });
    const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
    const create = () => context.client.as('ada').create(ROLES, { metadata: { name: 'more' }, rules });
    expect(await refusalOf(create)).toContain('which "ada" does not have');
  });

  it('acts for a user inside a controller with the rights of the user', async () => {
    const service = await start(withTokens);
    await addUser(service, 'ada', ['get']);
    const spec = { text: 'x', for: 'ada' };
    await context.client.create(Memo, { metadata: { name: 'a' }, spec });
    const failed = () => usersOf(service, 'a');
    const controllers = '/apis/controller.platform.run/v1alpha1/controllers';
    await eventually(async () =>
      (await (await service.fetch(controllers)).text()).includes('may not update'),
    );
    expect(await failed()).toEqual([`system:plugin:${context.name}`]);
    const rules = [{ apiGroups: [GROUP], resources: ['memos/status'], verbs: ['update'] }];
    await service.client.patch(ROLES, 'ada', { rules });
    await service.controllersSettled();
    expect(await usersOf(service, 'a')).toEqual(['ada', `system:plugin:${context.name}`]);
  });
});

describe('req.client', () => {
  const target = `/apis/api.${GROUP}/v1/memos/a/mine`;

  it('has the rights of the sender, and names the sender in the history', async () => {
    const service = await start(withTokens);
    expect((await service.fetch(target, { method: 'POST' })).status).toBe(200);
    expect(await usersOf(service, 'a')).toEqual(['admin']);
  });

  it('is refused with 403 when the sender may use the endpoint, but not its model', async () => {
    const service = await start(withTokens);
    await addUser(service, 'anybody', ['*']);
    const rules = [{ apiGroups: [`api.${GROUP}`], resources: ['*'], verbs: ['*'] }];
    await service.client.patch(ROLES, 'anybody', { rules });
    await service.client.patch(ROLE_BINDINGS, 'anybody', {
      subjects: [{ kind: 'User', name: 'system:anonymous' }],
    });
    const answer = await fetch(new URL(target, service.url));
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({
      reason: 'Forbidden',
      message: `user "system:anonymous" may not get memos "a" in group "${GROUP}"`,
    });
  });

  it('may do everything when no tokens are asked for', async () => {
    const service = await start();
    expect((await service.fetch(target, { method: 'POST' })).status).toBe(200);
    expect((await service.fetch(target)).status).toBe(200);
    expect(await usersOf(service, 'a')).toEqual([undefined]);
  });
});

const LEDGER = `
import { AbstractExtension, BasePlugin, GVK, RouteBuilder } from 'xsvc';
class Entry extends AbstractExtension {}
GVK({ group: 'ledger.example.com', version: 'v1', kind: 'Entry', plural: 'entries', singular: 'entry' })(Entry);
export default class extends BasePlugin {
  start() {
    this.ctx.schemeManager.register(Entry);
  }
}
export class EntryReconciler {
  constructor(ctx) { this.ctx = ctx; }
  setupWith(builder) { return builder.extension(Entry).minDelay(5).maxDelay(20).build(); }
  async reconcile({ name }) {
    const entry = await this.ctx.client.get(Entry, name);
    if (entry.metadata.labels?.['ledger.example.com/done'] !== 'yes') await this.ctx.client.patch(Entry, name, { metadata: { labels: { 'ledger.example.com/done': 'yes' } } });
  }
}
export class EntryEndpoint {
  constructor(ctx) { this.ctx = ctx; }
  groupVersion() { return 'api.ledger.example.com/v1'; }
  endpoint() {
    const create = (client, { params }) => client.create(Entry, { metadata: { name: params.name } });
    const isThere = async (client, { params }) => ({ isThere: (await client.fetch(Entry, params.name)) !== undefined });
    return RouteBuilder.route()
      .POST('/entries/{name}/own', (req) => create(this.ctx.client, req), (d) => d.operationId('CreateOwn'))
      .POST('/entries/{name}/mine', (req) => create(req.client, req), (d) => d.operationId('CreateMine'))
      .GET('/entries/{name}/own', (req) => isThere(this.ctx.client, req), (d) => d.operationId('GetOwn'))
      .build();
  }
}
`;

/** A plugin in a directory, whose manifest has permissions, and which may declare an object. */
function ledger(permissions: string, declared?: string): string {
  const directory = path.join(temporaryDirectory(), 'ledger');
  mkdirSync(path.join(directory, 'extensions'), { recursive: true });
  const head = 'apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: { name: ledger }\n';
  writeFileSync(path.join(directory, 'plugin.yaml'), `${head}spec:\n  permissions: ${permissions}\n`);
  writeFileSync(path.join(directory, 'index.js'), LEDGER);
  if (declared !== undefined) writeFileSync(path.join(directory, 'extensions', 'declared.yaml'), declared);
  return directory;
}

const permitted = (verbs: string): string =>
  `[{ apiGroups: [ledger.example.com], resources: [entries], verbs: [${verbs}] }]`;
const DECLARED =
  'apiVersion: ledger.example.com/v1\nkind: Entry\nmetadata: { name: declared }\nspec: { n: 1 }\n';

describe('permissions in the manifest of a plugin', () => {
  const entries = '/apis/api.ledger.example.com/v1/entries';
  const message =
    'plugin "ledger" may not create entries in group "ledger.example.com"; ' +
    'permit it in spec.permissions of its plugin.yaml';

  it.each([{}, withTokens])(
    'limit the plugin itself and what it does for users, with %j',
    async (settings) => {
      const service = await start(settings, ledger(permitted('get')));
      for (const part of ['own', 'mine']) {
        const answer = await service.fetch(`${entries}/a/${part}`, { method: 'POST' });
        expect(answer.status).toBe(403);
        expect(await answer.json()).toMatchObject({ reason: 'Forbidden', message });
      }
      expect(await (await service.fetch(`${entries}/a/own`)).json()).toEqual({ isThere: false });
      const model = { group: 'ledger.example.com', version: 'v1', kind: 'Entry' };
      await service.client.create(model, { metadata: { name: 'a' }, spec: {} });
      // Its controller may not patch.
      const controllers = '/apis/controller.platform.run/v1alpha1/controllers';
      await eventually(async () =>
        (await (await service.fetch(controllers)).text()).includes('may not patch entries'),
      );
    },
  );

  it('permit what they name, and users stay limited by their own rights', async () => {
    const service = await start(withTokens, ledger(permitted('get, create, patch'), DECLARED));
    expect((await service.fetch(`${entries}/a/own`, { method: 'POST' })).status).toBe(200);
    await service.controllersSettled();
    const answer = await service.fetch('/apis/ledger.example.com/v1/entries/declared/history');
    const { items } = (await answer.json()) as { items: { user?: string }[] };
    expect(items.map(({ user }) => user)).toEqual([
      'system:controller:ledger/entry-reconciler',
      'system:plugin:ledger',
    ]);
    const rules = [{ apiGroups: ['api.ledger.example.com'], resources: ['*'], verbs: ['*'] }];
    await service.client.create(ROLES, { metadata: { name: 'all' }, rules });
    await service.client.create(ROLE_BINDINGS, {
      metadata: { name: 'all' },
      roleRef: { kind: 'Role', name: 'all' },
      subjects: [{ kind: 'User', name: 'system:anonymous' }],
    });
    const refused = await fetch(new URL(`${entries}/b/mine`, service.url), { method: 'POST' });
    expect(await refused.json()).toMatchObject({
      code: 403,
      message: expect.stringContaining('user "system:anonymous" may not create entries') as string,
    });
  });

  it('permit nothing when their list is empty', async () => {
    const service = await start({}, ledger('[]'));
    expect((await service.fetch(`${entries}/a/own`)).status).toBe(403);
  });

  it('fail the start of a plugin with a declared object that is not permitted, with its place', async () => {
    await expect(start({}, ledger(permitted('get'), DECLARED))).rejects.toThrow(
      /declared\.yaml:1: plugin "ledger" may not create entries "declared" in group "ledger.example.com"; permit it/,
    );
  });

  it('do not let the plugin give more than they contain', async () => {
    const access = '[{ apiGroups: [access.platform.run], resources: [roles], verbs: [create] }]';
    const role =
      'apiVersion: access.platform.run/v1alpha1\nkind: Role\nmetadata: { name: much }\n' +
      'rules: [{ apiGroups: [a.example.com], resources: [things], verbs: [get] }]\n';
    await expect(start({}, ledger(access, role))).rejects.toThrow(
      'which "system:plugin:ledger" does not have',
    );
  });

  it.each([
    ['{}', 'spec.permissions: must be a list'],
    ['[x]', 'spec.permissions[0]: must be a mapping'],
    [permitted('read'), 'spec.permissions[0].verbs[0]: "read" is not a verb; known: get, list'],
    [permitted(''), 'spec.permissions[0].verbs: must be a list with at least one value'],
    [
      '[{ apiGroups: [], verbs: [get], resourceNames: [a] }]',
      /spec\.permissions\[0\]\.resourceNames: is unknown.*\[0\]\.apiGroups: must be a list.*\[0\]\.resources: is required/s,
    ],
    [
      '[{ apiGroups: [Big], resources: [Entry, 1], verbs: [get] }]',
      /apiGroups\[0\]: must be a group.*resources\[0\]: must be a plural.*resources\[1\]: must be a string/s,
    ],
  ])('are refused as %s, with the path of each fault', async (permissions, text) => {
    await expect(start({}, ledger(permissions))).rejects.toThrow(text);
  });
});

it('no user and no token can have the name of a part of the service', async () => {
  const service = await start(withTokens);
  const name = 'system:plugin:memo';
  expect(await refusalOf(() => service.client.create(USERS, { metadata: { name } }), 'Invalid')).toContain(
    'metadata.name',
  );
});
