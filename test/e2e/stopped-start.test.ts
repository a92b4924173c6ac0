import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readdirSync, readlinkSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { putFiles } from '../helpers/cli.js';
import {
  killDaemons,
  PROGRAM,
  runProgram,
  spawnDaemon,
  startDaemonProcess,
  type Exit,
} from '../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../helpers/store.js';

afterEach(killDaemons);
afterAll(removeDirectories);

/** The contract of one SIGTERM, at every stage of a start. */
const END_MS = 10_000;

const IN_ORDER: Exit = { code: 0, signal: null };
const BY_SIGNAL: Exit = { code: null, signal: 'SIGTERM' };
const LEFT = /stopping; the start is not finished/;
const ENDED = /was asked to stop \(SIGTERM\) and its start goes on/;

const newDataDir = (): string => path.join(temporaryDirectory(), 'data');

function makeFifo(directory: string, name = 'fifo'): string {
  const fifo = path.join(directory, name);
  execFileSync('mkfifo', [fifo]);
  return fifo;
}

const MANIFEST =
  'apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: { name: odd }\nspec: { version: 1.0.0 }\n';

interface PluginText {
  readonly module?: string;
  readonly start?: string;
}

async function makePlugin(text: PluginText, directory = temporaryDirectory()): Promise<string> {
  const code = `
    import { readFile } from 'node:fs/promises';
    import { AbstractExtension, BasePlugin, GVK, IndexSpecs } from 'xsvc';
    class Item extends AbstractExtension {}
    GVK({ group: 'odd.example.com', version: 'v1', kind: 'Item', plural: 'items', singular: 'item' })(Item);
    const busy = (ms) => { for (const until = Date.now() + ms; Date.now() < until; ); };
    ${text.module ?? ''}
    export default class extends BasePlugin {
      async start() { ${text.start ?? ''} }
    }`;
  await putFiles(directory, { 'plugin.yaml': MANIFEST, 'index.js': code });
  return directory;
}

interface Stopped {
  readonly exit: Exit;
  readonly stderr: string;
  readonly stdout: string;
}

/** Starts a service, sends a signal when its log has a line, and waits for its end. */
async function stopAt(
  line: RegExp,
  {
    plugin,
    dataDir = newDataDir(),
    flags = [],
    signal = 'SIGTERM',
  }: {
    readonly plugin?: string;
    readonly dataDir?: string;
    readonly flags?: readonly string[];
    readonly signal?: NodeJS.Signals;
  },
): Promise<Stopped> {
  const plugins = plugin === undefined ? [] : [plugin];
  const { child, output, exited } = spawnDaemon({ dataDir, plugins, flags });
  let isOver = false;
  void exited.then(() => (isOver = true));
  await expect.poll(() => isOver || line.test(output.stderr), { interval: 5 }).toBe(true);
  expect(isOver, output.stderr).toBe(false);
  child.kill(signal);
  const late = setTimeout(() => child.kill('SIGKILL'), END_MS);
  const exit = await exited;
  clearTimeout(late);
  return { exit, ...output };
}

