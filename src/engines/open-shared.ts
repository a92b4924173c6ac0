import type { Engine } from '../store/engine.js';
import type { EtcdAddress } from './etcd/address.js';
import type { PostgresAddress } from './postgres/address.js';
import type { ReplicaOptions } from './replicated/replica-directory.js';
import type { ServerOptions } from './replicated/retry-policy.js';
import type { SharedLog } from './replicated/shared-log.js';

/** The address of a store that processes of several machines share. */
export type SharedAddress =
  | { readonly engine: 'postgres'; readonly address: PostgresAddress }
  | { readonly engine: 'etcd'; readonly address: EtcdAddress };

export interface SharedOptions extends ReplicaOptions, ServerOptions {}

/**
 * Opens a shared store, with a replica of it in a directory. Its code is loaded only here, because a store in a
 * directory does not need it.
 * @throws ServiceError `ServiceUnavailable` when it cannot be reached in time
 */
export async function openShared(
  address: SharedAddress,
  directory: string,
  options: SharedOptions,
): Promise<Engine> {
  const { openReplicated } = await import('./replicated/engine.js');
  return openReplicated(await openSharedLog(address, options), directory, options);
}

/** Opens only the log of a shared store. @throws ServiceError as {@link openShared} */
export async function openSharedLog(
  { engine, address }: SharedAddress,
  options: ServerOptions,
): Promise<SharedLog> {
  if (engine === 'etcd') {
    const { openEtcdLog } = await import('./etcd/log.js');
    return openEtcdLog(address, options);
  }
  const { openPostgresLog } = await import('./postgres/log.js');
  return openPostgresLog(address, options);
}
