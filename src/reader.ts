import type { ServiceError } from './errors.js';
import { isOwnerAlive, ownerName } from './lib/process-identity.js';
import { Models } from './service/models.js';
import { Service } from './service/service.js';
import type { Verbs } from './service/verbs.js';
import { openLmdb } from './store/lmdb/engine.js';
import { Store } from './store/store.js';

/** Which store, and how. */
export interface StoreAccess {
  readonly dataDir: string;
  /** Whether answers may come before the bytes are on disk. */
  readonly relaxed: boolean;
  /** A larger object is not stored, in bytes of JSON. Default: no limit. */
  readonly objectBytesMax?: number;
  /** Whether others are to be answered while the disk is waited for. */
  readonly readAhead?: boolean;
  /** See `StoreOptions`. */
  readonly holdsModels?: boolean;
  readonly diskReserveBytes?: number;
  /** See `LmdbOptions`. */
  readonly onBroken?: (error: ServiceError) => void;
}

/** Opens the store of a data directory. */
export async function openStore(
  { dataDir, objectBytesMax, holdsModels, ...access }: StoreAccess,
  readOnly: boolean,
): Promise<Store> {
  const engine = await openLmdb(dataDir, { readOnly, ...access });
  return Store.open(engine, {
    readOnly,
    objectBytesMax,
    holdsModels,
    now: () => Date.now(),
    owner: ownerName(),
    isAlive: isOwnerAlive,
  });
}

/**
 * Verbs that read the store without any plugin's code: the store itself knows its models. Kept apart from
 * `app.ts`, so that reading loads neither validator nor server.
 * @throws ServiceError `ServiceUnavailable` when there is no store
 */
export async function openReader(access: StoreAccess): Promise<Verbs> {
  const store = await openStore(access, true);
  const models = new Models(store);
  models.openStored();
  return new Service({ store, models });
}
