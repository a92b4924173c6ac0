import { statfs } from 'node:fs/promises';
import { unavailable } from '../../errors.js';
import { lmdbExists } from './files.js';
import { asUnavailable } from './engine.js';
import { openRootToRead } from './open-root.js';
import type { Root } from './ordered-keys.js';
import { countPages } from './pages.js';

/**
 * Copies one moment of the store in a directory to a new file `data.mdb` in another, without empty pages. Others may
 * write in the meantime.
 * @param reserveBytes must remain free on the target disk
 * @throws ServiceError `ServiceUnavailable` when the store does not exist, the disk is full, or the copy cannot be
 * written
 */
export async function copyLmdb(directory: string, target: string, reserveBytes: number): Promise<void> {
  if (!lmdbExists(directory)) throw unavailable(`there is no store in ${directory}`);
  let root: Root | undefined;
  try {
    root = await openRootToRead(directory);
    const { pageBytes, pages, freePages } = countPages(root, directory);
    await refuseWithoutRoom(target, (pages - freePages) * pageBytes + reserveBytes);
    await root.backup(target, true);
  } catch (error) {
    throw asUnavailable(error, 'cannot copy the store');
  } finally {
    await root?.close();
  }
}

async function refuseWithoutRoom(directory: string, needed: number): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize >= needed) return;
  throw unavailable(
    `cannot copy the store: no space, ${needed} bytes are needed and ${bavail * bsize} are free where the copy is made`,
  );
}
