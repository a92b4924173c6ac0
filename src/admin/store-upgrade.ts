import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { planUpgrade, type UpgradePlan } from '../lifecycle/upgrade/upgrade.js';
import { ownVersion } from '../version.js';
import { openEngine, openStore, type StoreAccess } from './reader.js';

/**
 * The upgrades that a store needs, without a change of it.
 * @throws ServiceError `ServiceUnavailable` without a store, and for a format that this program cannot upgrade
 */
export function planStoreUpgrade(access: StoreAccess): Promise<UpgradePlan> {
  return withReplica(access, async (on) => {
    const engine = await openEngine(on, true);
    try {
      return await planUpgrade(engine, ownVersion());
    } finally {
      await engine.close();
    }
  });
}

/** Upgrades a store. @throws ServiceError `ServiceUnavailable` as the opening of the store */
export function upgradeNow(access: StoreAccess): Promise<void> {
  return withReplica(access, async (on) => (await openStore(on, false)).store.close());
}

/** Gives a shared store a temporary replica: that of the data directory may belong to a daemon. */
async function withReplica<T>(access: StoreAccess, work: (access: StoreAccess) => Promise<T>): Promise<T> {
  if (access.shared === undefined) return work(access);
  const temporary = await mkdtemp(path.join(tmpdir(), 'xsvc-'));
  try {
    return await work({ ...access, dataDir: temporary });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}
