import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, it } from 'vitest';
import { run } from '../../../src/cli/program.js';
import { testIo } from '../../cli/helpers.js';
import { putFiles, runCli } from '../../helpers/cli.js';
import {
  EXAMPLE_PLUGINS,
  FIXTURE_PLUGINS,
  killDaemons,
  startDaemonProcess,
  type DaemonProcess,
} from '../../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

afterEach(killDaemons);
afterAll(removeDirectories);

const PLUGINS_PATH = '/apis/plugin.platform.run/v1alpha1/plugins';
const TASKS = '/apis/doubler.example.com/v1/tasks';
const CONTROLLERS = '/apis/controller.platform.run/v1alpha1/controllers';

async function until(check: () => Promise<boolean>, what: string, ms = 60_000): Promise<void> {
  const end = Date.now() + ms;
  while (!(await check())) {
    if (Date.now() > end) throw new Error(`it did not happen within ${ms} ms: ${what}`);
    await sleep(20);
  }
}

async function phaseOf(daemon: DaemonProcess, name: string): Promise<unknown> {
  const { body } = await statusOf(daemon, name);
  return body?.phase;
}

async function statusOf(
  daemon: DaemonProcess,
  name: string,
): Promise<{ readonly body: { readonly phase?: string; readonly message?: string } | undefined }> {
  const answer = await daemon.get(`${PLUGINS_PATH}/${name}`);
  return { body: (JSON.parse(answer.text) as { status?: { phase?: string; message?: string } }).status };
}

async function controllerNames(daemon: DaemonProcess): Promise<string[]> {
  const { items } = JSON.parse((await daemon.get(CONTROLLERS)).text) as {
    items: { metadata: { name: string } }[];
  };
  return items.map(({ metadata }) => metadata.name);
}

function setEnabled(daemon: DaemonProcess, name: string, enabled: boolean) {
  return daemon.send('PATCH', `${PLUGINS_PATH}/${name}`, {
    body: { spec: { enabled } },
    headers: { 'content-type': 'application/merge-patch+json' },
  });
}

/** Two plugins, the second of which needs the first. */
async function twoPlugins(): Promise<string> {
  const directory = path.join(temporaryDirectory(), 'plugins');
  await cp(path.join(FIXTURE_PLUGINS, 'doubler'), path.join(directory, 'doubler'), { recursive: true });
  await putFiles(path.join(directory, 'tripler'), {
    'plugin.yaml':
      'apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata:\n  name: tripler\n' +
      "spec:\n  version: 1.0.0\n  pluginDependencies: { doubler: '^1.0.0' }\n",
    'index.js': "import { BasePlugin } from 'xsvc';\nexport default class extends BasePlugin {}\n",
  });
  return directory;
}

it('a plugin is stopped and started through its object, its dependents and controllers with it; the choice outlives a restart', async () => {
  const dataDir = temporaryDirectory();
  const plugins = [await twoPlugins()];
  let daemon = await startDaemonProcess({ dataDir, plugins });
  await daemon.send('POST', TASKS, { body: { metadata: { name: 'one' }, spec: { n: 21 } } });
  await until(async () => (await daemon.get(`${TASKS}/one`)).text.includes('"doubled":42'), 'the status');

  expect((await setEnabled(daemon, 'doubler', false)).status).toBe(200);
  await until(async () => (await phaseOf(daemon, 'doubler')) === 'DISABLED', 'the stop');
  expect((await daemon.get(`${TASKS}/one`)).status).toBe(404);
  expect(await controllerNames(daemon)).toEqual(['platform-plugin-switch']);
  // Each is reported by itself.
  await expect
    .poll(async () => (await statusOf(daemon, 'tripler')).body)
    .toMatchObject({ phase: 'PENDING', message: 'waits for plugin "doubler", which is DISABLED' });

  await daemon.stop();
  daemon = await startDaemonProcess({ dataDir, plugins });
  expect(await phaseOf(daemon, 'doubler')).toBe('DISABLED');

  // As an operator would, on the store, beside the daemon.
  const argv = ['plugin', 'enable', 'doubler', '--data-dir', dataDir, '--plugins', ...plugins];
  expect(await runCli(argv, { cwd: dataDir })).toMatchObject({ code: 0, out: 'plugins/doubler enabled\n' });
  await until(async () => (await phaseOf(daemon, 'tripler')) === 'STARTED', 'the start of both');
  expect((await daemon.get(`${TASKS}/one`)).status).toBe(200);
  expect(await controllerNames(daemon)).toEqual(['doubler-task-reconciler', 'platform-plugin-switch']);
  expect((await daemon.stop()).code).toBe(0);
});

