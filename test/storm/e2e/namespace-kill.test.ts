import { afterAll, describe, expect, it } from 'vitest';
import { killDaemons, startDaemonProcess, type DaemonProcess } from '../../helpers/daemon.js';
import { waitFor } from '../../helpers/kubernetes.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';

const NAMESPACE = '/api/v1/namespaces/big';
const CONFIG_MAPS = `${NAMESPACE}/configmaps`;
const OBJECTS = 4_000;
const HELD = `${CONFIG_MAPS}/held`;
const MERGE = { 'content-type': 'application/merge-patch+json' };

afterAll(() => {
  killDaemons();
  removeDirectories();
});

function start(dataDir: string): Promise<DaemonProcess> {
  return startDaemonProcess({ dataDir, plugins: [] });
}

async function killed(daemon: DaemonProcess, dataDir: string): Promise<DaemonProcess> {
  daemon.signal('SIGKILL');
  await daemon.exited;
  return start(dataDir);
}

async function fill(daemon: DaemonProcess): Promise<void> {
  const ok = async (method: string, target: string, body: object): Promise<void> =>
    expect((await daemon.send(method, target, { body })).status).toBe(201);
  await ok('POST', '/api/v1/namespaces', { metadata: { name: 'big' } });
  await ok('POST', CONFIG_MAPS, { metadata: { name: 'held', finalizers: ['example.com/hold'] } });
  const names = Array.from({ length: OBJECTS }, (_, i) => `a${i}`);
  for (let at = 0; at < OBJECTS; at += 100)
    await Promise.all(
      names.slice(at, at + 100).map((name) => ok('POST', CONFIG_MAPS, { metadata: { name } })),
    );
}

async function countIn(daemon: DaemonProcess): Promise<number> {
  return (await daemon.get(`${CONFIG_MAPS}?limit=1`)).json().total as number;
}

describe('the deletion of a namespace', () => {
  it('goes on after a kill at each of its steps', { timeout: 120_000 }, async () => {
    const dataDir = temporaryDirectory();
    let daemon = await start(dataDir);
    await fill(daemon);
    expect((await daemon.send('DELETE', NAMESPACE)).status).toBe(200);
    // At once, in the middle, and when only the object with a finalizer is left.
    daemon = await killed(daemon, dataDir);
    await waitFor(
      () => countIn(daemon),
      (count) => count < OBJECTS,
    );
    daemon = await killed(daemon, dataDir);
    expect((await daemon.get(NAMESPACE)).json().status).toMatchObject({ phase: 'Terminating' });
    await waitFor(
      () => countIn(daemon),
      (count) => count === 1,
    );
    daemon = await killed(daemon, dataDir);
    await waitFor(
      () => daemon.get(HELD),
      (held) => typeof held.json().metadata.deletionTimestamp === 'string',
    );
    const refused = await daemon.send('POST', CONFIG_MAPS, { body: { metadata: { name: 'late' } } });
    expect(refused.status).toBe(403);
    await daemon.send('PATCH', HELD, { body: { metadata: { finalizers: null } }, headers: MERGE });
    // Before and after the namespace itself goes.
    daemon = await killed(daemon, dataDir);
    await waitFor(
      () => daemon.get(NAMESPACE),
      ({ status }) => status === 404,
    );
    daemon = await killed(daemon, dataDir);
    expect((await daemon.get(NAMESPACE)).status).toBe(404);
    expect(await countIn(daemon)).toBe(0);
    expect((await daemon.get('/api/v1/namespaces')).json().items).toHaveLength(4);
    await daemon.stop();
  });
});

describe('a service without kinds of Kubernetes', () => {
  it('serves none', async () => {
    const daemon = await startDaemonProcess({
      dataDir: temporaryDirectory(),
      plugins: [],
      flags: ['--kubernetes', 'off'],
    });
    expect((await daemon.get('/api')).json()).toMatchObject({ versions: [] });
    for (const path of [NAMESPACE, '/api/v1/configmaps', '/apis/apiextensions.k8s.io/v1'])
      expect((await daemon.get(path)).status).toBe(404);
    await daemon.stop();
  });
});
