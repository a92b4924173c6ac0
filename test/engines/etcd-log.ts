import { parseEtcdAddress } from '../../src/engines/etcd/address.js';
import { openEtcdLog } from '../../src/engines/etcd/log.js';
import type { OpenLog } from './shared-log-suite.js';

export interface LogGiven {
  readonly timeoutMs?: number;
  /** Collects the warnings for operators. */
  readonly warnings?: string[];
  readonly retainMs?: number;
}

/** The log of a store in etcd. */
export function etcdLogAt(
  url: string,
  { timeoutMs = 20_000, warnings = [], ...given }: LogGiven = {},
): OpenLog {
  return () =>
    openEtcdLog(
      { ...parseEtcdAddress(url), ...given },
      { timeoutMs, warn: (message) => warnings.push(message) },
    );
}
