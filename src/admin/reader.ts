import { storeDirectory } from '../config.js';
import type { ServiceError } from '../errors.js';
import { isOwnerAlive, ownerName, processState } from '../lib/process/process-identity.js';
import { getPath, versionName, type Resource } from '../model/resource.js';
import { Models } from '../service/models.js';
import { Service } from '../service/service.js';
import type { ResourceRef, Verbs } from '../service/verbs.js';
import { byBeats, byProcess } from '../cluster/lease.js';
import { ModelLifecycle } from '../lifecycle/model-lifecycle.js';
import { openLmdb } from '../engines/lmdb/engine.js';
import { openShared, type SharedAddress } from '../engines/open-shared.js';
import type { UpgradePolicy, UpgradeProgress } from '../lifecycle/upgrade/upgrade.js';
import { check, type Disagreement } from '../store/check.js';
import type { Engine } from '../store/engine.js';
import { ownVersion } from '../version.js';

const STORE_TIMEOUT_MS = 30_000;

/** The store to open, and its options. */
export interface StoreAccess {
  readonly dataDir: string;
  /** Has the keys instead of the other places. Default: it is opened. */
  readonly engine?: Engine | undefined;
  /** Undefined: the store is in the data directory. */
  readonly shared?: SharedAddress | undefined;
  readonly storeTimeoutMs?: number;
  /** Receives warnings about a shared store, for an operator. */
  readonly warn?: (message: string) => void;
  /** True when answers may be sent before the bytes are on disk. */
  readonly relaxed: boolean;
  /** The limit of a stored object, in bytes of JSON. Default: no limit. */
  readonly objectBytesMax?: number;
  /** True to answer other requests while waiting for the disk. */
  readonly readAhead?: boolean;
  /** See `ClusterOptions`. */
  readonly holdsModels?: boolean;
  readonly diskReserveBytes?: number;
  /** See `byProcess`. */
  readonly leaseMs?: number;
  /** See `LmdbOptions`. */
  readonly onBroken?: (error: ServiceError) => void;
  /** Default: `auto`. */
  readonly upgrade?: UpgradePolicy;
  /** See `UpgradeOptions`. */
  readonly takeover?: boolean;
  readonly onUpgrade?: (progress: UpgradeProgress) => void;
}

/** Opens the engine of a store without a look at its contents. */
export async function openEngine(
  { dataDir, engine, shared, ...access }: StoreAccess,
  readOnly: boolean,
): Promise<Engine> {
  if (engine !== undefined) return engine;
  const { storeTimeoutMs: timeoutMs = STORE_TIMEOUT_MS, warn = () => undefined } = access;
  return shared === undefined
    ? openLmdb(dataDir, { readOnly, ...access })
    : openShared(shared, storeDirectory({ dataDir, shared }), { ...access, timeoutMs, warn });
}

/**
 * Opens the store of a data directory, or a shared one whose replica exists. One of an older format is upgraded, or,
 * when it is opened for reading only, read as it is.
 */
export async function openStore(access: StoreAccess, readOnly: boolean): Promise<ModelLifecycle> {
  const { shared, objectBytesMax, holdsModels, leaseMs, upgrade, takeover, onUpgrade } = access;
  return ModelLifecycle.open(await openEngine(access, readOnly), {
    readOnly,
    objectBytesMax,
    now: () => Date.now(),
    holdsModels,
    upgrade,
    takeover,
    onUpgrade,
    program: ownVersion(),
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
  /** True when all objects of a model are stored in the requested version; else they must be converted. */
  isReadable(ref: ResourceRef): boolean;
  /** The same for past states of objects. */
  isPastReadable(ref: ResourceRef): boolean;
  /** True when past states of objects have the present shape; else migrations must be applied to them. */
  isPastInShape(ref: ResourceRef): boolean;
  /** True for a store of an older format, which must not be opened for writing by a command that reads. */
  readonly isOlder: boolean;
  /** Compares objects, indexes and log, without the plugins' code. */
  check(): AsyncIterable<Disagreement>;
  /** A message when work on the objects of a model has ended before it was complete. */
  findUnfinished(ref: ResourceRef): string | undefined;
}

/**
 * Opens a store to read it without any plugin's code: the store itself has its models. Separate from `app.ts`, so that reading
 * loads neither validator nor server.
 * @throws ServiceError `ServiceUnavailable` without a store
 */
export async function openReader(access: StoreAccess): Promise<StoreReader> {
  const lifecycle = await openStore(access, true);
  const { store } = lifecycle;
  const models = new Models(lifecycle);
  models.openStored();
  const isReadable = (ref: ResourceRef): boolean => {
    const table = store.findTable(ref);
    return table === undefined || (table.resource.version === versionName(ref) && !table.isMixed);
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
    isPastInShape: (ref) => (store.findTable(ref)?.shapes ?? []).length <= 1,
    isOlder: lifecycle.olderFormat !== undefined,
    check: () => check(store),
    findUnfinished: (ref) => store.findTable(ref)?.unfinished()?.message,
    isPastReadable: (ref) => isReadable(ref) && (store.findTable(ref)?.otherVersions ?? []).length === 0,
  };
}

function byPath(a: Resource, b: Resource): number {
  return getPath(a) < getPath(b) ? -1 : 1;
}
