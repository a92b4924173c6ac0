import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, realpath, rename, rm, stat, truncate } from 'node:fs/promises';
import path from 'node:path';
import { makeDirectories } from '../lib/make-directories.js';
import { badRequest, conflict, getMessage, hasCode, notFound, ServiceError, unavailable } from '../errors.js';
import { DATA_FILE, lmdbExists } from '../engines/lmdb/files.js';
import { BackupFault, receiveBackup, type CopyFacts } from './backup-file.js';
import { runBackupJob } from './backup-job.js';
import { refuseIfOpen } from './store-holders.js';
import { syncFile } from '../lib/sync-file.js';

export interface CopyOptions {
  /** True to replace an existing target. */
  readonly force: boolean;
}

const READ_BYTES = 1024 * 1024;

/** The directory of a restore within the data directory; the next restore replaces one that a killed process left. */
const RESTORE_DIRECTORY = 'restore.partial';

/**
 * Creates a backup of the store of a data directory while others write to it: one file with the state of one moment. The copy is
 * opened and checked before it gets its name.
 * @throws ServiceError `ServiceUnavailable`: no store, or the target cannot be written; `Conflict`: the target exists;
 *   `InternalError`: the copy is not valid
 */
export async function backUpStore(
  dataDir: string,
  target: string,
  { force }: CopyOptions,
): Promise<CopyFacts> {
  if (!lmdbExists(dataDir)) throw unavailable(`there is no store in ${dataDir}`);
  if (await isSame(target, path.join(dataDir, DATA_FILE))) throw badRequest(`${target} is the store itself`);
  return inPlace(target, force, (directory) =>
    runBackupJob({ kind: 'copy', dataDir, directory, reserveBytes: 0 }),
  );
}

/**
 * Writes a backup that a server sends.
 * @param host the server, for messages
 * @throws ServiceError any error of requesting the parts; `ServiceUnavailable`: the backup differs from the sent one, or the target
 *   cannot be written; `Conflict`: the target exists
 */
export async function receiveFrom(
  host: string,
  parts: AsyncIterable<Uint8Array>,
  target: string,
  { force }: CopyOptions,
): Promise<CopyFacts> {
  return inPlace(target, force, async (directory) => {
    try {
      return await receiveBackup(parts, path.join(directory, DATA_FILE));
    } catch (error) {
      if (!(error instanceof BackupFault)) throw error;
      throw unavailable(`the answer of ${host} is not a usable backup: ${error.message}`);
    }
  });
}

/**
 * Turns a backup into the store of a data directory. Its SHA-256 is compared before it is opened, and it is opened and checked
 * before it replaces the existing store in one step: a restore that is killed leaves the one or the other.
 * @throws ServiceError `NotFound`: no backup; `BadRequest`: it cannot be used; `Conflict`: a store exists, or a process has it
 *   open; `ServiceUnavailable`: the directory cannot be written
 */
export async function restoreStore(
  from: string,
  dataDir: string,
  { force }: CopyOptions,
): Promise<CopyFacts> {
  await refuseSource(from, dataDir);
  if (lmdbExists(dataDir) && !force)
    throw conflict(`${dataDir} already contains a store; --force replaces it with the backup`);
  await refuseIfOpen(dataDir, 'replaced');
  const partial = path.join(dataDir, RESTORE_DIRECTORY);
  try {
    await makeDirectories(dataDir, 0o700);
    await rm(partial, { recursive: true, force: true });
    await mkdir(partial, { mode: 0o700 });
    const data = path.join(partial, DATA_FILE);
    const { bytes } = await receiveBackup(createReadStream(from, { highWaterMark: READ_BYTES }), data);
    await truncate(data, bytes);
    const facts = await runBackupJob({ kind: 'restore', directory: partial });
    await syncFile(data);
    // A process that opened it meanwhile would continue with a store that no other process has.
    await refuseIfOpen(dataDir, 'replaced');
    await rename(data, path.join(dataDir, DATA_FILE));
    await syncFile(dataDir);
    return facts;
  } catch (error) {
    throw ofBackup(error, from) ?? ofSystem(error, `cannot restore to ${dataDir}`);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/**
 * Creates a file next to its target, and moves it there when it is complete.
 * @param make writes {@link DATA_FILE} in the directory
 */
async function inPlace(
  target: string,
  force: boolean,
  make: (directory: string) => Promise<CopyFacts>,
): Promise<CopyFacts> {
  await refuseTarget(target, force);
  const partial = `${target}.partial-${randomUUID().slice(0, 8)}`;
  const data = path.join(partial, DATA_FILE);
  try {
    await makeDirectories(path.dirname(partial));
    // As private as the data directory, also outside it.
    await mkdir(partial, { mode: 0o700 });
    const facts = await make(partial);
    await chmod(data, 0o600);
    await rename(data, target);
    await syncFile(path.dirname(path.resolve(target)));
    return facts;
  } catch (error) {
    throw ofSystem(error, `cannot write the backup to ${target}`);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

async function refuseTarget(target: string, force: boolean): Promise<void> {
  const there = await stat(target).catch(() => undefined);
  if (there === undefined) return;
  if (there.isDirectory())
    throw conflict(
      `${target} is a directory; a backup is one file, for example ${path.join(target, 'backup')}`,
    );
  if (!there.isFile()) throw conflict(`${target} already exists and is not a regular file`);
  if (!force) throw conflict(`${target} already exists; --force replaces it`);
  if (path.basename(target) === DATA_FILE) await refuseIfOpen(path.dirname(target), 'replaced');
}

async function refuseSource(from: string, dataDir: string): Promise<void> {
  const there = await stat(from).catch(() => undefined);
  if (there === undefined) throw notFound(`there is no backup in ${from}`);
  if (!there.isFile())
    throw badRequest(`${from} is not a file; a backup is one file, written by xsvc backup`);
  if (await isSame(from, path.join(dataDir, DATA_FILE))) throw badRequest(`${from} is the store itself`);
}

async function isSame(a: string, b: string): Promise<boolean> {
  const [first, second] = await Promise.all(
    [a, b].map((one) => realpath(one).catch(() => path.resolve(one))),
  );
  return first === second;
}

/** The error of an invalid backup; undefined when the error has another cause. */
function ofBackup(error: unknown, from: string): ServiceError | undefined {
  const isUnsound = hasCode(error, 'InternalError');
  if (!isUnsound && !(error instanceof BackupFault)) return undefined;
  return badRequest(`${from} is not a usable backup: ${error.message}`);
}

/** The error of the service for one of files, which has no code of the service; other errors are left. */
export function ofSystem(error: unknown, what: string): unknown {
  if (error instanceof ServiceError || !(error instanceof Error && 'syscall' in error)) return error;
  return new ServiceError('ServiceUnavailable', `${what}: ${getMessage(error)}`, {}, { cause: error });
}
