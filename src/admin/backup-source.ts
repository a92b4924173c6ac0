import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { MadeBackup, MakeBackup } from '../http/platform/platform.js';
import { FewAtOnce } from '../lib/work/few-at-once.js';
import { isOwnerAlive, ownerName } from '../lib/process/process-identity.js';
import { DATA_FILE, lmdbExists } from '../engines/lmdb/files.js';
import { unavailable } from '../errors.js';
import { ofSystem } from './backup.js';
import { iterateParts } from './backup-file.js';
import { runBackupJob } from './backup-job.js';

/** The prefix of directories for backups within the data directory; the name of the process follows. */
const PREFIX = 'backup.partial-';
/** The limit of backups that are created or sent at a time: each takes as much space as the store. */
const BACKUPS_MAX = 2;
const RETRY_SECONDS = 30;
/** Disk space that a backup must leave free for writes. */
const RESERVE_BYTES = 64 * 1024 * 1024;

/** Creates backups of the store of this process, for requests over HTTP. */
export function backupSource(dataDir: string): MakeBackup {
  const owner = encodeURIComponent(ownerName());
  const few = new FewAtOnce({
    max: BACKUPS_MAX,
    message: `${BACKUPS_MAX} backups are already running; try again later`,
    retryAfterSeconds: RETRY_SECONDS,
  });

  async function make(signal: AbortSignal): Promise<MadeBackup> {
    const directory = path.join(dataDir, `${PREFIX}${owner}-${randomUUID().slice(0, 8)}`);
    try {
      if (!lmdbExists(dataDir))
        throw unavailable(
          `the files of the store in ${dataDir} are gone; stop the service and restore a backup there`,
        );
      await mkdir(directory, { mode: 0o700 });
      await runBackupJob({ kind: 'copy', dataDir, directory, reserveBytes: RESERVE_BYTES }, signal);
      const handle = await open(path.join(directory, DATA_FILE));
      const { size } = await handle.stat();
      return { bytes: size, parts: () => iterateParts(handle), close: () => handle.close() };
    } catch (error) {
      throw ofSystem(error, 'cannot back up the store');
    } finally {
      // An open file can be read without its name, and is released when this process ends for any reason.
      await rm(directory, { recursive: true, force: true });
    }
  }

  return async (signal) => {
    const end = few.begin();
    try {
      const backup = await make(signal);
      const close = async (): Promise<void> => {
        end();
        await backup.close();
      };
      return { ...backup, close };
    } catch (error) {
      end();
      throw error;
    }
  };
}

/** Longer than any backup takes: for processes that cannot be checked for life. */
const ABANDONED_MS = 24 * 3_600_000;

/** Deletes the backups of processes that were killed. */
export async function sweepBackups(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith(PREFIX)) continue;
    const directory = path.join(dataDir, name);
    const isOld = Date.now() - (await stat(directory)).mtimeMs > ABANDONED_MS;
    if (!isOld && isOwnerAlive(decodeURIComponent(name.slice(PREFIX.length)))) continue;
    await rm(directory, { recursive: true, force: true });
  }
}
