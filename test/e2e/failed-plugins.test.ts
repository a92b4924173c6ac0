import path from 'node:path';
import { rm } from 'node:fs/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { putFiles } from '../helpers/cli.js';
import { killDaemons, runProgram, spawnDaemon, startDaemonProcess } from '../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterEach(killDaemons);
afterAll(removeDirectories);

const newDataDir = (): string => path.join(temporaryDirectory(), 'data');

const MODULE = `
  import { AbstractExtension, BasePlugin, GVK, IndexSpecs, RouteBuilder } from 'xsvc';
  class Item extends AbstractExtension {}
  GVK({ group: 'odd.example.com', version: 'v1', kind: 'Item', plural: 'items', singular: 'item' })(Item);
  export default class extends BasePlugin {
    start() { this.ctx.schemeManager.register(Item); }
  }
  const controller = (setupWith) => ({ reconcile() {}, setupWith });`;

/** The module with other arguments of `register`. */
const registering = (rest: string): string => MODULE.replace('register(Item)', `register(Item, ${rest})`);
const indexing = (body: string): string =>
  registering(`(specs) => specs.add(IndexSpecs.single('spec.a', 'string').indexFunc(() => { ${body} }))`);
const migrating = (body: string): string =>
  registering(`undefined, { migrations: [{ id: 'one', up: () => { ${body} } }] }`);
const serving = (body: string): string =>
  `${MODULE} export const routes = { groupVersion: () => 'api.odd.example.com/v1', endpoint() { ${body} } };`;

const declared = (release: number): string => `
apiVersion: odd.example.com/v1
kind: Item
metadata: { name: item }
spec: { release: ${release} }
---
apiVersion: access.platform.run/v1alpha1
kind: Role
metadata: { name: odd }
rules: [{ apiGroups: ['${release === 1 ? 'odd.example.com' : '*'}'], resources: ['*'], verbs: ['*'] }]
---
apiVersion: odd.example.com/v1
kind: Item
metadata: { name: only-${release} }
`;

async function putRelease(plugin: string, release: number, files: Readonly<Record<string, string>> = {}) {
  await putFiles(plugin, {
    'plugin.yaml': `apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: { name: odd }\nspec: { version: ${release}.0.0 }\n`,
    'index.js': MODULE,
    'extensions/all.yaml': declared(release),
    ...files,
  });
}

/** The objects that the plugin declares, as they are in the store. */
async function storedIn(dataDir: string): Promise<unknown> {
  const read = async (resource: string): Promise<readonly object[]> => {
    const { stdout } = await runProgram(['get', resource, '-o', 'json', '--data-dir', dataDir]);
    return stdout === '' ? [] : (JSON.parse(stdout) as { readonly items: readonly object[] }).items;
  };
  return (await Promise.all([read('items'), read('roles')])).flat().map((object) => {
    const { kind, metadata, spec, rules } = object as Readonly<Record<string, { name?: string }>>;
    return { kind, name: metadata?.name, spec, rules };
  });
}

const FAULTS: readonly (readonly [what: string, files: Readonly<Record<string, string>>])[] = [
  [
    'an endpoint whose path is too long',
    {
      'index.js': `${MODULE} export const routes = {
        groupVersion: () => 'api.odd.example.com/v1',
        endpoint: () => RouteBuilder.route().GET('/a/b/c/d/e/f/g', () => 0).build(),
      };`,
    },
  ],
  [
    'a controller whose setupWith throws',
    { 'index.js': `${MODULE} export const one = controller(() => { throw new Error('odd'); });` },
  ],
  [
    'a controller of a model that is not there',
    {
      'index.js': `${MODULE} class Other extends AbstractExtension {}
        GVK({ group: 'no.example.com', version: 'v1', kind: 'No', plural: 'noes', singular: 'no' })(Other);
        export const one = controller((builder) => builder.extension(Other).build());`,
    },
  ],
  [
    'a component whose constructor throws',
    {
      'index.js': `${MODULE} export class One { constructor() { throw new Error('odd'); } reconcile() {} setupWith() {} }`,
    },
  ],
  ['start() that throws', { 'index.js': MODULE.replace('register(Item);', '$& throw new Error("odd");') }],
  ['a migration that throws', { 'index.js': migrating("throw new Error('odd');") }],
  ['endpoint() that throws', { 'index.js': serving("throw new Error('odd');") }],
  ['process.exit in a migration', { 'index.js': migrating('process.exit(0);') }],
  ['another file of extensions/ that is wrong', { 'extensions/wrong.yaml': 'kind: Item\n' }],
  ['a declared object without a model', { 'extensions/wrong.yaml': declared(2).replaceAll('Item', 'Thing') }],
  [
    'process.exit in setupWith',
    { 'index.js': `${MODULE} export const one = controller(() => process.exit(0));` },
  ],
];

