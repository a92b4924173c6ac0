import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli, type CliResult } from '../helpers/cli.js';
import { killDaemons, startDaemonProcess, type DaemonProcess } from '../helpers/daemon.js';
import type { HttpAnswer } from '../helpers/http.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

const TICKETS = '/apis/desk.example.com/v1/tickets';
const BEFORE = '(an error from before this write)';

const directory = temporaryDirectory();
const plugins = path.join(directory, 'desk');
const dataDir = path.join(directory, 'store');
let daemon: DaemonProcess;

/** Writes the plugin, whose model has this schema for `spec`. */
function writePlugin(schema: object): void {
  mkdirSync(path.join(plugins, 'extensions'), { recursive: true });
  const head = { apiVersion: 'plugin.platform.run/v1alpha1', kind: 'Plugin', metadata: { name: 'desk' } };
  writeFileSync(path.join(plugins, 'plugin.yaml'), JSON.stringify({ ...head, spec: { version: '1.0.0' } }));
  writeFileSync(
    path.join(plugins, 'index.mjs'),
    `import { AbstractExtension, BasePlugin, GVK } from 'xsvc';
class Ticket extends AbstractExtension {
  static schema = { type: 'object', properties: {
    spec: ${JSON.stringify(schema)},
    status: { type: 'object', properties: { phase: { type: 'string' } } },
  } };
}
GVK({ group: 'desk.example.com', version: 'v1', kind: 'Ticket', plural: 'tickets', singular: 'ticket' })(Ticket);
export default class Desk extends BasePlugin {
  start() { this.ctx.schemeManager.register(Ticket); }
}
`,
  );
  writeFileSync(path.join(plugins, 'extensions', 'seed.yaml'), manifest('declared'));
}

function manifest(name: string, more = ''): string {
  return `apiVersion: desk.example.com/v1
kind: Ticket
metadata:
  name: ${name}
spec:
  subject: Old
  channel: fax
${more}`;
}

const text = { type: 'string' };
const FIRST = { type: 'object', properties: { subject: text, channel: text, size: { type: 'integer' } } };
const SECOND = {
  type: 'object',
  required: ['title'],
  properties: { title: text, channel: { ...text, enum: ['mail', 'phone'] }, size: { type: 'integer' } },
};
const DOORS = ['store', 'http'] as const;

beforeAll(async () => {
  writePlugin(FIRST);
  daemon = await startDaemonProcess({ dataDir, plugins: [plugins] });
  for (const name of ['one', 'two', ...DOORS]) {
    const metadata = { name, finalizers: ['desk.example.com/close'] };
    const answer = await send('POST', '', { metadata, spec: { subject: 'Old', channel: 'fax', size: 1 } });
    expect(answer.status).toBe(201);
  }
  await daemon.stop();
  writePlugin(SECOND);
  daemon = await startDaemonProcess({ dataDir, plugins: [plugins] });
}, 60_000);

afterAll(async () => {
  await daemon.stop();
  killDaemons();
  removeDirectories();
});

function send(method: string, target: string, json: unknown, type = 'application/json'): Promise<HttpAnswer> {
  return daemon.send(method, `${TICKETS}${target}`, {
    headers: { 'content-type': type },
    body: JSON.stringify(json),
  });
}

const merge = (target: string, json: unknown): Promise<HttpAnswer> =>
  send('PATCH', target, json, 'application/merge-patch+json');

const fieldsOf = (answer: HttpAnswer): string[] => answer.json().details.causes.map(({ field }) => field);

function expectWarned(answer: HttpAnswer): void {
  expect(answer.status, answer.text).toBe(200);
  const warnings = String(answer.headers.warning);
  expect(warnings).toContain(`299 - "spec.title: is required ${BEFORE}"`);
  expect(warnings).toContain(`spec.channel: must be one of`);
  expect(warnings).toContain(`unknown field \\"spec.subject\\" ${BEFORE}`);
}

