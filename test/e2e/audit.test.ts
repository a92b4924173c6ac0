import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { EXPIRES_AT } from '../../src/model/expiration.js';
import { fieldsOf, readAudit, type AuditLine } from '../helpers/audit.js';
import { putFiles } from '../helpers/cli.js';
import {
  childrenOf,
  killDaemons,
  runProgram,
  startDaemonProcess,
  type DaemonProcess,
} from '../helpers/daemon.js';
import { BEFORE, putDesk, RENAMED } from '../helpers/desk.js';
import type { HttpAnswer } from '../helpers/http.js';
import { PERSON_PLUGIN } from '../helpers/person-daemon.js';
import { mountSmallDisk, useSmallDisks } from '../helpers/small-disk.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterEach(killDaemons);
afterAll(removeDirectories);
useSmallDisks();

const MAPS = '/api/v1/namespaces/default/configmaps';
const PERSONS = '/apis/demo.example.com/v1alpha1/persons';
const MEMOS = '/apis/memo.example.com/v1/memos';
const MINE = '/apis/api.memo.example.com/v1/memos';
const ROLES = '/apis/access.platform.run/v1alpha1/roles';
const BATCHES = '/apis/api.platform.run/v1alpha1/batches';

const MEMO_PLUGIN = {
  'memo/plugin.yaml': `apiVersion: plugin.platform.run/v1alpha1
kind: Plugin
metadata: { name: memo }
spec: { version: 1.0.0 }
`,
  'memo/extensions/memo.yaml': `apiVersion: memo.example.com/v1
kind: Memo
metadata: { name: declared }
spec: {}
`,
  'memo/index.js': `import { AbstractExtension, BasePlugin, GVK, RouteBuilder, ServiceError } from 'xsvc';
export class Memo extends AbstractExtension {
  static schema = { type: 'object', properties: { spec: { type: 'object' }, status: { type: 'object', properties: { seen: { type: 'boolean' } } } } };
}
GVK({ group: 'memo.example.com', version: 'v1', kind: 'Memo', plural: 'memos', singular: 'memo' })(Memo);
export default class MemoPlugin extends BasePlugin {
  start() { this.ctx.schemeManager.register(Memo); }
}
export class Stamper {
  constructor(ctx) { this.ctx = ctx; }
  setupWith(builder) { return builder.extension(Memo).name('stamper').build(); }
  async reconcile({ name }) {
    const memo = await this.ctx.client.fetch(Memo, name);
    if (memo === undefined || memo.status?.seen) return;
    await this.ctx.client.updateStatus(Object.assign(memo, { status: { seen: true } }));
  }
}
export class Mine {
  constructor(ctx) { this.ctx = ctx; }
  groupVersion() { return 'api.memo.example.com/v1'; }
  endpoint() {
    return RouteBuilder.route()
      .POST('/memos/{name}/mine', (req) => req.client.create(Memo, { metadata: { name: req.params.name }, spec: {} }), (d) => d.operationId('Mine'))
      .DELETE('/memos/{name}/mine', () => { throw new ServiceError('Forbidden', 'never'); }, (d) => d.operationId('NotMine'))
      .build();
  }
}
`,
};

const newFile = (): string => path.join(temporaryDirectory(), 'audit.log');
const draft = (name: string): object => ({ metadata: { name } });
const tokenIn = ({ output }: DaemonProcess): string =>
  /shown only now: (\S+)/.exec(output.stdout)?.[1] ?? 'none';

async function send(
  daemon: DaemonProcess,
  method: string,
  target: string,
  body?: unknown,
): Promise<HttpAnswer> {
  const headers = { authorization: `Bearer ${tokenIn(daemon)}` };
  return daemon.send(method, target, { headers, ...(body !== undefined && { body }) });
}

const linesAbout = (file: string, name: string): AuditLine[] =>
  readAudit(file).filter((line) => line.name === name);

