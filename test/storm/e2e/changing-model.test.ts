import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { runCli, type CliResult } from '../../helpers/cli.js';
import { killDaemons, startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

const PLUGIN = '/apis/plugin.platform.run/v1alpha1/plugins/desk';
const GROUP = '/apis/desk.example.com';
const OBJECTS = 60;

afterEach(killDaemons);
afterAll(removeDirectories);

/** A directory of plugins with one model: tickets with a subject, or, later, with a title. */
function release(text: string): string {
  const plugins = temporaryDirectory();
  const desk = path.join(plugins, 'desk');
  mkdirSync(desk);
  const manifest = 'apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: { name: desk }\n';
  writeFileSync(path.join(desk, 'plugin.yaml'), `${manifest}spec: { version: 1.0.0 }\n`);
  writeFileSync(
    path.join(desk, 'index.mjs'),
    `import { AbstractExtension, BasePlugin, GVK, IndexSpecs } from 'xsvc';
const NAMES = { group: 'desk.example.com', kind: 'Ticket', plural: 'tickets', singular: 'ticket' };
const text = { type: 'string' };
const schemaOf = (properties, required) => ({ type: 'object', properties: { spec: { type: 'object', required, properties } } });
const byPath = (name) => (specs) => {
  specs.add(IndexSpecs.single('spec.' + name, 'string').indexFunc((t) => t.spec[name]));
};
class OldTicket extends AbstractExtension {
  static schema = schemaOf({ subject: text, n: { type: 'integer' } }, ['subject']);
}
GVK({ ...NAMES, version: 'v1alpha1' })(OldTicket);
class Ticket extends AbstractExtension {
  static schema = schemaOf({ title: text, n: { type: 'integer', maximum: 50 } }, ['title']);
}
GVK({ ...NAMES, version: 'v1' })(Ticket);
const old = {
  model: OldTicket,
  deprecated: 'use v1',
  up: ({ spec: { subject, ...rest } }) => ({ spec: { title: subject, ...rest } }),
  down: ({ spec: { title, ...rest } }) => ({ spec: { subject: title, ...rest } }),
  fields: { 'spec.subject': 'spec.title' },
};
const shout = { id: 'shout', up: ({ spec }) => ({ spec: { ...spec, title: spec.title + '!' } }) };
export default class Desk extends BasePlugin {
  start() { ${text} }
}
`,
  );
  return plugins;
}

const FIRST = release(`this.ctx.schemeManager.register(OldTicket, byPath('subject'));`);
const SECOND = release(`this.ctx.schemeManager.register(Ticket, byPath('title'), { versions: [old] });`);
const THIRD = release(
  `this.ctx.schemeManager.register(Ticket, byPath('title'), { versions: [old], migrations: [shout] });`,
);
const UNDECLARED = release(`this.ctx.schemeManager.register(Ticket, byPath('title'));`);

function start(dataDir: string, plugins: string, ...flags: string[]): Promise<DaemonProcess> {
  return startDaemonProcess({ dataDir, plugins: [plugins], flags });
}

function cli(dataDir: string, plugins: string, ...argv: string[]): Promise<CliResult> {
  return runCli([...argv, '--data-dir', dataDir, '--plugins', plugins], { cwd: dataDir });
}

/** A store with tickets of the first release. */
async function storeWithTickets(): Promise<string> {
  const dataDir = temporaryDirectory();
  const lines = Array.from({ length: OBJECTS }, (_, i) =>
    JSON.stringify({
      apiVersion: 'desk.example.com/v1alpha1',
      kind: 'Ticket',
      metadata: { name: `t-${i}` },
      spec: { subject: `s${i}`, n: i },
    }),
  );
  writeFileSync(path.join(dataDir, 'tickets.ndjson'), lines.join('\n'));
  expect((await cli(dataDir, FIRST, 'import', '-f', 'tickets.ndjson')).err).toBe('');
  return dataDir;
}

async function statusOf(daemon: DaemonProcess): Promise<unknown> {
  return ((await daemon.get(PLUGIN)).json() as { status: unknown }).status;
}

describe('a release with a new storage version', () => {
  it('serves the objects that there are in both versions, and counts those that do not fit', async () => {
    const daemon = await start(await storeWithTickets(), SECOND);
    const now = (await daemon.get(`${GROUP}/v1/tickets?fieldSelector=spec.title=s7`)).json();
    expect(now.items).toMatchObject([{ apiVersion: 'desk.example.com/v1', spec: { title: 's7', n: 7 } }]);
    const before = await daemon.get(`${GROUP}/v1alpha1/tickets?fieldSelector=spec.subject=s7`);
    expect(before.json().items).toMatchObject([
      { apiVersion: 'desk.example.com/v1alpha1', spec: { subject: 's7', n: 7 } },
    ]);
    expect(before.headers.warning).toContain('use v1');
    await expect
      .poll(() => statusOf(daemon))
      .toMatchObject({
        phase: 'STARTED',
        models: [{ version: 'v1', versions: ['v1', 'v1alpha1'], objects: OBJECTS, unfit: 9 }],
      });
  });

  it('is not started when no class declares the version that objects are stored in', async () => {
    const daemon = await start(await storeWithTickets(), UNDECLARED);
    expect(await statusOf(daemon)).toMatchObject({
      phase: 'FAILED',
      message: expect.stringContaining(`${OBJECTS} Ticket objects are stored in version v1alpha1`) as unknown,
    });
  });

  it('is not started with --unfit refuse while objects do not fit', async () => {
    const daemon = await start(await storeWithTickets(), SECOND, '--unfit', 'refuse');
    expect(await statusOf(daemon)).toMatchObject({
      phase: 'FAILED',
      message: expect.stringContaining('9 stored objects of Ticket are invalid: t-51: ') as unknown,
    });
  });
});

describe('outstanding migrations', () => {
  it('fail the plugin with --migrate never, and keep commands from writing', async () => {
    const dataDir = await storeWithTickets();
    await (await start(dataDir, SECOND)).stop();
    for (let i = 51; i < OBJECTS; i++) await cli(dataDir, SECOND, 'delete', 'ticket', `t-${i}`);
    const label = await cli(dataDir, THIRD, 'label', 'ticket', 't-1', 'a=b');
    expect(label).toMatchObject({ code: 6 });
    expect(label.err).toContain('run `xsvc model migrate Ticket`');
    const refusing = await start(dataDir, THIRD, '--migrate', 'never');
    expect(await statusOf(refusing)).toMatchObject({
      phase: 'FAILED',
      message: expect.stringContaining('xsvc model migrate Ticket') as unknown,
    });
    await refusing.stop();
    const daemon = await start(dataDir, THIRD);
    const { items } = (await daemon.get(`${GROUP}/v1/tickets?size=0`)).json();
    expect(new Set(items.map(({ spec }) => (spec as { title: string }).title.at(-1)))).toEqual(
      new Set(['!']),
    );
    expect(items).toHaveLength(51);
  });
});

describe('a declaration that a running daemon holds', () => {
  it('is left as it is by commands with another release, unless they insist', async () => {
    const dataDir = await storeWithTickets();
    const daemon = await start(dataDir, FIRST);
    const label = await cli(dataDir, SECOND, 'label', 'ticket', 't-1', 'a=b');
    expect(label.code).toBe(6);
    expect(label.err).toMatch(/process \d+ on \S+ serves Ticket with another declaration/);
    const post = {
      apiVersion: 'desk.example.com/v1alpha1',
      kind: 'Ticket',
      metadata: { name: 'new' },
      spec: { subject: 'x' },
    };
    expect((await daemon.send('POST', `${GROUP}/v1alpha1/tickets`, { body: post })).status).toBe(201);

    const insisting = await cli(dataDir, SECOND, 'label', 'ticket', 't-1', 'a=b', '--takeover');
    expect(insisting).toMatchObject({ code: 0 });
    const refused = await daemon.send('POST', `${GROUP}/v1alpha1/tickets`, {
      body: { ...post, metadata: { name: 'two' } },
    });
    expect(refused.status).toBe(503);
    expect(refused.text).toContain('another process declared Ticket differently');
  });

  it('is no hindrance to commands with the same release', async () => {
    const dataDir = await storeWithTickets();
    await start(dataDir, FIRST);
    expect(await cli(dataDir, FIRST, 'reindex', 'tickets')).toMatchObject({ code: 0 });
    expect(await cli(dataDir, FIRST, 'label', 'ticket', 't-1', 'a=b')).toMatchObject({ code: 0 });
  });

  it('is free when the daemon has ended', async () => {
    const dataDir = await storeWithTickets();
    await (await start(dataDir, FIRST)).stop();
    expect(await cli(dataDir, SECOND, 'label', 'ticket', 't-1', 'a=b')).toMatchObject({ code: 0 });
  });
});
