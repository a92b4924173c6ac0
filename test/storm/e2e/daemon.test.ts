import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import {
  EXAMPLE_PLUGINS,
  FIXTURE_PLUGINS,
  freePort,
  killDaemons,
  runProgram,
  spawnDaemon,
  startDaemonProcess,
  type DaemonProcess,
} from '../../helpers/daemon.js';
import { parseYaml } from '../../../src/lib/json/yaml.js';
import { newestCommit } from '../../../src/engines/lmdb/files.js';
import { PERSONS, person, sendHttp, type HttpAnswer } from '../../helpers/http.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

afterEach(killDaemons);
afterAll(removeDirectories);

const PLUGINS = '/apis/plugin.platform.run/v1alpha1/plugins';
const GONE = { code: 0, signal: null };

const newDataDir = (): string => path.join(temporaryDirectory(), 'data');

describe('the daemon', () => {
  it('says on stdout when it is ready, and nothing else', async () => {
    const daemon = await startDaemonProcess({ dataDir: newDataDir() });
    expect((await daemon.get('/readyz')).text).toBe('ok');
    expect(await daemon.stop()).toEqual(GONE);
    expect(daemon.output.stdout).toMatch(/^xsvc listening on http:\/\/127\.0\.0\.1:\d+\n$/);
  });

  it('starts the example plugins, with what they declare', async () => {
    const daemon = await startDaemonProcess({ dataDir: newDataDir() });
    const plugins = (await daemon.get(PLUGINS)).json();
    const phases = plugins.items.map(({ metadata, status }) => [metadata.name, status]);
    expect(phases).toMatchObject([
      ['bookmark', { phase: 'STARTED', models: [{ plural: 'bookmarks', versions: ['v1alpha1'], unfit: 0 }] }],
      ['catalogue', { phase: 'STARTED' }],
      ['person', { phase: 'STARTED', lastStartTime: expect.stringMatching(/Z$/) as unknown }],
    ]);
    const red = await daemon.get(`${PERSONS}?labelSelector=demo.example.com/team=red&sort=spec.age`);
    expect(red.json().items.map(({ metadata }) => metadata.name)).toEqual(['cleo', 'ada']);
    expect(await daemon.stop()).toEqual(GONE);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('finishes a slow request on %s, then exits 0', async (signal) => {
    const daemon = await startDaemonProcess({ dataDir: newDataDir() });
    const body = JSON.stringify(person('slow'));
    const socket = connect(daemon.port, '127.0.0.1');
    const closed = once(socket, 'close');
    let answer = '';
    socket.on('data', (part) => (answer += part.toString()));
    const type = 'Content-Type: application/json';
    const head = ['Host: localhost', 'Expect: 100-continue', type, `Content-Length: ${body.length}`];
    socket.write(`POST ${PERSONS} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`);
    // Then the request is under way.
    await expect.poll(() => answer).toMatch(/^HTTP\/1\.1 100 .*\r\n\r\n$/);
    socket.write(body.slice(0, 10));
    daemon.signal(signal);
    const live = (): Promise<string> =>
      daemon.get('/livez').then(
        ({ text }) => text,
        () => 'refused',
      );
    await expect.poll(live).toBe('refused');
    socket.write(body.slice(10));
    expect(await daemon.exited).toEqual(GONE);
    await closed;
    expect(answer).toMatch(/^HTTP\/1\.1 100 .*\r\n\r\nHTTP\/1\.1 201 /);
  });

  it('goes on without a plugin that fails, and says why it failed', async () => {
    const daemon = await startDaemonProcess({
      dataDir: newDataDir(),
      plugins: [path.join(FIXTURE_PLUGINS, 'throwing-start'), path.join(EXAMPLE_PLUGINS, 'person')],
    });
    const failed = (await daemon.get(`${PLUGINS}/throwing-start`)).json();
    expect(failed.status).toMatchObject({ phase: 'FAILED', message: expect.stringMatching(/./) as unknown });
    expect((await daemon.get(`${PLUGINS}/person`)).json().status).toMatchObject({ phase: 'STARTED' });
    expect((await daemon.get(`${PERSONS}/ada`)).status).toBe(200);
    expect(await daemon.stop()).toEqual(GONE);
  });

  it('stops with 1 when a plugin fails in strict mode', async () => {
    const directory = path.join(FIXTURE_PLUGINS, 'throwing-start');
    const flags = ['--port', '0', '--data-dir', newDataDir(), '--plugins', directory, '--strict'];
    const exit = await runProgram(['serve', ...flags]);
    expect([exit.code, exit.stdout]).toEqual([1, '']);
    expect(exit.stderr).toMatch(/throwing-start/);
  });

  it('keeps data over a restart, and builds nothing', async () => {
    const dataDir = newDataDir();
    const first = await startDaemonProcess({ dataDir });
    const created = await first.send('POST', PERSONS, { body: person('kept', { age: 7 }) });
    const before = (await first.get(PERSONS)).json();
    await first.stop();
    const second = await startDaemonProcess({ dataDir });
    expect((await second.get(`${PERSONS}/kept`)).json()).toEqual(created.json());
    expect((await second.get(PERSONS)).json().items).toEqual(before.items);
    expect((await second.get(`${PERSONS}?fieldSelector=spec.age=7`)).json().total).toBe(1);
    await second.stop();
    expect(second.output.stderr).not.toMatch(/building indexes/);
  });

  it('commits together what a start writes that finds nothing new', async () => {
    const dataDir = newDataDir();
    await (await startDaemonProcess({ dataDir })).stop();
    const before = newestCommit(dataDir) ?? 0;
    const daemon = await startDaemonProcess({ dataDir });
    // Of three plugins, each with up to three: it is resolved, its models are held, it is started.
    expect((newestCommit(dataDir) ?? Infinity) - before).toBeLessThanOrEqual(3 + 3 * 3);
    await daemon.stop();
  });

  it('keeps its files to itself, also in a directory that was there before, and warns of one that others write to', async () => {
    const dataDir = path.join(temporaryDirectory(), 'data');
    mkdirSync(dataDir);
    chmodSync(dataDir, 0o755);
    const plugins = [path.join(FIXTURE_PLUGINS, 'top-level-await'), path.join(EXAMPLE_PLUGINS, 'person')];
    const open = (directory: string): string[] =>
      readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter(
        (name) => (statSync(path.join(directory, name)).mode & 0o077) !== 0,
      );
    const first = await startDaemonProcess({ dataDir, plugins });
    expect(readdirSync(dataDir)).toEqual(expect.arrayContaining(['data.mdb', 'lock.mdb', 'plugin-cache']));
    expect(open(dataDir)).toEqual([]);
    await first.stop();
    expect(first.output.stderr).not.toContain('data directory');

    // As an earlier version left them, where everybody may write.
    for (const name of ['data.mdb', 'lock.mdb']) chmodSync(path.join(dataDir, name), 0o664);
    chmodSync(dataDir, 0o777);
    const second = await startDaemonProcess({ dataDir, plugins });
    expect(open(dataDir)).toEqual([]);
    await second.stop();
    expect(second.output.stderr).toContain(
      `other users may write to the data directory ${dataDir} (mode 0777); chmod 700 ${dataDir}`,
    );
  });

  it('refuses an address that is taken, and leaves no half-started process', async () => {
    const first = await startDaemonProcess({ dataDir: newDataDir() });
    const { exited, output } = spawnDaemon({ dataDir: newDataDir(), port: first.port });
    expect((await exited).code).toBe(6);
    expect(output.stderr).toMatch(/cannot listen on 127\.0\.0\.1/);
    await first.stop();
  });
});

describe('a changed index declaration', () => {
  /** Enough objects that building their index takes longer than any pause of the machine. */
  const OBJECTS = 2_000;
  const ITEMS = '/apis/build.example.com/v1/items';

  it('is built at the next start; the model answers 503 meanwhile, all else goes on', async () => {
    const dataDir = newDataDir();
    const plugin = temporaryDirectory();
    writePlugin(plugin, '(o) => o.spec.n');
    const plugins = [plugin, path.join(EXAMPLE_PLUGINS, 'person')];
    const first = await startDaemonProcess({ dataDir, plugins });
    const items = Array.from({ length: OBJECTS }, (_, i) => ({
      verb: 'create',
      object: {
        apiVersion: 'build.example.com/v1',
        kind: 'Item',
        metadata: { name: `i${i}` },
        spec: { n: i },
      },
    }));
    const batches = '/apis/api.platform.run/v1alpha1/batches';
    expect((await first.send('POST', batches, { body: { items } })).status).toBe(200);
    await first.stop();

    writePlugin(plugin, '(o) => { const end = Date.now() + 2; while (Date.now() < end); return -o.spec.n; }');
    const port = await freePort();
    const starting = startDaemonProcess({ dataDir, plugins, port });
    const { refused, slowest, elapsed } = await askWhileBuilding(port, starting);
    const second = await starting;
    expect(refused?.headers['retry-after']).toMatch(/^\d+$/);
    expect(refused?.json()).toMatchObject({ kind: 'Status', reason: 'ServiceUnavailable', code: 503 });
    expect(slowest).toBeLessThan(elapsed / 2);
    expect(second.output.stderr).toMatch(/building indexes of Item/);
    const list = (await second.get(`${ITEMS}?sort=spec.n&size=1`)).json();
    expect([list.total, list.items[0]?.spec.n]).toEqual([OBJECTS, OBJECTS - 1]);
    await expectSameInEveryForm(second);
    await second.stop();
    const check = await runProgram(['check', '--data-dir', dataDir]);
    expect([check.code, check.stderr]).toEqual([0, expect.any(String)]);
  });

  /** Of a long list, another thread writes YAML and rows. */
  async function expectSameInEveryForm(daemon: DaemonProcess): Promise<void> {
    const asked = `${ITEMS}?sort=spec.n`;
    const asTable = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const list = (await daemon.get(asked)).json();
    expect(list.items).toHaveLength(OBJECTS);
    const inYaml = await daemon.send('GET', asked, { headers: { accept: 'application/yaml' } });
    expect(parseYaml(inYaml.text, { maxAliases: 0 })).toEqual(list);
    const inRows = await daemon.send('GET', `${asked}&includeObject=Object`, {
      headers: { accept: asTable },
    });
    const { rows } = JSON.parse(inRows.text) as { rows: { object: unknown }[] };
    expect(rows.map(({ object }) => object)).toEqual(list.items);
  }

  /** The first 503 of the model, the longest that the health path took to answer, and what all took, in milliseconds. */
  async function askWhileBuilding(port: number, ready: Promise<unknown>) {
    const agent = new Agent();
    let refused: HttpAnswer | undefined;
    let slowest = 0;
    const start = performance.now();
    const starting = { done: false };
    const end = (): boolean => (starting.done = true);
    void ready.then(end, end);
    while (!starting.done) {
      const answer = await sendHttp(agent, port, 'GET', ITEMS, {}).catch(() => undefined);
      if (answer?.status === 503) refused ??= answer;
      const began = performance.now();
      const live = await sendHttp(agent, port, 'GET', '/livez', {}).catch(() => undefined);
      if (live !== undefined) slowest = Math.max(slowest, performance.now() - began);
      await sleep(20);
    }
    return { refused, slowest, elapsed: performance.now() - start };
  }

  function writePlugin(directory: string, indexFunction: string): void {
    mkdirSync(directory, { recursive: true });
    writeFileSync(
      path.join(directory, 'plugin.yaml'),
      'apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\nmetadata: {name: build}\nspec: {version: 1.0.0}\n',
    );
    const code = `
      import { AbstractExtension, BasePlugin, GVK, IndexSpecs } from 'xsvc';
      class Item extends AbstractExtension {
        static schema = { type: 'object', properties: { spec: { type: 'object', properties: { n: { type: 'integer' } } } } };
      }
      GVK({ group: 'build.example.com', version: 'v1', kind: 'Item', plural: 'items', singular: 'item' })(Item);
      export default class extends BasePlugin {
        start() {
          this.ctx.schemeManager.register(Item, (specs) => {
            specs.add(IndexSpecs.single('spec.n', 'integer').indexFunc(${indexFunction}));
          });
        }
      }`;
    writeFileSync(path.join(directory, 'index.js'), code);
  }
});
