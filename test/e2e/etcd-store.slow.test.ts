import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { killDaemons } from '../helpers/daemon.js';
import { type EtcdCluster, HAS_ETCD, startEtcd, useEtcd } from '../helpers/etcd.js';
import { removeDirectories } from '../helpers/store.js';
import { refusalOf, sharedStoreSuite } from './shared-store-suite.js';

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
  ['a user whose password is nowhere', 'etcd://127.0.0.1/db?user=ann', 'not in ETCD_PASSWORD'],
  ['a certificate that is not there', 'etcd://127.0.0.1/db?cacert=/nowhere/ca.pem', '/nowhere/ca.pem'],
])('ends in words, and at once, with %s', async (_, store, words) => {
  const { code, stderr } = await refusalOf(store);
  expect(stderr).toContain(words);
  expect(code).toBe(5);
});