describe('a daemon', () => {
  it('records clients, plugins, controllers and itself: each change of the store once', async () => {
    const directory = temporaryDirectory();
    await putFiles(directory, MEMO_PLUGIN);
    const file = newFile();
    const daemon = await startDaemonProcess({
      dataDir: path.join(directory, 'data'),
      plugins: [path.join(directory, 'memo')],
      flags: ['--auth', 'token', '--audit-log', file],
    });
    await send(daemon, 'POST', MEMOS, draft('ada'));
    expect((await send(daemon, 'POST', `${MINE}/bob/mine`)).status).toBe(200);
    expect((await send(daemon, 'DELETE', `${MINE}/bob/mine`)).status).toBe(403);
    expect((await daemon.get(MEMOS)).status).toBe(401);
    const owner = await send(daemon, 'POST', MAPS, draft('owner'));
    const { uid } = owner.json().metadata;
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
    await send(daemon, 'POST', MAPS, { metadata: { name: 'owned', ownerReferences } });
    await send(daemon, 'DELETE', `${MAPS}/owner`);
    await send(daemon, 'POST', MAPS, {
      metadata: { name: 'short', annotations: { [EXPIRES_AT]: '2001-01-01T00:00:00Z' } },
    });
    for (const name of ['one', 'two'])
      await send(daemon, 'POST', MAPS, { metadata: { name, labels: { lot: 'a' } } });
    for (let i = 0; i < 2; i++) await send(daemon, 'DELETE', `${MAPS}?labelSelector=lot%3Da`);
    const isGone = async (name: string): Promise<boolean> =>
      (await send(daemon, 'GET', `${MAPS}/${name}`)).status === 404;
    await expect.poll(() => isGone('owned')).toBe(true);
    await expect.poll(() => isGone('short')).toBe(true);
    await expect.poll(() => linesAbout(file, 'ada')).toHaveLength(2);
    await expect.poll(() => linesAbout(file, 'declared')).toHaveLength(2);
    const { text } = await send(daemon, 'GET', '/metrics');
    await daemon.stop();
    const lines = readAudit(file);
    const seen = (name: string): unknown[][] =>
      fieldsOf(linesAbout(file, name), 'user', 'via', 'verb', 'subresource', 'code');
    expect(seen('ada')).toEqual([
      ['admin', 'http', 'create', undefined, 201],
      ['system:controller:memo/stamper', 'controller', 'update', 'status', 200],
    ]);
    expect(seen('declared')).toEqual([
      ['system:plugin:memo', 'plugin', 'create', undefined, 201],
      ['system:controller:memo/stamper', 'controller', 'update', 'status', 200],
    ]);
    expect(seen('bob')).toEqual(
      expect.arrayContaining([
        ['admin', 'plugin', 'create', undefined, 201],
        ['admin', 'http', 'create', 'mine', 200],
        ['admin', 'http', 'delete', 'mine', 403],
      ]),
    );
    for (const name of ['one', 'two'])
      expect(seen(name).at(-1)).toEqual(['admin', 'http', 'delete', undefined, 200]);
    const collections = lines.filter(({ verb }) => verb === 'deletecollection');
    expect(fieldsOf(collections, 'namespace', 'resource', 'name', 'code')).toEqual([
      ['default', 'configmaps', undefined, 200],
    ]);
    expect(seen('owned').at(-1)).toEqual(['system:garbage-collector', 'service', 'delete', undefined, 200]);
    expect(seen('short').at(-1)).toEqual(['system:expiry', 'service', 'delete', undefined, 200]);
    expect(linesAbout(file, 'bob').find(({ via }) => via === 'plugin')?.groups).toEqual([]);
    const revisions = lines.flatMap(({ revision }) => (revision === undefined ? [] : [Number(revision)]));
    const last = Number(/^xsvc_store_revision (\d+)$/m.exec(text)?.[1]);
    expect(last).toBeGreaterThan(10);
    expect(new Set(revisions).size).toBe(revisions.length);
    expect(revisions).toEqual(expect.arrayContaining(Array.from({ length: last }, (_, i) => i + 1)));
    expect(readFileSync(file, 'utf8')).not.toContain(tokenIn(daemon));
  });

  it('records calls of plugins in the name of a user that are refused', async () => {
    const directory = temporaryDirectory();
    await putFiles(directory, MEMO_PLUGIN);
    const file = newFile();
    const daemon = await startDaemonProcess({
      dataDir: path.join(directory, 'data'),
      plugins: [path.join(directory, 'memo')],
      flags: ['--auth', 'token', '--audit-log', file],
    });
    const rules = [{ apiGroups: ['api.memo.example.com'], resources: ['memos/mine'], verbs: ['create'] }];
    await send(daemon, 'POST', ROLES, { metadata: { name: 'caller' }, rules });
    const { stdout } = await runProgram([
      ...['token', 'create', '--user', 'eve', '--role', 'caller'],
      ...['--server', daemon.url, '--token', tokenIn(daemon)],
    ]);
    const headers = { authorization: `Bearer ${stdout.trim()}` };
    expect((await daemon.send('POST', `${MINE}/bob/mine`, { headers })).status).toBe(403);
    await daemon.stop();
    const lines = readAudit(file).filter(({ user }) => user === 'eve');
    expect(fieldsOf(lines, 'via', 'verb', 'group', 'version', 'resource', 'subresource', 'code')).toEqual([
      ['plugin', 'create', 'memo.example.com', 'v1', 'memos', undefined, 403],
      ['http', 'create', 'api.memo.example.com', 'v1', 'memos', 'mine', 403],
    ]);
    expect(readFileSync(file, 'utf8')).not.toContain(stdout.trim());
  });

  it('records each object of a migration', async () => {
    const directory = temporaryDirectory();
    const [dataDir, file] = [path.join(directory, 'data'), newFile()];
    const plugins = [path.join(directory, 'plugins/desk')];
    const flags = ['--audit-log', file];
    await putDesk(directory, BEFORE);
    const first = await startDaemonProcess({ dataDir, plugins, flags });
    const items = Array.from({ length: 150 }, (_, i) => ({
      verb: 'create',
      object: {
        apiVersion: 'desk.example.com/v1alpha1',
        kind: 'Ticket',
        metadata: { name: `t-${i}` },
        spec: { subject: 'any' },
      },
    }));
    expect((await first.send('POST', BATCHES, { body: { items } })).status).toBe(200);
    await first.stop();
    const before = readAudit(file).length;
    const migration = `{ id: 'count', up: (t) => ({ ...t, spec: { ...t.spec, count: 1 } }) }`;
    await putDesk(directory, {
      ...RENAMED,
      options: RENAMED.options.replace(/}$/, `, migrations: [${migration}] }`),
    });
    const second = await startDaemonProcess({ dataDir, plugins, flags });
    await second.stop();
    const migrated = readAudit(file)
      .slice(before)
      .filter(({ user }) => user === 'system:migration:count');
    expect(new Set(migrated.map(({ name }) => name)).size).toBe(150);
    expect(migrated).toHaveLength(150);
    expect(migrated[0]).toMatchObject({ via: 'service', verb: 'update', resource: 'tickets', code: 200 });
  });

  it('writes the lines to stderr for -, beside its log', async () => {
    const daemon = await startDaemonProcess({
      dataDir: path.join(temporaryDirectory(), 'data'),
      plugins: [],
      flags: ['--audit-log', '-', '--audit-strict'],
    });
    await send(daemon, 'POST', MAPS, draft('ada'));
    const linesIn = (wanted: string): AuditLine[] =>
      daemon.output.stderr
        .split('\n')
        .filter((line) => line.includes('"via"'))
        .map((line) => JSON.parse(line) as AuditLine)
        .filter(({ namespace }) => namespace === wanted);
    await expect
      .poll(() => fieldsOf(linesIn('default').slice(-1), 'via', 'verb', 'namespace', 'name', 'code'))
      .toEqual([['http', 'create', 'default', 'ada', 201]]);
    await daemon.stop();
  });

  it('does not start with a log that cannot be opened, or with switches of a log that is not configured', async () => {
    const directory = temporaryDirectory();
    const serve = (...flags: readonly string[]) =>
      runProgram(['serve', '--port', '0', '--data-dir', path.join(directory, 'data'), ...flags]);
    const ended = [
      await serve('--audit-log', directory),
      await serve('--audit-log', path.join(directory, 'missing', 'audit.log')),
      await serve('--audit-log', directory, '--workers', '2'),
      await serve('--audit-strict'),
      await serve('--audit-reads'),
    ];
    expect(ended.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2]);
    expect(ended[0]?.stderr).toContain(`--audit-log: cannot open ${directory}: EISDIR`);
    expect(ended[1]?.stderr).toContain('ENOENT');
    expect(ended[3]?.stderr).toContain('--audit-strict also needs --audit-log');
    expect(ended[4]?.stderr).toContain('--audit-reads also needs --audit-log');
    expect(existsSync(path.join(directory, 'data'))).toBe(false);
  });

  it('takes the settings from its file, with a path that starts there', async () => {
    const directory = temporaryDirectory();
    const text = 'dataDir: data\nplugins: []\nauditLog: log/audit.log\nauditReads: true\nauditStrict: true\n';
    await putFiles(directory, { 'xsvc.yaml': text, 'log/.keep': '' });
    const config = path.join(directory, 'xsvc.yaml');
    const daemon = await startDaemonProcess({
      dataDir: path.join(directory, 'data'),
      plugins: [],
      flags: ['--config', config],
    });
    await daemon.get(MAPS);
    await daemon.stop();
    const lines = readAudit(path.join(directory, 'log/audit.log'));
    expect(lines.at(-1)).toMatchObject({ verb: 'list', resource: 'configmaps', code: 200 });
  });
});

