import { readFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeDirectories } from '../../lib/make-directories.js';
import { type LocalEngine, openLmdb, type LmdbOptions } from '../lmdb/engine.js';

const BOOT_FILE = 'boot';

export type ReplicaOptions = Pick<LmdbOptions, 'readAhead' | 'diskReserveBytes' | 'onBroken'>;

/** Keeps a replica between two runs of a process. */
export interface ReplicaHome {
  /**
   * @returns undefined without a replica, and when it cannot be trusted: it is from before the last start of the
   * machine, because it is not written to disk at once
   */
  open(): Promise<LocalEngine | undefined>;
  /** Opens an empty engine; the former contents are removed. */
  renew(): Promise<LocalEngine>;
  /** The renewed replica is complete: it may be opened again. */
  complete(): Promise<void>;
}

export function replicaDirectory(directory: string, options: ReplicaOptions): ReplicaHome {
  const bootFile = path.join(directory, BOOT_FILE);
  const openEngine = (): Promise<LocalEngine> => openLmdb(directory, { ...options, relaxed: true });
  return {
    async open() {
      const known = await readFile(bootFile, 'utf8').catch(() => undefined);
      return known === bootId() ? openEngine() : undefined;
    },
    async renew() {
      await rm(directory, { recursive: true, force: true });
      await makeDirectories(directory, 0o700);
      return openEngine();
    },
    complete: () => writeFile(bootFile, bootId()),
  };
}

/** Changes at each start of the machine. Where the system does not provide it, each process has a separate value. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return `process ${process.pid} ${performance.timeOrigin}`;
  }
}