describe('after a restart with a stricter schema', () => {
  it('the plugin starts, also with a declared object that does not fit any more', async () => {
    const plugin = await daemon.get('/apis/plugin.platform.run/v1alpha1/plugins/desk');
    expect(plugin.json()).toMatchObject({ status: { phase: 'STARTED' } });
    expect((await daemon.get(`${TICKETS}/declared`)).status).toBe(200);
  });

  it('every request accepts a change that leaves the old errors as they are, strict or not', async () => {
    for (const query of ['', '?fieldValidation=Strict']) {
      const label = query === '' ? 'a' : 'b';
      expectWarned(await merge(`/one${query}`, { metadata: { labels: { label } } }));
      const read = (await daemon.get(`${TICKETS}/one`)).json();
      expectWarned(
        await send('PUT', `/one${query}`, { ...read, spec: { ...read.spec, size: label.length } }),
      );
      const json = [{ op: 'add', path: '/metadata/annotations', value: { 'a.b/c': label } }];
      expectWarned(await send('PATCH', `/one${query}`, json, 'application/json-patch+json'));
      expectWarned(await merge(`/one/status${query}`, { status: { phase: label } }));
      expectWarned(await send('PUT', `/one/status${query}`, { status: { phase: `${label}${label}` } }));
    }
    const patch = { metadata: { labels: { label: 'c' } } };
    const type = { apiVersion: 'desk.example.com/v1', kind: 'Ticket', name: 'one' };
    const items = [{ verb: 'patch', ...type, patch, contentType: 'application/merge-patch+json' }];
    const batch = await daemon.send('POST', '/apis/api.platform.run/v1alpha1/batches', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ items }),
    });
    expect(batch.status).toBe(200);
    expect(batch.text).toContain(BEFORE);
  });

  it('a write that adds an error is refused, and only that error is named', async () => {
    const channel = await merge('/one', { spec: { channel: 'telex' } });
    expect([channel.status, fieldsOf(channel)]).toEqual([422, ['spec.channel']]);
    const size = await merge('/one?fieldValidation=Strict', { spec: { size: 'x', sise: 1 } });
    expect([size.status, fieldsOf(size).sort()]).toEqual([422, ['spec.sise', 'spec.size']]);
    const create = await send('POST', '?fieldValidation=Strict', {
      metadata: { name: 'new' },
      spec: { subject: 'Old', channel: 'fax' },
    });
    expect([create.status, fieldsOf(create).sort()]).toEqual([
      422,
      ['spec.channel', 'spec.subject', 'spec.title'],
    ]);
  });

  it('a deletion ends when the last finalizer is taken away', async () => {
    expect((await send('DELETE', '/two', {})).status).toBe(200);
    expect((await merge('/two', { metadata: { finalizers: null } })).status).toBe(200);
    expect((await daemon.get(`${TICKETS}/two`)).status).toBe(404);
  });

  it.each(DOORS)('the command line changes and deletes, door %s', async (door) => {
    const flags = door === 'http' ? ['--server', daemon.url] : ['--data-dir', dataDir, '--plugins', plugins];
    const xsvc = (argv: readonly string[], env = {}): Promise<CliResult> =>
      runCli([...argv, ...flags], { cwd: directory, env });
    const done = async (argv: readonly string[], env = {}): Promise<void> => {
      const { code, out, err } = await xsvc(argv, env);
      expect(code, out + err).toBe(0);
      expect(err, argv.join(' ')).toContain(`warning: tickets/${door}: spec.title: is required ${BEFORE}\n`);
    };
    await done(['label', 'tickets', door, 'a=b']);
    await done(['annotate', 'tickets', door, 'a.b/c=d']);
    await done(['patch', 'tickets', door, '-p', '{"spec": {"size": 7}}']);
    await done(['patch', 'tickets', door, '--subresource', 'status', '-p', '{"status": {"phase": "Open"}}']);
    await done(['edit', 'tickets', door], { EDITOR: "sed -i -e 's/size: 7/size: 8/'", TMPDIR: directory });
    writeFileSync(path.join(directory, 'a.yaml'), manifest(door, '  size: 9\n'));
    await done(['apply', '-f', 'a.yaml']);
    writeFileSync(path.join(directory, 'a.yaml'), manifest(door, '  size: nine\n'));
    const refused = await xsvc(['apply', '-f', 'a.yaml']);
    expect(refused).toMatchObject({ code: 5, err: expect.stringContaining('spec.size') as unknown });
    expect(refused.err).not.toContain('spec.title');
    expect((await xsvc(['delete', 'tickets', door])).code).toBe(0);
    await done(['patch', 'tickets', door, '-p', '{"metadata": {"finalizers": null}}']);
    expect((await daemon.get(`${TICKETS}/${door}`)).status).toBe(404);
  });
});
