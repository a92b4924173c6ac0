import { beforeAll, describe } from 'vitest';
import { etcdLogAt } from '../../engines/etcd-log.js';
import { sharedLogSuite } from '../../engines/shared-log-suite.js';
import { type EtcdCluster, HAS_ETCD, startEtcd, useEtcd } from '../../helpers/etcd.js';
import { verbsOn } from './verbs-on.js';
import { webhooksOn } from './webhooks-on.js';

useEtcd();

describe.skipIf(!HAS_ETCD)('etcd', () => {
  let cluster: EtcdCluster;
  let stores = 0;
  beforeAll(async () => {
    cluster = await startEtcd();
  });
  const makeStore = () => Promise.resolve(etcdLogAt(cluster.url(`stores/${(stores += 1)}`)));

  sharedLogSuite('in etcd', makeStore);
  verbsOn('a store in etcd', makeStore);
  webhooksOn('a store in etcd', makeStore);
});
