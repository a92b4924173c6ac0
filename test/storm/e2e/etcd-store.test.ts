import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { killDaemons, startDaemonProcess } from '../../helpers/daemon.js';
import { type EtcdCluster, fill, HAS_ETCD, makeRoom, startEtcd, useEtcd } from '../../helpers/etcd.js';
import { person, PERSONS } from '../../helpers/http.js';
import { PLUGIN } from '../../helpers/shared-daemon.js';
import { removeDirectories, temporaryDirectory } from '../../helpers/store.js';
import { refusalOf, sharedStoreSuite } from '../../e2e/shared-store-suite.js';

useEtcd();
afterEach(killDaemons);
afterAll(removeDirectories);

describe.skipIf(!HAS_ETCD)('etcd', () => {
  let cluster: EtcdCluster;
  beforeAll(async () => {
    cluster = await startEtcd();
  });

  let prefixes = 0;
  sharedStoreSuite({
    name: 'etcd',
    newStore() {
      prefixes += 1;
      return cluster.url(`daemons-${prefixes}`);
    },
    nowhere: 'etcd://127.0.0.1:1/xsvc',
    kill: () => cluster.kill(),
    async start() {
      cluster.start();
      await cluster.leader();
    },
  });

  it('tells how much of its space is used, and refuses writes alone while it is full', async () => {
    const { members } = await startEtcd(1, { flags: ['--quota-backend-bytes=16777216'] });
    const [member] = members;
    if (member === undefined) throw new Error('no member');
    const store = `etcd://127.0.0.1:${member.port}/full`;
    const flags = ['--store', store];
    const daemon = await startDaemonProcess({ dataDir: temporaryDirectory(), plugins: [PLUGIN], flags });
    const create = (name: string): ReturnType<typeof daemon.send> =>
      daemon.send('POST', PERSONS, { body: person(name) });
    expect((await create('before')).status).toBe(201);
    expect((await daemon.get('/readyz?verbose')).text).toMatch(
      /^\[\+\]store ok: its servers use \d+ of 16 MiB$/m,
    );
    expect((await daemon.get('/metrics')).text).toMatch(/^xsvc_shared_log_quota_bytes 16777216$/m);

    await fill(member);
    const refused = await create('during');
    expect(refused.status).toBe(503);
    expect(refused.headers['retry-after']).toBeDefined();
    expect(refused.json().message).toContain('etcdctl alarm disarm');
    expect((await daemon.get(`${PERSONS}/before`)).status).toBe(200);
    const health = await daemon.get('/readyz?verbose');
    expect(health.status).toBe(503);
    expect(health.text).toMatch(/^\[-\]store failed: the etcd database is full/m);

    await makeRoom(member);
    await expect.poll(async () => (await daemon.get('/readyz')).status).toBe(200);
    expect((await create('after')).status).toBe(201);
  });
});

it.each([
  ['a password', 'etcd://ann:secret@127.0.0.1/db', 'ETCD_PASSWORD'],
  ['a password as an option', 'etcd://127.0.0.1/db?user=ann&password=secret', 'ETCD_PASSWORD'],
  ['no prefix', 'etcd://127.0.0.1', 'etcd://HOST'],
  ['an unknown option', 'etcd://127.0.0.1/db?usr=x', 'usr'],
])('refuses an address with %s with 2, and never repeats a password', async (_, store, word) => {
  const { code, stderr } = await refusalOf(store);
  expect(stderr).toContain(word);
  expect(stderr).not.toContain('secret');
  expect(code).toBe(2);
});

it.each([
  ['a user whose password is nowhere', 'etcd://127.0.0.1/db?user=ann', 'ETCD_PASSWORD is not set'],
  ['a certificate that is not there', 'etcd://127.0.0.1/db?cacert=/nowhere/ca.pem', '/nowhere/ca.pem'],
])('ends in words, and at once, with %s', async (_, store, words) => {
  const { code, stderr } = await refusalOf(store);
  expect(stderr).toContain(words);
  expect(code).toBe(5);
});
