import path from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { EXPIRES_AT, TTL } from '../../../src/model/expiration.js';
import { runCli } from '../../helpers/cli.js';
import { DEFINITIONS, gadget, gadgets, gadgetsIn } from '../../helpers/definitions.js';
import { killDaemons, runProgram, startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

afterEach(killDaemons);
afterAll(removeDirectories);

const PAST = '2001-01-01T00:00:00Z';
const FUTURE = '2999-01-01T00:00:00Z';
const MAPS = '/api/v1/namespaces/default/configmaps';
const BATCHES = '/apis/api.platform.run/v1alpha1/batches';
const MERGE = { 'content-type': 'application/merge-patch+json' };
/** In one request. */
const LOT = 250;

const start = (dataDir: string): Promise<DaemonProcess> => startDaemonProcess({ dataDir, plugins: [] });
const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();

async function create(daemon: DaemonProcess, target: string, body: object): Promise<void> {
  const { status, text } = await daemon.send('POST', target, { body });
  expect(status, text).toBe(201);
}

const map = (name: string, expiresAt: string, further: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', annotations: { [EXPIRES_AT]: expiresAt }, ...further },
});

async function createMaps(daemon: DaemonProcess, count: number, expiresAt: string): Promise<void> {
  for (let at = 0; at < count; at += LOT) {
    const items = Array.from({ length: Math.min(LOT, count - at) }, (_, i) => ({
      verb: 'create',
      object: map(`map-${at + i}`, expiresAt),
    }));
    const { status, text } = await daemon.send('POST', BATCHES, { body: { items } });
    expect(status, text).toBe(200);
  }
}

const countMaps = async (daemon: DaemonProcess): Promise<number> =>
  (await daemon.get(`${MAPS}?limit=1`)).json().total as number;

const isGone = async (daemon: DaemonProcess, target: string): Promise<boolean> =>
  (await daemon.get(target)).status === 404;

describe('expired objects', () => {
  it('of defined kinds, in namespaces, and namespaces with their content, are deleted', async () => {
    const daemon = await start(temporaryDirectory());
    await create(daemon, DEFINITIONS, gadgets());
    const annotations = { [EXPIRES_AT]: inMs(3_000) };
    await create(daemon, '/api/v1/namespaces', { metadata: { name: 'preview', annotations } });
    await create(daemon, '/api/v1/namespaces/preview/configmaps', { metadata: { name: 'a' } });
    await create(daemon, gadgetsIn('default'), gadget('due', {}, { annotations }));
    await create(daemon, gadgetsIn('default'), gadget('kept', {}, { annotations: { [TTL]: '1h' } }));
    const wrong = gadget('wrong', {}, { annotations: { [TTL]: 'soon' } });
    const refused = await daemon.send('POST', gadgetsIn('default'), { body: wrong });
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(`annotations.${TTL}`)]);
    await expect.poll(() => isGone(daemon, '/api/v1/namespaces/preview')).toBe(true);
    await expect.poll(() => isGone(daemon, `${gadgetsIn('default')}/due`)).toBe(true);
    expect(await isGone(daemon, `${gadgetsIn('default')}/kept`)).toBe(false);
    // A definition takes its objects with it.
    const definition = `${DEFINITIONS}/gadgets.shop.example.com`;
    await daemon.send('PATCH', definition, {
      body: { metadata: { annotations: { [EXPIRES_AT]: PAST } } },
      headers: MERGE,
    });
    await expect.poll(() => isGone(daemon, definition)).toBe(true);
    await daemon.stop();
  });

  it('that finalizers hold have an event, and the command line shows both', async () => {
    const cwd = temporaryDirectory();
    const daemon = await start(path.join(cwd, 'data'));
    const cli = async (...argv: string[]): Promise<string> => {
      const { code, out, err } = await runCli([...argv, '--server', daemon.url], { cwd });
      expect(code, err).toBe(0);
      return out;
    };
    await create(daemon, MAPS, { metadata: { name: 'held', finalizers: ['example.com/hold'] } });
    await cli('annotate', 'configmaps', 'held', `${TTL}=2h`);
    expect(await cli('describe', 'configmaps', 'held')).toMatch(/^Expires: +\S+Z \(in 1(19|20)m\)$/m);
    expect(
      await cli('get', 'configmaps', '--field-selector', 'metadata.expirationTimestamp', '-o', 'name'),
    ).toBe('configmaps/held\n');
    await cli('annotate', 'configmaps', 'held', `${EXPIRES_AT}=${PAST}`);
    await expect
      .poll(() => cli('describe', 'configmaps', 'held'))
      .toMatch(/Warning +ExpiryBlocked .*the deletion waits for finalizers: example.com\/hold/);
    expect(await cli('history', 'configmaps', 'held', '-o', 'ndjson')).toContain('"user":"system:expiry"');
    await cli('patch', 'configmaps', 'held', '-p', '{"metadata": {"finalizers": null}}');
    expect(await isGone(daemon, `${MAPS}/held`)).toBe(true);
    await daemon.stop();
  });

  it('are deleted by another daemon when the one that began is killed, each once', async () => {
    const dataDir = temporaryDirectory();
    const [first, second] = [await start(dataDir), await start(dataDir)];
    await create(first, MAPS, map('kept', FUTURE));
    await createMaps(first, 1_500, inMs(5_000));
    await expect.poll(() => countMaps(second), { interval: 5 }).toBeLessThan(1_501);
    first.signal('SIGKILL');
    await first.exited;
    await expect.poll(() => countMaps(second)).toBe(1);
    const { items } = (await second.get(`${MAPS}/map-1499/history`)).json();
    expect(items).toMatchObject([{ verb: 'delete', user: 'system:expiry' }, { verb: 'create' }]);
    await second.stop();
    expect(await runProgram(['check', '--data-dir', dataDir])).toMatchObject({ code: 0 });
  });

  it('that expired while no daemon ran are deleted at the next start, also in a restored store', async () => {
    const cwd = temporaryDirectory();
    const [dataDir, restored] = [path.join(cwd, 'data'), path.join(cwd, 'restored')];
    const daemon = await start(dataDir);
    await create(daemon, MAPS, map('kept', FUTURE));
    const due = inMs(4_000);
    await create(daemon, MAPS, map('due', due));
    await daemon.stop();
    const file = path.join(cwd, 'backup');
    const cli = async (...argv: string[]): Promise<void> =>
      expect(await runProgram(argv)).toMatchObject({ code: 0 });
    await cli('backup', file, '--data-dir', dataDir);
    await cli('restore', file, '--data-dir', restored);
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(due));
    for (const place of [dataDir, restored]) {
      const next = await start(place);
      await expect.poll(() => isGone(next, `${MAPS}/due`)).toBe(true);
      expect(await isGone(next, `${MAPS}/kept`)).toBe(false);
      await next.stop();
    }
  });
});
