import { storeDirectory } from '../config.js';
import type { ServiceError } from '../errors.js';
import { isOwnerAlive, ownerName, processState } from '../lib/process/process-identity.js';
import { getPath, type Resource } from '../model/resource.js';
import { Models } from '../service/models.js';
import { Service } from '../service/service.js';
import type { ResourceRef, Verbs } from '../service/verbs.js';
import { byBeats, byProcess } from '../store/cluster/lease.js';
import { openLmdb } from '../engines/lmdb/engine.js';
import { openShared, type SharedAddress } from '../engines/shared-store.js';
import { Store } from '../store/store.js';

const STORE_TIMEOUT_MS = 30_000;

/** Which store, and how. */
export interface StoreAccess {
  readonly dataDir: string;
  /** Undefined: it is in the data directory. */
  readonly shared?: SharedAddress | undefined;
  readonly storeTimeoutMs?: number;
  /** Told what an operator should know of a shared store. */
  readonly warn?: (message: string) => void;
  /** Whether answers may come before the bytes are on disk. */
  readonly relaxed: boolean;
  /** A larger object is not stored, in bytes of JSON. Default: no limit. */
  readonly objectBytesMax?: number;
  /** Whether others are to be answered while the disk is waited for. */
  readonly readAhead?: boolean;
  /** See `StoreOptions`. */
  readonly holdsModels?: boolean;
  readonly diskReserveBytes?: number;
  /** See `byProcess`. */
  readonly leaseMs?: number;
  /** See `LmdbOptions`. */
  readonly onBroken?: (error: ServiceError) => void;
}

/** Opens the store of a data directory, or a shared one whose replica is there. */
export async function openStore(
  { dataDir, shared, objectBytesMax, holdsModels, leaseMs, ...access }: StoreAccess,
  readOnly: boolean,
): Promise<Store> {
  const { storeTimeoutMs: timeoutMs = STORE_TIMEOUT_MS, warn = () => undefined } = access;
  const engine =
    shared === undefined
      ? await openLmdb(dataDir, { readOnly, ...access })
      : await openShared(shared, storeDirectory({ dataDir, shared }), { ...access, timeoutMs, warn });
  return Store.open(engine, {
    readOnly,
    objectBytesMax,
    holdsModels,
    now: () => Date.now(),
    owner: ownerName(),
    isAlive: isOwnerAlive,
    liveness: shared === undefined ? byProcess(processState, leaseMs) : byBeats(leaseMs),
  });
}

/** A store that is read without any plugin's code. */
export interface StoreReader {
  readonly verbs: Verbs;
  /** Every served version of all models. */
  resources(): readonly Resource[];
  /** Whether all objects of a model are stored in the version asked for; else they must be converted. */
  isReadable(ref: ResourceRef): boolean;
  /** The same of objects as they once were. */
  isPastReadable(ref: ResourceRef): boolean;
}

/**
 * Opens a store to read it without any plugin's code: the store itself knows its models. Kept apart from `app.ts`, so
 * that reading loads neither validator nor server.
 * @throws ServiceError `ServiceUnavailable` when there is no store
 */
export async function openReader(access: StoreAccess): Promise<StoreReader> {
  const store = await openStore(access, true);
  const models = new Models(store);
  models.openStored();
  const isReadable = (ref: ResourceRef): boolean => {
    const table = store.findTable(ref);
    return table === undefined || (table.resource.version === ref.version && !table.isMixed);
  };
  return {
    verbs: new Service({ store, models }),
    resources: () =>
      store
        .allTables()
        .flatMap(({ resource, otherVersions, isMigrating }) =>
          [resource, ...otherVersions].map((one) => (isMigrating ? { ...one, isMigrating } : one)),
        )
        .sort(byPath),
    isReadable,
    isPastReadable: (ref) => isReadable(ref) && (store.findTable(ref)?.otherVersions ?? []).length === 0,
  };
}

function byPath(a: Resource, b: Resource): number {
  return getPath(a) < getPath(b) ? -1 : 1;
}