const hangUp = async (daemon: DaemonProcess, message: string): Promise<void> => {
  const count = (): number => daemon.output.stderr.split(message).length;
  const before = count();
  daemon.signal('SIGHUP');
  await expect.poll(count).toBeGreaterThan(before);
};

describe('SIGHUP', () => {
  it('opens the file again; where that fails, lines go on to the old one', async () => {
    const file = newFile();
    const daemon = await startDaemonProcess({
      dataDir: path.join(temporaryDirectory(), 'data'),
      plugins: [],
      flags: ['--audit-log', file],
    });
    renameSync(file, `${file}.1`);
    await send(daemon, 'POST', MAPS, draft('first'));
    expect([existsSync(file), linesAbout(`${file}.1`, 'first')]).toEqual([false, [expect.anything()]]);
    await hangUp(daemon, 'was reopened');
    await send(daemon, 'POST', MAPS, draft('second'));
    expect([linesAbout(file, 'second'), linesAbout(`${file}.1`, 'second')]).toEqual([
      [expect.anything()],
      [],
    ]);
    renameSync(file, `${file}.2`);
    mkdirSync(file);
    await hangUp(daemon, `cannot reopen the audit log ${file}: EISDIR`);
    await send(daemon, 'POST', MAPS, draft('third'));
    expect(linesAbout(`${file}.2`, 'third')).toHaveLength(1);
    rmdirSync(file);
    await hangUp(daemon, 'was reopened');
    rmSync(file);
    expect((await send(daemon, 'POST', MAPS, draft('fourth'))).status).toBe(201);
    expect(existsSync(file)).toBe(false);
    await hangUp(daemon, 'was reopened');
    await send(daemon, 'POST', MAPS, draft('fifth'));
    expect(readAudit(file).map(({ name }) => name)).toEqual(['fifth']);
    expect(await daemon.stop()).toEqual({ code: 0, signal: null });
  });

  it('reaches workers, which append whole lines to one file', async () => {
    const file = newFile();
    const daemon = await startDaemonProcess({
      dataDir: path.join(temporaryDirectory(), 'data'),
      plugins: [PERSON_PLUGIN],
      flags: ['--audit-log', file, '--workers', '2'],
    });
    const post = async (name: string): Promise<number> => {
      const body = JSON.stringify({ metadata: { name }, spec: { name } });
      const headers = { 'content-type': 'application/json', connection: 'close' };
      const { status } = await fetch(`${daemon.url}${PERSONS}`, { method: 'POST', headers, body });
      return status;
    };
    const names = (lot: string): string[] => Array.from({ length: 200 }, (_, i) => `${lot}-${i}`);
    expect(new Set(await Promise.all(names('one').map(post)))).toEqual(new Set([201]));
    const created = (of: string): unknown[] =>
      readAudit(of)
        .filter(({ via }) => via === 'http')
        .map(({ name }) => name)
        .sort();
    expect(created(file)).toEqual(names('one').sort());
    renameSync(file, `${file}.1`);
    daemon.signal('SIGHUP');
    await expect.poll(() => daemon.output.stderr.split('was reopened').length).toBe(3);
    expect(new Set(await Promise.all(names('two').map(post)))).toEqual(new Set([201]));
    expect([created(file), created(`${file}.1`)]).toEqual([names('two').sort(), names('one').sort()]);
    expect(childrenOf(daemon.pid)).toHaveLength(2);
    expect(await daemon.stop()).toEqual({ code: 0, signal: null });
  });
});

