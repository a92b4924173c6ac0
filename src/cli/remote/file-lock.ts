import { lstatSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { getMessage, ServiceError } from '../../errors.js';
import { makeDirectories } from '../../lib/make-directories.js';
import { endOwner, ownerName, processState } from '../../lib/process/process-identity.js';
import { UsageError } from '../exit.js';

/** Age from which a lock counts as left behind when its process is not visible from here, in milliseconds. */
const OLD_MS = 60_000;
/** Longest wait for other processes, in milliseconds. */
const WAIT_MS = 120_000;
const AGAIN_MS = 20;

/**
 * Runs work while no other process does so for the file, and creates the directory of the file. A lock is a symbolic
 * link to the name of its process, because the system creates it and its content in one step.
 * @throws UsageError when the directory cannot be created; ServiceError `InternalError` when nothing can be created in
 *   it, and when other processes take long
 */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    await makeDirectories(path.dirname(file), 0o700);
  } catch (error) {
    throw new UsageError(`cannot create the directory of ${file}: ${getMessage(error)}`);
  }
  const lock = `${file}.lock`;
  const owner = ownerName();
  const endMs = performance.now() + WAIT_MS;
  try {
    while (!take(lock, owner)) {
      if (performance.now() > endMs)
        throw new ServiceError(
          'InternalError',
          `cannot change ${file}: process ${ownerOf(lock)?.split('/')[1] ?? ''} uses it; end that process, or remove ${lock}`,
        );
      await sleep(AGAIN_MS);
    }
    try {
      return await work();
    } finally {
      remove(lock, owner);
    }
  } finally {
    endOwner(owner);
  }
}

/**
 * Creates a lock, after the removal of one that is left behind. Only the process that holds a second lock, named after
 * the old owner, may remove it. Names of owners are used once, so nobody removes the lock of a later owner.
 * @returns false when the lock is not created
 */
function take(lock: string, owner: string): boolean {
  if (create(lock, owner)) return true;
  const oldOwner = ownerOf(lock);
  if (oldOwner === undefined || !isLeft(lock, oldOwner)) return false;
  const removal = `${lock}.${path.basename(oldOwner)}`;
  if (!take(removal, owner)) return false;
  remove(lock, oldOwner);
  remove(removal, owner);
  return create(lock, owner);
}

/** @returns false when there is a lock */
function create(lock: string, owner: string): boolean {
  try {
    symlinkSync(owner, lock);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw new ServiceError('InternalError', `cannot write ${lock}: ${getMessage(error)}`);
  }
}

function remove(lock: string, owner: string): void {
  if (ownerOf(lock) === owner) unlinkSync(lock);
}

function isLeft(lock: string, owner: string): boolean {
  const state = processState(owner);
  if (state !== 'unknown') return state === 'dead';
  const stats = lstatSync(lock, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs > OLD_MS;
}

function ownerOf(lock: string): string | undefined {
  try {
    return readlinkSync(lock);
  } catch {
    return undefined;
  }
}
