import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, copyFile, mkdir, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { badRequest, conflict, messageOf, notFound, ServiceError, unavailable } from '../errors.js';
import { openStore } from '../reader.js';
import { check } from '../store/check.js';
import { DATA_FILE, lmdbExists, lmdbFileFault, LOCK_FILE } from '../store/lmdb/files.js';
import { copyLmdb, lmdbHolders } from '../store/lmdb/engine.js';

/** What a copy of a store holds. */
export interface CopyFacts {
  readonly objects: number;
  readonly models: number;
  /** Of the last change in it. */
  readonly revision: number;
  readonly bytes: number;
}

export interface CopyOptions {
  /** Whether what is there already may be replaced. */
  readonly force: boolean;
}

/** Where a restore is made, within the data directory; one that was killed leaves it behind for the next. */
const RESTORE_DIRECTORY = 'restore.partial';

/**
 * Copies the store of a data directory while others write to it: all that was stored at one moment. The copy is
 * opened and checked before it gets its name, a directory, or a file when the target is one or ends in `.mdb`.
 * @throws ServiceError `ServiceUnavailable`: no store, or the target cannot be written; `Conflict`: the target is
 * there; `InternalError`: the copy is not sound
 */
export async function backUpStore(
  dataDir: string,
  target: string,
  { force }: CopyOptions,
): Promise<CopyFacts> {
  if (!lmdbExists(dataDir)) throw unavailable(`there is no store in ${dataDir}`);
  const there = await stat(target).catch(() => undefined);
  if (there !== undefined) await refuseTarget(dataDir, target, there.isDirectory(), force);
  const isFile = there === undefined ? target.endsWith('.mdb') : !there.isDirectory();
  const isDirectoryThere = there?.isDirectory() === true;
  const name = `partial-${randomUUID().slice(0, 8)}`;
  const partial = isDirectoryThere ? path.join(target, `.${name}`) : `${target}.${name}`;
  try {
    await mkdir(path.dirname(partial), { recursive: true });
    await mkdir(partial, { mode: 0o700 });
    await copyLmdb(dataDir, partial);
    const facts = await inspect(partial);
    const data = path.join(partial, DATA_FILE);
    // As private as the data directory is, also where it does not lie in one.
    await chmod(data, 0o600);
    await sync(data);
    if (isFile) await rename(data, target);
    else if (isDirectoryThere) await rename(data, path.join(target, DATA_FILE));
    else await rename(partial, target);
    await sync(path.dirname(path.resolve(target)));
    return facts;
  } catch (error) {
    throw ofSystem(error, `cannot write the backup to ${target}`);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/**
 * Makes a backup the store of a data directory. The copy is checked before it takes the place of what is there, in
 * one step: a restore that is killed leaves the one or the other.
 * @throws ServiceError `NotFound`: no backup; `Invalid`: it cannot be used; `Conflict`: there is a store already, or a
 * process has it open; `ServiceUnavailable`: the directory cannot be written
 */
export async function restoreStore(
  from: string,
  dataDir: string,
  { force }: CopyOptions,
): Promise<CopyFacts> {
  const file = await backupFile(from);
  if (lmdbExists(dataDir)) {
    if (await isSame(path.dirname(file), dataDir)) throw badRequest(`${from} is the store itself`);
    if (!force) throw conflict(`there is a store in ${dataDir}; --force replaces it by the backup`);
  }
  await refuseHeld(dataDir, 'stop it before its store is replaced');
  await refuseHeld(path.dirname(file), 'copy a store that is in use with xsvc backup');
  const partial = path.join(dataDir, RESTORE_DIRECTORY);
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await rm(partial, { recursive: true, force: true });
    await mkdir(partial, { mode: 0o700 });
    const data = path.join(partial, DATA_FILE);
    await copyFile(file, data, constants.COPYFILE_FICLONE);
    const fault = lmdbFileFault(partial);
    if (fault !== undefined) throw badRequest(`${from} is no backup that can be used: ${fault}`);
    const facts = await inspect(partial);
    await sync(data);
    // Whoever opened it meanwhile would go on with a store that nobody else sees.
    await refuseHeld(dataDir, 'stop it before its store is replaced');
    await rename(data, path.join(dataDir, DATA_FILE));
    await sync(dataDir);
    return facts;
  } catch (error) {
    throw ofSystem(error, `cannot restore to ${dataDir}`);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

async function refuseTarget(
  dataDir: string,
  target: string,
  isDirectory: boolean,
  force: boolean,
): Promise<void> {
  const entries = isDirectory ? await readdir(target) : [];
  if (isDirectory && entries.length === 0) return;
  if (await isSame(target, dataDir)) throw badRequest(`${target} is the store itself`);
  if (!force) throw conflict(`${target} is there already; --force replaces it`);
  if (isDirectory && !entries.includes(DATA_FILE)) {
    throw conflict(`${target} holds other files than a backup; use another directory`);
  }
  if (isDirectory) await refuseHeld(target, 'it is a store in use');
}

async function refuseHeld(directory: string, help: string): Promise<void> {
  const holders = await lmdbHolders(directory);
  if (holders.length === 0) return;
  const who =
    holders.length === 1 ? `process ${String(holders[0])} has` : `processes ${holders.join(', ')} have`;
  throw conflict(`${who} the store in ${directory} open; ${help}`);
}

/** The file with the data of a backup. */
async function backupFile(from: string): Promise<string> {
  const found = await stat(from).catch(() => undefined);
  if (found?.isFile() === true) return from;
  if (found?.isDirectory() === true && lmdbExists(from)) return path.join(from, DATA_FILE);
  throw notFound(`there is no backup in ${from}`);
}

/** Opens a copy, compares all of it, and leaves nothing beside it. @throws ServiceError `InternalError`: it is not sound */
async function inspect(directory: string): Promise<CopyFacts> {
  try {
    return await compareAll(directory);
  } catch (error) {
    if (error instanceof ServiceError || (error instanceof Error && 'syscall' in error)) throw error;
    // What damaged bytes make of the code that reads them.
    throw unsound(messageOf(error), error);
  }
}

async function compareAll(directory: string): Promise<CopyFacts> {
  const store = await openStore({ dataDir: directory, relaxed: false }, true);
  try {
    for await (const { kind = 'log', name, message } of check(store)) {
      const subject = name === undefined ? kind : `${kind} "${name}"`;
      throw unsound(`${subject}: ${message}; see xsvc check`);
    }
    const tables = store.allTables();
    const view = store.read();
    try {
      let objects = 0;
      for (const table of tables) objects += (await view.count(table)).objects;
      const { size } = await stat(path.join(directory, DATA_FILE));
      return { objects, models: tables.length, revision: await view.revision(), bytes: size };
    } finally {
      view.close();
    }
  } finally {
    await store.close();
    await rm(path.join(directory, LOCK_FILE), { force: true });
  }
}

function unsound(what: string, cause?: unknown): ServiceError {
  return new ServiceError('InternalError', `the copy is not sound: ${what}`, {}, { cause });
}

async function isSame(a: string, b: string): Promise<boolean> {
  const [first, second] = await Promise.all(
    [a, b].map((one) => realpath(one).catch(() => path.resolve(one))),
  );
  return first === second;
}

/** Of a file or of a directory's entries. */
async function sync(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function ofSystem(error: unknown, what: string): unknown {
  if (error instanceof ServiceError || !(error instanceof Error && 'syscall' in error)) return error;
  return new ServiceError('ServiceUnavailable', `${what}: ${messageOf(error)}`, {}, { cause: error });
}