describe('SIGTERM ends a start', () => {
  it('whose plugin waits at its top level', async () => {
    const plugin = await makePlugin({
      module: `console.log('is there'); await new Promise(() => undefined);`,
    });
    const { exit, stderr } = await stopAt(/is there/, { plugin });
    expect([exit, stderr]).toEqual([IN_ORDER, expect.stringMatching(LEFT)]);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'whose plugin does not end start(), while HTTP answers; by %s',
    async (signal) => {
      const plugin = await makePlugin({
        start: `console.log('is there'); await new Promise(() => undefined);`,
      });
      const { exit, stderr } = await stopAt(/HTTP answers[^]*is there/, { plugin, signal });
      expect([exit, stderr]).toEqual([IN_ORDER, expect.stringMatching(LEFT)]);
    },
  );

  it('whose plugin blocks the event loop, by SIGINT as well', async () => {
    const plugin = await makePlugin({ start: `console.log('is there'); for (;;);` });
    const { exit } = await stopAt(/is there/, { plugin, signal: 'SIGINT' });
    expect(exit).toEqual({ code: null, signal: 'SIGINT' });
  });

  it('whose plugin blocks the event loop, with the place in the log', async () => {
    const plugin = await makePlugin({ start: `console.log('is there'); for (;;);` });
    const { exit, stderr } = await stopAt(/is there/, { plugin });
    expect([exit, stderr]).toEqual([BY_SIGNAL, expect.stringMatching(ENDED)]);
    expect(stderr).toContain(path.join(plugin, 'index.js'));
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'whose plugin blocks the event loop of a worker; by %s',
    async (signal) => {
      const plugin = await makePlugin({ start: `console.log('is there'); for (;;);` });
      const { exit, stderr } = await stopAt(/is there/, { plugin, signal, flags: ['--workers', '2'] });
      expect([exit, stderr]).toEqual([IN_ORDER, expect.stringMatching(ENDED)]);
    },
  );

  it('whose plugin blocks the process outside of JavaScript', async () => {
    const fifo = JSON.stringify(makeFifo(temporaryDirectory()));
    const start = `const { readFileSync } = await import('node:fs'); console.log('is there'); readFileSync(${fifo});`;
    const { exit, stderr } = await stopAt(/is there/, { plugin: await makePlugin({ start }) });
    expect([exit, stderr]).toEqual([{ code: null, signal: 'SIGKILL' }, expect.stringMatching(ENDED)]);
  });

  it('whose plugin has a thread that waits for a pipe', async () => {
    const fifo = JSON.stringify(makeFifo(temporaryDirectory()));
    const plugin = await makePlugin({ start: `console.log('is there'); await readFile(${fifo});` });
    const { exit, stderr } = await stopAt(/is there/, { plugin });
    expect([exit, stderr]).toEqual([BY_SIGNAL, expect.stringMatching(LEFT)]);
  });

  it('whose configuration file is a pipe into which nothing is written', async () => {
    const fifo = makeFifo(temporaryDirectory());
    const { child, output, exited } = spawnDaemon({ dataDir: newDataDir(), flags: ['--config', fifo] });
    // Opening a pipe for writing fails until it has a reader.
    let writer = -1;
    await expect.poll(() => (writer = openIfRead(fifo)), { interval: 5 }).toBeGreaterThan(0);
    child.kill('SIGTERM');
    expect([await exited, output.stderr]).toEqual([IN_ORDER, expect.stringMatching(LEFT)]);
    closeSync(writer);
  });

  it.each([
    ['index', `specs.add(IndexSpecs.single('spec.slow', 'string').indexFunc(() => (busy(5), 'x')))`, ''],
    [
      'migration',
      '',
      `{ migrations: [{ id: 'slow', up: (object) => (busy(5), { ...object, spec: { b: 1 } }) }] }`,
    ],
  ])('whose %s takes long, and the next start goes on', async (_what, index, options) => {
    const dataDir = newDataDir();
    const plugin = await makePlugin({ start: 'this.ctx.schemeManager.register(Item);' });
    const daemon = await startDaemonProcess({ dataDir, plugins: [plugin] });
    const items = Array.from({ length: 1_500 }, (_, i) => ({
      verb: 'create',
      object: { apiVersion: 'odd.example.com/v1', kind: 'Item', metadata: { name: `i${i}` }, spec: { a: i } },
    }));
    const stored = await daemon.send('POST', '/apis/api.platform.run/v1alpha1/batches', { body: { items } });
    expect(stored.status).toBe(200);
    await daemon.stop();
    const register = `this.ctx.schemeManager.register(Item, (specs) => { ${index} }, ${options || '{}'});`;
    await makePlugin({ start: register }, plugin);
    const { exit, stderr } = await stopAt(/building indexes|migrations of|migrating/, { plugin, dataDir });
    expect([exit, stderr]).toEqual([IN_ORDER, expect.stringMatching(LEFT)]);
    await makePlugin({ start: register.replace('busy(5)', '0') }, plugin);
    const next = await startDaemonProcess({ dataDir, plugins: [plugin] });
    expect((await next.get('/apis/odd.example.com/v1/items?size=1')).json()).toMatchObject({ total: 1_500 });
    await next.stop();
  });

  it('whose database does not answer', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const flags = ['--store', `postgres://nobody@127.0.0.1:${port}/none`, '--store-timeout', '5m'];
    const { child, output, exited } = spawnDaemon({ dataDir: newDataDir(), plugins: [], flags });
    await once(server, 'connection');
    child.kill('SIGTERM');
    expect([await exited, output.stderr]).toEqual([IN_ORDER, expect.stringMatching(LEFT)]);
    server.close();
  });
});

function openIfRead(fifo: string): number {
  try {
    return openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return -1;
  }
}

function hasOpen(pid: number | undefined, name: string): boolean {
  const directory = `/proc/${pid}/fd`;
  return readdirSync(directory).some((fd) => {
    try {
      return path.basename(readlinkSync(path.join(directory, fd))) === name;
    } catch {
      return false;
    }
  });
}

/** Commits, and is stopped while it has the lock of writers. */
const WRITER = `
  const { openLmdb } = await import(${JSON.stringify(new URL('../../dist/engines/lmdb/engine.js', import.meta.url).href)});
  const engine = await openLmdb(process.argv[1]);
  await engine.commit((tx) => {
    tx.put(Buffer.from('other'), Buffer.from('1'));
    console.log('stopped');
    process.kill(process.pid, 'SIGSTOP');
  });`;

it('SIGTERM ends a start that waits for the lock of a process that is stopped', async () => {
  const dataDir = newDataDir();
  await (await startDaemonProcess({ dataDir, plugins: [] })).stop();
  const writer = spawn(process.execPath, ['--input-type=module', '-e', WRITER, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(createInterface(writer.stdout), 'line');
    const { child, exited } = spawnDaemon({ dataDir, plugins: [] });
    await expect.poll(() => hasOpen(child.pid, 'lock.mdb'), { interval: 5 }).toBe(true);
    child.kill('SIGTERM');
    const at = performance.now();
    await exited;
    expect(performance.now() - at).toBeLessThan(END_MS);
  } finally {
    writer.kill('SIGKILL');
  }
});

it('a command whose plugin waits for a slow disk is done, and not ended by a signal', async () => {
  const directory = temporaryDirectory();
  const fifo = JSON.stringify(makeFifo(directory));
  const plugin = await makePlugin({
    module: "import { writeFile } from 'node:fs/promises';",
    // The thread that opens the pipe to read waits until another one writes.
    start: `this.ctx.schemeManager.register(Item);
      void readFile(${fifo});
      setTimeout(() => void writeFile(${fifo}, ''), 1_500);`,
  });
  await putFiles(directory, {
    'item.yaml': 'apiVersion: odd.example.com/v1\nkind: Item\nmetadata: { name: one }\n',
  });
  const file = path.join(directory, 'item.yaml');
  const ended = await runProgram(['apply', '-f', file, '--data-dir', newDataDir(), '--plugins', plugin]);
  expect(ended).toMatchObject({
    code: 0,
    signal: null,
    stdout: expect.stringContaining('created') as string,
  });
});

describe('SIGTERM ends within two seconds, while nothing is written into a pipe,', () => {
  it.each([
    ['apply -f FIFO --data-dir DATA'],
    ['create -f FIFO --data-dir DATA'],
    ['import -f FIFO --data-dir DATA'],
    ['diff -f FIFO --data-dir DATA'],
    ['delete -f FIFO --data-dir DATA'],
    ['validate -f FIFO'],
    ['get persons --config FIFO'],
    ['apply -f none.yaml --config FIFO'],
    ['mcp --config FIFO'],
    ['serve --config FIFO'],
    ['serve --port 0 --data-dir DATA --tls-cert FIFO --tls-key FIFO'],
  ])('xsvc %s', async (line) => {
    const fifo = makeFifo(temporaryDirectory());
    const args = line.replaceAll('FIFO', fifo).replaceAll('DATA', newDataDir()).split(' ');
    const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: 'ignore' });
    const exited = once(child, 'exit');
    let writer = -1;
    await expect.poll(() => (writer = openIfRead(fifo)), { interval: 5 }).toBeGreaterThan(0);
    const asked = performance.now();
    child.kill('SIGTERM');
    await exited;
    expect(performance.now() - asked).toBeLessThan(2_000);
    closeSync(writer);
  });
});

