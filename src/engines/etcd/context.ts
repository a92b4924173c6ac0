import type { RetryPolicy } from '../replicated/retry-policy.js';
import type { EtcdAddress } from './address.js';
import type { EtcdClient } from './client.js';
import type { QuotaMonitor } from './quota-monitor.js';
import type { Txn, TxnAnswer } from './requests.js';

/** The cluster of a store, with requests that are repeated until it answers or time is up. */
export class EtcdContext {
  constructor(
    readonly address: EtcdAddress,
    readonly client: EtcdClient,
    readonly retries: RetryPolicy,
    readonly quota: QuotaMonitor,
  ) {}

  txn(txn: Txn): Promise<TxnAnswer> {
    return this.retries.persist(() => this.client.txn(txn));
  }

  /** A transaction that needs space; records if etcd is full. */
  write(txn: Txn): Promise<TxnAnswer> {
    return this.retries.persist(() => this.quota.watching(() => this.client.txn(txn)));
  }
}
