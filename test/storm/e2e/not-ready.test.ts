import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { EXAMPLE_PLUGINS, freePort, killDaemons, startDaemonProcess } from '../../helpers/daemon.js';
import { PERSONS } from '../../helpers/http.js';
import { openStream } from '../../helpers/watching.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

afterEach(killDaemons);
afterAll(removeDirectories);

const newDataDir = (): string => path.join(temporaryDirectory(), 'data');
const PERSON_PLUGIN = path.join(EXAMPLE_PLUGINS, 'person');
const PLUGINS = '/apis/plugin.platform.run/v1alpha1/plugins';
const BATCHES = '/apis/api.platform.run/v1alpha1/batches';

interface PluginFiles {
  readonly name: string;
  /** Of the `start()` of its main class. */
  readonly start: string;
  readonly before?: string;
}

function writePlugin(directory: string, { name, start, before = '' }: PluginFiles): string {
  mkdirSync(directory, { recursive: true });
  const head = 'apiVersion: plugin.platform.run/v1alpha1\nkind: Plugin\n';
  writeFileSync(
    path.join(directory, 'plugin.yaml'),
    `${head}metadata: {name: ${name}}\nspec: {version: 1.0.0}\n`,
  );
  const code = `
    import { AbstractExtension, BasePlugin, GVK, IndexSpecs } from 'xsvc';
    const schema = { type: 'object', properties: { spec: { type: 'object', properties: { n: { type: 'string' } } } } };
    class Item extends AbstractExtension { static schema = schema; }
    GVK({ group: '${name}.example.com', version: 'v1', kind: 'Item', plural: 'items', singular: 'item' })(Item);
    class Other extends AbstractExtension { static schema = schema; }
    GVK({ group: '${name}.example.com', version: 'v1', kind: 'Other', plural: 'others', singular: 'other' })(Other);
    ${before}
    export default class extends BasePlugin {
      async start() { ${start} }
    }`;
  writeFileSync(path.join(directory, 'index.js'), code);
  return directory;
}

const REGISTER = 'this.ctx.schemeManager.register(Item); this.ctx.schemeManager.register(Other);';

describe('a daemon whose plugins start', () => {
  it('says 503 of what is not served yet, serves what is, and says 404 once all have started', async () => {
    const gate = path.join(temporaryDirectory(), 'open');
    const slow = writePlugin(temporaryDirectory(), {
      name: 'a-slow',
      before: "import { existsSync } from 'node:fs';",
      start: `while (!existsSync(${JSON.stringify(gate)})) await new Promise((go) => setTimeout(go, 20)); ${REGISTER}`,
    });
    const port = await freePort();
    const starting = startDaemonProcess({ dataDir: newDataDir(), plugins: [slow, PERSON_PLUGIN], port });
    const get = (target: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${target}`);
    const statusOf = (target: string): Promise<number | undefined> =>
      get(target).then(
        ({ status }) => status,
        () => undefined,
      );
    await expect.poll(() => statusOf(PERSONS)).toBe(200);
    const accept = 'text/event-stream';
    const state = { isAnswered: false };
    const held = openStream(`http://127.0.0.1:${port}/apis/a-slow.example.com/v1/items?watch=true`, {
      accept,
    });
    void held.then(() => (state.isAnswered = true));
    const absent = openStream(`http://127.0.0.1:${port}/apis/nobody.example.com/v1/things?watch=true`, {
      accept,
    });
    for (const target of [
      '/apis/a-slow.example.com/v1/items?watch=true',
      '/apis/a-slow.example.com/v1/items',
      '/apis/a-slow.example.com/v1/items/one',
      '/apis/a-slow.example.com/v1',
      '/apis/nobody.example.com/v1/things',
    ]) {
      const answer = await get(target);
      expect([target, answer.status, answer.headers.get('retry-after')]).toEqual([target, 503, '1']);
      expect(await answer.json()).toMatchObject({ reason: 'ServiceUnavailable', code: 503 });
    }
    const item = {
      verb: 'create',
      object: { apiVersion: 'a-slow.example.com/v1', kind: 'Item', metadata: {} },
    };
    const batch = await fetch(`http://127.0.0.1:${port}/apis/api.platform.run/v1alpha1/batches`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ items: [item] }),
    });
    expect([batch.status, batch.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await batch.json()).toMatchObject({
      message: expect.stringMatching(/^items\[0\]: no model Item .* yet/) as string,
    });
    expect(await statusOf(`${PERSONS}/nobody`)).toBe(404);
    expect(await statusOf('/nowhere')).toBe(404);
    expect(await statusOf('/readyz')).toBe(503);
    expect(await (await get('/readyz?verbose')).text()).toBe(
      '[+]ping ok\n[-]plugins failed: plugins are starting\n[+]shutdown ok\n[+]store ok\n[+]leader ok: this process is the leader, token 1\nreadyz check failed\n',
    );
    expect(state.isAnswered).toBe(false);
    writeFileSync(gate, '');
    const daemon = await starting;
    expect(await statusOf('/readyz')).toBe(200);
    const events = await held;
    expect([events.status, (await absent).status]).toEqual([200, 404]);
    await daemon.send('POST', '/apis/a-slow.example.com/v1/items', { body: { metadata: { name: 'one' } } });
    expect((await events.take(1)).map(({ type }) => type)).toEqual(['ADDED']);
    events.destroy();
    expect(await statusOf('/apis/a-slow.example.com/v1/items')).toBe(200);
    expect(await statusOf('/apis/nobody.example.com/v1/things')).toBe(404);
  });
});