it('a plugin has an object again when somebody deletes it, and one that is no longer installed says so', async () => {
  const dataDir = temporaryDirectory();
  const directory = await twoPlugins();
  let daemon = await startDaemonProcess({ dataDir, plugins: [directory] });
  const uid = async (): Promise<unknown> => {
    const answer = await daemon.get(`${PLUGINS_PATH}/doubler`);
    return answer.status === 200 ? /"uid":"[^"]*"/.exec(answer.text)?.[0] : undefined;
  };
  const before = await uid();
  expect((await daemon.send('DELETE', `${PLUGINS_PATH}/doubler`)).status).toBe(200);
  await until(async () => ![before, undefined].includes(await uid()), 'a new object');
  expect((await statusOf(daemon, 'doubler')).body).toMatchObject({
    phase: 'STARTED',
    models: [{ group: 'doubler.example.com', plural: 'tasks', version: 'v1' }],
  });

  await daemon.stop();
  await rm(path.join(directory, 'doubler'), { recursive: true });
  daemon = await startDaemonProcess({ dataDir, plugins: [directory] });
  expect((await statusOf(daemon, 'doubler')).body).toMatchObject({
    phase: 'MISSING',
    message: 'its directory is not there; put it back, or delete this object',
    models: [],
  });
  await daemon.send('DELETE', `${PLUGINS_PATH}/doubler`);
  expect((await daemon.get(`${PLUGINS_PATH}/doubler`)).status).toBe(404);
  expect((await daemon.stop()).code).toBe(0);
});

it('a plugin follows the model of another one by the class that it imports from there', async () => {
  const directory = await twoPlugins();
  await putFiles(path.join(directory, 'tripler'), {
    'index.js':
      "import { BasePlugin } from 'xsvc';\nimport { Task } from '../doubler/index.js';\n" +
      'export default class extends BasePlugin {}\n' +
      'export class Tripler {\n  constructor(ctx) { this.ctx = ctx; }\n' +
      '  setupWith(builder) { return builder.extension(Task).build(); }\n' +
      '  async reconcile({ name }) {\n    const task = await this.ctx.client.fetch(Task, name);\n' +
      '    if (task === undefined || task.spec.tripled !== undefined) return;\n' +
      '    await this.ctx.client.patch(Task, name, { spec: { tripled: task.spec.n * 3 } });\n  }\n}\n',
  });
  const daemon = await startDaemonProcess({ dataDir: temporaryDirectory(), plugins: [directory] });
  await daemon.send('POST', TASKS, { body: { metadata: { name: 'one' }, spec: { n: 5 } } });
  await until(async () => (await daemon.get(`${TASKS}/one`)).text.includes('"tripled":15'), 'the change');
  expect((await daemon.stop()).code).toBe(0);
});

it('xsvc watch prints each change once, though the model was gone for a while', async () => {
  const daemon = await startDaemonProcess({ dataDir: temporaryDirectory(), plugins: [await twoPlugins()] });
  const io = testIo({ cwd: '/' });
  const argv = ['watch', 'tasks', '-o', 'name', '--output-watch-events', '--server', daemon.url];
  const exit = run(argv, io);
  // Beside those of two controllers.
  await until(async () => (await daemon.get('/metrics')).text.includes('xsvc_watchers 3'), 'the watch');
  await daemon.send('POST', TASKS, { body: { metadata: { name: 'one' }, spec: { n: 5 } } });
  await until(async () => io.stdout.text === 'ADDED tasks/one\nMODIFIED tasks/one\n', 'two events');
  await setEnabled(daemon, 'doubler', false);
  await until(async () => io.stderr.text.split('watching again').length > 2, 'an attempt in vain');
  await setEnabled(daemon, 'doubler', true);
  await until(async () => (await phaseOf(daemon, 'doubler')) === 'STARTED', 'the start');
  await daemon.send('DELETE', `${TASKS}/one`);
  await until(async () => io.stdout.text.includes('DELETED'), 'the last event');
  expect(io.stdout.text).toBe('ADDED tasks/one\nMODIFIED tasks/one\nDELETED tasks/one\n');
  io.stop();
  expect(await exit).toBe(0);
  await daemon.stop();
});

