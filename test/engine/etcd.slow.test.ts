import { beforeAll, describe } from 'vitest';
import { parseEtcdAddress } from '../../src/store/etcd/address.js';
import { openEtcdLog } from '../../src/store/etcd/log.js';
import { type EtcdCluster, HAS_ETCD, startEtcd, useEtcd } from '../helpers/etcd.js';
import { type OpenLog, sharedLogSuite } from './shared-log-suite.js';

useEtcd();

let prefixes = 0;
/** Each store has a prefix of its own. */
function newPrefix(): string {
  prefixes += 1;
  return `stores/${prefixes}`;
}

interface LogGiven {
  readonly timeoutMs?: number;
  readonly warnings?: string[];
}

function logAt(url: string, { timeoutMs = 20_000, warnings = [] }: LogGiven = {}): OpenLog {
  const address = parseEtcdAddress(url);
  return () => openEtcdLog(address, { timeoutMs, warn: (message) => warnings.push(message) });
}

describe.skipIf(!HAS_ETCD)('etcd', () => {
  let one: EtcdCluster;
  beforeAll(async () => {
    one = await startEtcd();
  });

  sharedLogSuite('in etcd', () => Promise.resolve(logAt(one.url(newPrefix()))));
});