describe('a plugin whose files change', () => {
  it('goes on as it was while they cannot be loaded, says why, and follows when they can', async () => {
    const directory = temporaryDirectory();
    const write = (before: string): string =>
      writePlugin(directory, { name: 'edited', start: REGISTER, before });
    const daemon = await startDaemonProcess({
      dataDir: newDataDir(),
      plugins: [write('')],
      flags: ['--watch'],
    });
    const ITEMS = '/apis/edited.example.com/v1/items';
    const body = { metadata: { name: 'one' }, spec: { n: '1' } };
    expect((await daemon.send('POST', ITEMS, { body })).status).toBe(201);
    const messageOf = async (): Promise<unknown> => {
      const { status } = (await daemon.get(`${PLUGINS}/edited`)).json() as unknown as {
        status: { phase: string; message?: string };
      };
      return `${status.phase} ${status.message ?? ''}`;
    };
    for (const [broken, why] of [
      ['const = ;', /index\.js:\d+:\d+/],
      ["throw new Error('not today');", /not today/],
    ] as const) {
      write(broken);
      await expect.poll(messageOf).toMatch(why);
      expect(await messageOf()).toMatch(
        /^STARTED cannot load the changed files, the previous version keeps running/,
      );
      expect((await daemon.get(`${ITEMS}/one`)).status).toBe(200);
    }
    write("console.warn('sound again');");
    await expect.poll(messageOf).toBe('STARTED ');
    expect(daemon.output.stderr).toMatch(/sound again/);
    expect((await daemon.get(`${ITEMS}/one`)).status).toBe(200);
  });
});

describe('an index that became unique over values that are not', () => {
  it('names the duplicates and keeps its model alone from being served', async () => {
    const directory = temporaryDirectory();
    const declare = (unique: boolean): string =>
      writePlugin(directory, {
        name: 'many',
        start: `
          this.ctx.schemeManager.register(Other);
          this.ctx.schemeManager.register(Item, (specs) => {
            specs.add(IndexSpecs.single('spec.n', 'string').unique(${unique}).indexFunc((o) => o.spec.n));
          });`,
      });
    const dataDir = newDataDir();
    const first = await startDaemonProcess({ dataDir, plugins: [declare(false)] });
    const items = Array.from({ length: 250 }, (_, i) => ({
      verb: 'create',
      object: {
        apiVersion: 'many.example.com/v1',
        kind: 'Item',
        metadata: { name: `i${i}` },
        spec: { n: String(i % 130) },
      },
    }));
    expect((await first.send('POST', BATCHES, { body: { items } })).status).toBe(200);
    await first.stop();
    declare(true);
    const second = await startDaemonProcess({ dataDir, plugins: [directory] });
    const refused = await second.get('/apis/many.example.com/v1/items');
    expect(refused.status).toBe(503);
    expect(refused.json().message).toMatch(
      /Item cannot be served: objects of Item share values that must be/,
    );
    const { status } = (await second.get(`${PLUGINS}/many`)).json() as unknown as {
      status: { phase: string; message: string };
    };
    expect(status.phase).toBe('STARTED');
    expect(status.message.match(/spec\.n "\d+" of "i\d+" and "i\d+"/g)).toHaveLength(100);
    expect(status.message).toMatch(/; and 20 more; change them with the previous declaration$/);
    expect((await second.get('/apis/many.example.com/v1/others')).status).toBe(200);
    await second.stop();
    declare(false);
    const third = await startDaemonProcess({ dataDir, plugins: [directory] });
    expect((await third.get('/apis/many.example.com/v1/items?size=1')).json().total).toBe(250);
  });
});