describe('a log that cannot be written', () => {
  it('does not stop writes, and the log says how many lines are lost', async () => {
    const daemon = await startDaemonProcess({
      dataDir: path.join(temporaryDirectory(), 'data'),
      plugins: [],
      flags: ['--audit-log', '/dev/full'],
    });
    expect((await send(daemon, 'POST', MAPS, draft('ada'))).status).toBe(201);
    await expect
      .poll(() => daemon.output.stderr)
      .toMatch(/cannot write the audit log \/dev\/full: ENOSPC[^"]*; \d+ lines? (was|were) lost/);
    expect((await daemon.get('/readyz')).status).toBe(200);
    await daemon.stop();
  });

  it('stops writes with --audit-strict, but neither the start nor reads', async () => {
    const daemon = await startDaemonProcess({
      dataDir: path.join(temporaryDirectory(), 'data'),
      plugins: [PERSON_PLUGIN],
      flags: ['--auth', 'token', '--audit-log', '/dev/full', '--audit-strict'],
    });
    const refused = await send(daemon, 'POST', MAPS, draft('ada'));
    expect([refused.status, refused.json().message]).toEqual([
      503,
      'the audit log cannot be written (ENOSPC: no space left on device, write); writes are refused until it can be (--audit-strict)',
    ]);
    expect((await send(daemon, 'GET', `${MAPS}/ada`)).status).toBe(404);
    expect((await send(daemon, 'GET', PERSONS)).status).toBe(200);
    expect((await daemon.get('/readyz?verbose')).text).toContain('[-]audit failed: the audit log cannot be');
    await daemon.stop();
  });

  const disk = mountSmallDisk(256 * 1024);

  it.skipIf(disk === undefined)(
    'lets writes go on when it can be written again, and has lost no line',
    async () => {
      const file = path.join(disk?.directory ?? '', 'audit.log');
      const daemon = await startDaemonProcess({
        dataDir: path.join(temporaryDirectory(), 'data'),
        plugins: [],
        flags: ['--audit-log', file, '--audit-strict'],
      });
      disk?.fill(200 * 1024);
      const statuses: number[] = [];
      for (let i = 0; statuses.at(-1) !== 503; i++)
        statuses.push((await send(daemon, 'POST', MAPS, draft(`map-${i}`))).status);
      expect((await daemon.get('/readyz')).status).toBe(503);
      disk?.empty();
      expect((await daemon.get('/readyz')).status).toBe(200);
      expect((await send(daemon, 'POST', MAPS, draft('last'))).status).toBe(201);
      const items = (await daemon.get(`${MAPS}?size=0`)).json().items.map(({ metadata }) => metadata.name);
      await daemon.stop();
      const lines = readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line.endsWith('}'))
        .map((line) => JSON.parse(line) as AuditLine);
      const created = lines.filter(({ via, code }) => via === 'http' && code === 201);
      expect(created.map(({ name }) => name).sort()).toEqual([...items].sort());
      expect(lines.filter(({ code }) => code === 503)).toHaveLength(1);
    },
  );
});