describe('a start that cannot go on', () => {
  it('ends when a plugin ends the process, with its name', async () => {
    const plugin = await makePlugin({ start: 'process.exit(0);' });
    const { exit, stderr } = await spawnedToEnd(plugin);
    expect(exit).toEqual({ code: 1, signal: null });
    expect(stderr).toMatch(/plugin "odd" exited the program before it was done/);
  });

  it('ends when its configuration file is a pipe without a writer', async () => {
    const fifo = makeFifo(temporaryDirectory());
    const ended = await runProgram(['serve', '--config', fifo]);
    expect(ended).toMatchObject({ code: 2, signal: null });
    expect(ended.stderr).toMatch(/cannot read the configuration file: it is a pipe without a writer/);
  });

  it('ends when its data directory cannot be created', async () => {
    const ended = await runProgram(['serve', '--port', '0', '--data-dir', '/proc/xsvc']);
    expect(ended).toMatchObject({ code: 6, signal: null });
  });
});

async function spawnedToEnd(plugin: string): Promise<Stopped> {
  const { output, exited } = spawnDaemon({ dataDir: newDataDir(), plugins: [plugin] });
  return { exit: await exited, ...output };
}

it('a pipe among the declared objects of a plugin fails the plugin, and not the service', async () => {
  const plugin = await makePlugin({});
  await putFiles(plugin, { 'extensions/none.yaml': '' });
  const fifo = makeFifo(path.join(plugin, 'extensions'), 'pipe.yaml');
  const daemon = await startDaemonProcess({ dataDir: newDataDir(), plugins: [plugin] });
  const odd = await daemon.get('/apis/plugin.platform.run/v1alpha1/plugins/odd');
  const message = `${fifo}: is not a file; remove it, or replace it by one`;
  expect(odd.json().status).toMatchObject({ phase: 'FAILED', message });
  expect(await daemon.stop()).toEqual(IN_ORDER);
});