describe('a plugin that fails leaves the objects of its last release as they were', () => {
  it.each([
    ...FAULTS.map((fault) => [...fault, []] as const),
    ...FAULTS.slice(-2).map((fault) => [...fault, ['--strict']] as const),
  ])('because of %s', async (_what, files, flags) => {
    const dataDir = newDataDir();
    const plugin = temporaryDirectory();
    await putRelease(plugin, 1);
    await (await startDaemonProcess({ dataDir, plugins: [plugin] })).stop();
    const before = await storedIn(dataDir);
    expect(before).toMatchObject([
      { name: 'item', spec: { release: 1 } },
      { name: 'only-1' },
      { kind: 'Role' },
    ]);
    await putRelease(plugin, 2, files);
    await failedStart(dataDir, plugin, flags);
    expect(await storedIn(dataDir)).toEqual(before);
  });
});

const EXITS = {
  'the module': `${MODULE} process.exit(0);`,
  'endpoint()': serving('process.exit(0);'),
  'an index function': indexing('process.exit(0);'),
  setupWith: `${MODULE} export const one = controller(() => process.exit(0));`,
  'the constructor of a component': `${MODULE} export class One { constructor() { process.exit(0); } reconcile() {} setupWith() {} }`,
  'the constructor of the plugin': MODULE.replace(
    'start()',
    'constructor(ctx) { super(ctx); process.exit(0); } start()',
  ),
  'start()': MODULE.replace('register(Item);', 'register(Item); process.exit(0);'),
  'start() later': MODULE.replace(
    'register(Item);',
    'register(Item); return new Promise(() => setTimeout(process.exit, 1));',
  ),
};

describe.each([[[]], [['--strict']]])(
  'a plugin that ends the process at its first start leaves no object %j',
  (flags) => {
    it.each(Object.entries(EXITS))('in %s', async (_place, text) => {
      const dataDir = newDataDir();
      const plugin = temporaryDirectory();
      await putRelease(plugin, 1, { 'index.js': text });
      await failedStart(dataDir, plugin, flags);
      expect(await storedIn(dataDir)).toEqual([]);
    });
  },
);

/** Starts a service until its plugin has failed or has ended it, and ends it. */
async function failedStart(dataDir: string, plugin: string, flags: readonly string[]): Promise<void> {
  const { child, output, exited } = spawnDaemon({ dataDir, plugins: [plugin], flags });
  let isOver = false;
  void exited.then(() => (isOver = true));
  await expect.poll(() => isOver || output.stdout.includes('listening'), { interval: 5 }).toBe(true);
  expect(output.stderr).toMatch(/odd\\" failed|exited the program/);
  child.kill('SIGTERM');
  expect(await exited).toMatchObject({ signal: null });
}

describe('the phases of plugins', () => {
  const at = '/apis/plugin.platform.run/v1alpha1/plugins/odd';

  it('are those of this run before HTTP answers, and missing plugins can be deleted', async () => {
    const dataDir = newDataDir();
    const [gone, waits] = [temporaryDirectory(), temporaryDirectory()];
    await putRelease(gone, 1);
    const named = {
      'plugin.yaml':
        'apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: { name: waits }\nspec: { version: 1.0.0 }\n',
    };
    await putFiles(waits, { ...named, 'index.js': MODULE.replaceAll('odd.example', 'waits.example') });
    await (await startDaemonProcess({ dataDir, plugins: [gone, waits] })).stop();
    await rm(gone, { recursive: true });
    await putFiles(waits, { 'index.js': `${MODULE} await new Promise(() => undefined);` });
    const { child, output, exited } = spawnDaemon({ dataDir, plugins: [waits] });
    const url = /HTTP answers at (http:[^;]+);/;
    await expect.poll(() => url.exec(output.stderr)?.[1], { interval: 1 }).toBeDefined();
    const send = async (path: string, method = 'GET'): Promise<Readonly<Record<string, unknown>>> =>
      (await (await fetch(`${url.exec(output.stderr)?.[1] ?? ''}${path}`, { method })).json()) as never;
    expect((await send(at.replace('odd', 'waits'))).status).toMatchObject({
      phase: 'PENDING',
      endpoints: [],
      models: [],
    });
    const message = 'its directory is not there; put it back, or delete this object';
    expect((await send(at)).status).toMatchObject({ phase: 'MISSING', message });
    expect(await send(at, 'DELETE')).toMatchObject({ kind: 'Plugin' });
    expect(await send(at)).toMatchObject({ code: 404 });
    child.kill('SIGTERM');
    await exited;
  });

  it('become MISSING when the directory goes while the service runs', async () => {
    const plugins = temporaryDirectory();
    await putRelease(path.join(plugins, 'odd'), 1);
    const daemon = await startDaemonProcess({
      dataDir: newDataDir(),
      plugins: [plugins],
      flags: ['--watch'],
    });
    await rm(path.join(plugins, 'odd'), { recursive: true });
    await expect.poll(async () => (await daemon.get(at)).json().status).toMatchObject({ phase: 'MISSING' });
    expect((await daemon.send('DELETE', at)).status).toBe(200);
    await putRelease(path.join(plugins, 'odd'), 1);
    await expect.poll(async () => (await daemon.get(at)).json().status).toMatchObject({ phase: 'STARTED' });
    await daemon.stop();
  });
});