it('serve --watch reloads a plugin when its files change, loads new ones, and forgets removed ones', async () => {
  const directory = await twoPlugins();
  const main = path.join(directory, 'doubler/index.js');
  const daemon = await startDaemonProcess({
    dataDir: temporaryDirectory(),
    plugins: [directory],
    flags: ['--watch'],
  });
  const text = await readFile(main, 'utf8');
  await daemon.send('POST', TASKS, { body: { metadata: { name: 'one' }, spec: { n: 5 } } });
  await until(async () => (await daemon.get(`${TASKS}/one`)).text.includes('"doubled":10'), 'the status');

  await writeFile(main, text.replaceAll('spec.n * 2', 'spec.n * 20'));
  await until(async () => (await daemon.get(`${TASKS}/one`)).text.includes('"doubled":100'), 'the new code');

  await writeFile(main, 'this is no JavaScript');
  // In one look: a file that is written in two steps is read twice.
  const message = async (): Promise<string | undefined> => {
    const { body } = await statusOf(daemon, 'doubler');
    return body?.phase === 'STARTED' ? (body.message ?? '') : undefined;
  };
  await until(async () => (await message())?.includes('index.js:1') === true, 'the fault, with its place');
  expect((await daemon.get(`${TASKS}/one`)).text).toContain('"doubled":100');
  await writeFile(main, text);
  await until(async () => (await message()) === '', 'the sound files');
  await until(async () => (await phaseOf(daemon, 'tripler')) === 'STARTED', 'the recovery of both');

  await cp(path.join(EXAMPLE_PLUGINS, 'bookmark'), path.join(directory, 'bookmark'), { recursive: true });
  await until(async () => (await phaseOf(daemon, 'bookmark')) === 'STARTED', 'the new plugin');
  await rm(path.join(directory, 'bookmark'), { recursive: true });
  const bookmarks = '/apis/bookmark.example.com/v1alpha1/bookmarks';
  await until(async () => (await daemon.get(bookmarks)).status === 404, 'the end of the plugin that is gone');
  expect((await daemon.stop()).code).toBe(0);
});

it('the catalogue knows the dependents of a package, and lets it be deleted only when there are none', async () => {
  const daemon = await startDaemonProcess({
    dataDir: temporaryDirectory(),
    plugins: [path.join(EXAMPLE_PLUGINS, 'catalogue')],
  });
  const packages = '/apis/catalogue.example.com/v1alpha1/packages';
  const body = (name: string, depends: readonly string[] = []) => ({
    metadata: { name },
    spec: { packageName: name, version: '1', depends },
  });
  const statusIs = (name: string, status: object) =>
    until(
      async () => {
        const object = JSON.parse((await daemon.get(`${packages}/${name}`)).text) as { status?: object };
        return JSON.stringify(object.status) === JSON.stringify(status);
      },
      `${name} is ${JSON.stringify(status)}`,
    );
  await daemon.send('POST', packages, { body: body('app', ['lib-a', 'lib-b']) });
  await statusIs('app', { dependents: 0, unresolved: ['lib-a', 'lib-b'], health: 'Incomplete' });
  await daemon.send('POST', packages, { body: body('lib-a') });
  await daemon.send('POST', packages, { body: body('lib-b') });
  await statusIs('app', { dependents: 0, unresolved: [], health: 'Installable' });
  await statusIs('lib-a', { dependents: 1, unresolved: [], health: 'Installable' });

  await until(
    async () => (await daemon.get(`${packages}/lib-a`)).text.includes('catalogue.example.com/in-use'),
    'the finalizer',
  );
  await daemon.send('DELETE', `${packages}/lib-a`);
  expect((await daemon.get(`${packages}/lib-a`)).text).toContain('deletionTimestamp');
  const described = await runCli(['describe', 'packages', 'lib-a', '--server', daemon.url], { cwd: '/' });
  expect(described).toMatchObject({ code: 0, err: '' });
  expect(described.out).toMatch(/^Finalizers: +catalogue.example.com\/in-use\nDeleted: +.*Z \(\d+s ago\)$/m);
  expect(described.out).toMatch(/^Controllers: /m);
  await daemon.send('DELETE', `${packages}/app`);
  await until(async () => (await daemon.get(`${packages}/lib-a`)).status === 404, 'the end of lib-a');
  expect((await daemon.stop()).code).toBe(0);
});

it('an error in a timer of a plugin, and an unhandled rejection, are logged, and the service goes on', async () => {
  const daemon = await startDaemonProcess({
    dataDir: temporaryDirectory(),
    plugins: [path.join(FIXTURE_PLUGINS, 'strays')],
  });
  const logged = (text: string) => until(async () => daemon.output.stderr.includes(text), text);
  await logged('thrown in a timer');
  await logged('forgotten rejection');
  expect((await daemon.get('/readyz')).text).toBe('ok');
  expect((await daemon.stop()).code).toBe(0);
});
