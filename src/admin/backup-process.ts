import { stat, rm } from 'node:fs/promises';
import path from 'node:path';
import { getMessage, ServiceError } from '../errors.js';
import { openStore } from './reader.js';
import { check } from '../store/check.js';
import { forgetProcesses } from '../cluster/forget-processes.js';
import { openLmdb } from '../engines/lmdb/engine.js';
import { copyLmdb } from '../engines/lmdb/copy.js';
import { DATA_FILE, lmdbFileFault, LOCK_FILE } from '../engines/lmdb/files.js';
import { sealBackup, type CopyFacts } from './backup-file.js';
import type { BackupJob } from './backup-job.js';
import { serveJob } from './serve-job.js';

/** The process of {@link runBackupJob}. It opens files that may be damaged, so that only this process ends with them. */
async function run(job: BackupJob): Promise<CopyFacts> {
  const { directory } = job;
  if (job.kind === 'copy') await copyLmdb(job.dataDir, directory, job.reserveBytes);
  const fault = lmdbFileFault(directory);
  if (fault !== undefined) throw unsound(fault);
  const facts = await inspect(directory);
  if (job.kind === 'copy') await sealBackup(path.join(directory, DATA_FILE), facts);
  else await detach(directory);
  return facts;
}

/** Opens a copy, compares all of it, and leaves no other files. @throws ServiceError `InternalError`: it is not valid */
async function inspect(directory: string): Promise<CopyFacts> {
  try {
    return await compareAll(directory);
  } catch (error) {
    if (error instanceof ServiceError || (error instanceof Error && 'syscall' in error)) throw error;
    // Damaged bytes cause any error in the code that reads them.
    throw unsound(getMessage(error), error);
  }
}

async function compareAll(directory: string): Promise<CopyFacts> {
  const { store } = await openStore({ dataDir: directory, relaxed: false }, true);
  try {
    for await (const { kind = 'log', name, message } of check(store)) {
      const subject = name === undefined ? kind : `${kind} "${name}"`;
      throw unsound(`${subject}: ${message}; see xsvc check`);
    }
    const tables = store.allTables();
    return await store.within(async (view) => {
      let objects = 0;
      for (const table of tables) objects += (await view.count(table)).objects;
      const { size } = await stat(path.join(directory, DATA_FILE));
      return { objects, models: tables.length, revision: await view.revision(), bytes: size };
    });
  } finally {
    await store.close();
    await rm(path.join(directory, LOCK_FILE), { force: true });
  }
}

/** Makes the copy independent of the processes that have the original store open. */
async function detach(directory: string): Promise<void> {
  const engine = await openLmdb(directory);
  try {
    await forgetProcesses(engine);
  } finally {
    await engine.close();
    await rm(path.join(directory, LOCK_FILE), { force: true });
  }
}

function unsound(what: string, cause?: unknown): ServiceError {
  return new ServiceError('InternalError', `the copy is inconsistent: ${what}`, {}, { cause });
}

serveJob(run);
