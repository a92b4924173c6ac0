import { afterAll, beforeAll, describe } from 'vitest';
import { sharedDefinitionsSuite } from '../../e2e/shared-definitions-suite.js';
import { type EtcdCluster, HAS_ETCD, startEtcd, useEtcd } from '../../helpers/etcd.js';
import { type PostgresServer, startPostgres, usePostgres } from '../../helpers/postgres.js';
import { removeDirectories } from '../../helpers/store.js';

usePostgres();
useEtcd();
afterAll(removeDirectories);

let stores = 0;

describe('PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  sharedDefinitionsSuite('PostgreSQL', () => `${server.url}?schema=definitions_${(stores += 1)}`);
});

describe.skipIf(!HAS_ETCD)('etcd', () => {
  let cluster: EtcdCluster;
  beforeAll(async () => {
    cluster = await startEtcd();
  });
  sharedDefinitionsSuite('etcd', () => cluster.url(`definitions-${(stores += 1)}`));
});
