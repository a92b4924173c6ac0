import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EXAMPLE_PLUGINS, killDaemons, runProgram, startDaemonProcess } from '../../helpers/daemon.js';
import { type EtcdCluster, HAS_ETCD, startEtcd, useEtcd } from '../../helpers/etcd.js';
import { person, PERSONS } from '../../helpers/http.js';
import { type PostgresServer, startPostgres, usePostgres } from '../../helpers/postgres.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';
import { openStream } from '../../helpers/watching.js';

const PLUGINS = [path.join(EXAMPLE_PLUGINS, 'person')];

usePostgres();
useEtcd();
afterEach(killDaemons);
afterAll(removeDirectories);

/** @param storeAt the address of a store by its name */
function copySuite(storeAt: (name: string) => string, warning: string): void {
  it('a store goes there and back with objects, uids, revisions and tokens; clients go on', async () => {
    const [dataDir, back] = [temporaryDirectory(), path.join(temporaryDirectory(), 'back')];
    const target = storeAt('copied');
    const first = await startDaemonProcess({ dataDir, plugins: PLUGINS });
    for (let i = 0; i < 50; i += 1) await first.send('POST', PERSONS, { body: person(`p${i}`, { age: i }) });
    await first.send('DELETE', `${PERSONS}/p7`);
    const before = (await first.get(`${PERSONS}?size=100&sort=spec.age,desc`)).json();
    const page = (await first.get(`${PERSONS}?limit=10`)).json();

    const held = await runProgram(['store', 'copy', '--from', `lmdb:${dataDir}`, '--to', target]);
    expect(held.stderr).toContain('stop it before the store is copied');
    expect(held.code).toBe(4);
    await first.stop();
    const there = await runProgram(['store', 'copy', '--from', `lmdb:${dataDir}`, '--to', target]);
    expect(there.stderr).toBe(warning);
    expect(there.stdout).toMatch(/^copied \d+ keys, the same on both sides/);

    const second = await startDaemonProcess({
      dataDir: temporaryDirectory(),
      plugins: PLUGINS,
      flags: ['--store', target],
    });
    expect((await second.get(`${PERSONS}?size=100&sort=spec.age,desc`)).json()).toMatchObject({
      items: before['items'],
    });
    expect(
      (await second.get(`${PERSONS}?limit=10&continue=${String(page.metadata['continue'])}`)).status,
    ).toBe(200);
    const { resourceVersion } = before.metadata;
    const watch = await openStream(
      `${second.url}${PERSONS}?watch=1&resourceVersion=${String(resourceVersion)}`,
    );
    await second.send('POST', PERSONS, { body: person('new') });
    expect((await watch.take(1)).map(({ object }) => object.metadata.name)).toEqual(['new']);
    watch.destroy();
    const after = (await second.get(`${PERSONS}?size=100&sort=spec.age,desc`)).json();
    await second.stop();

    const again = await runProgram(['store', 'copy', '--from', `lmdb:${dataDir}`, '--to', target]);
    expect(again.stderr).toContain('--force');
    expect(again.code).toBe(4);
    expect((await runProgram(['store', 'copy', '--from', target, '--to', `lmdb:${back}`])).code).toBe(0);
    expect((await runProgram(['check', '--data-dir', back, '--plugins', PLUGINS[0] ?? ''])).code).toBe(0);
    const third = await startDaemonProcess({ dataDir: back, plugins: PLUGINS });
    expect((await third.get(`${PERSONS}?size=100&sort=spec.age,desc`)).json()).toMatchObject({
      items: after['items'],
    });
  });

  it('a store that is replaced is another one: its daemon ends, and can start again', async () => {
    const target = storeAt('replaced');
    const source = temporaryDirectory();
    const writer = await startDaemonProcess({ dataDir: source, plugins: PLUGINS });
    await writer.send('POST', PERSONS, { body: person('of-the-source') });
    await writer.stop();
    const dataDir = temporaryDirectory();
    const daemon = await startDaemonProcess({ dataDir, plugins: PLUGINS, flags: ['--store', target] });
    await daemon.send('POST', PERSONS, { body: person('gone') });
    const copied = await runProgram(['store', 'copy', '--from', `lmdb:${source}`, '--to', target, '--force']);
    expect(copied.code).toBe(0);
    expect((await daemon.exited).code).toBe(6);
    const again = await startDaemonProcess({ dataDir, plugins: PLUGINS, flags: ['--store', target] });
    expect((await again.get(`${PERSONS}/of-the-source`)).status).toBe(200);
    expect((await again.get(`${PERSONS}/gone`)).status).toBe(404);
  });
}

describe('a store in PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });

  copySuite(
    (name) => `${server.url}?schema=${name}`,
    'warning: PostgreSQL has no synchronous standby (synchronous_standby_names): a fail-over may lose answered writes\n',
  );
});

describe.skipIf(!HAS_ETCD)('a store in etcd', () => {
  let cluster: EtcdCluster;
  beforeAll(async () => {
    cluster = await startEtcd();
  });

  copySuite((name) => cluster.url(name), '');

  it('goes to PostgreSQL as well', async () => {
    const server = await startPostgres();
    const [from, to] = [cluster.url('from'), `${server.url}?schema=from_etcd`];
    const first = await startDaemonProcess({
      dataDir: temporaryDirectory(),
      plugins: PLUGINS,
      flags: ['--store', from],
    });
    const made = await first.send('POST', PERSONS, { body: person('ann') });
    await first.stop();
    expect((await runProgram(['store', 'copy', '--from', from, '--to', to])).code).toBe(0);
    const second = await startDaemonProcess({
      dataDir: temporaryDirectory(),
      plugins: PLUGINS,
      flags: ['--store', to],
    });
    expect((await second.get(`${PERSONS}/ann`)).json()).toEqual(made.json());
  });
});
