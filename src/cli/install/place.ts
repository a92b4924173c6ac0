import { mkdir, mkdtemp, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ServiceError, conflict, getMessage } from '../../errors.js';
import { MANIFEST_FILE } from '../../plugin/manifest/manifest.js';
import { UsageError } from '../exit.js';
import type { ArchivedFile } from './tar.js';

/**
 * A directory beside the plugins, on the same file system, for unfinished files. It is not a plugin, and neither are the directories
 * in it, because only direct children of the plugin directory are.
 */
const STAGING = '.xsvc-install-';

/** @throws UsageError when the directory is itself a plugin, or no directory */
export async function checkPluginDirectory(directory: string): Promise<void> {
  if ((await stat(path.join(directory, MANIFEST_FILE)).catch(() => undefined)) !== undefined)
    throw new UsageError(`${directory} is itself a plugin; name the directory of plugins with --plugins`);
  const found = await stat(directory).catch(() => undefined);
  if (found !== undefined && !found.isDirectory()) throw new UsageError(`${directory} is not a directory`);
}

/**
 * Writes files into a new directory that is not a plugin yet, and always removes it.
 * @param work receives the directory with the files
 */
export async function withStaged<T>(
  plugins: string,
  files: readonly ArchivedFile[],
  work: (staged: string) => Promise<T>,
): Promise<T> {
  await mkdir(plugins, { recursive: true });
  const staging = await mkdtemp(path.join(plugins, STAGING));
  const staged = path.join(staging, 'new');
  try {
    await mkdir(staged);
    for (const { path: file, bytes } of files) {
      const target = path.join(staged, ...file.split('/'));
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, bytes, { flag: 'wx' });
    }
    const result = await work(staged);
    await rm(staging, { recursive: true, force: true });
    return result;
  } catch (error) {
    await rm(staged, { recursive: true, force: true });
    // It stays when it contains a replaced plugin that could not be put back.
    await rmdir(staging).catch(() => undefined);
    throw error;
  }
}

/**
 * Puts a staged directory in its place, in one step. A directory that is there is replaced, or restored when that fails.
 * @throws ServiceError `InternalError`
 */
export async function moveInto(staged: string, target: string): Promise<void> {
  const old = path.join(path.dirname(staged), 'old');
  const isThere = (await stat(target).catch(() => undefined)) !== undefined;
  try {
    if (isThere) await rename(target, old);
    await rename(staged, target);
  } catch (error) {
    if (isThere && (await stat(target).catch(() => undefined)) === undefined) await rename(old, target);
    throw new ServiceError('InternalError', `cannot move the plugin to ${target}: ${getMessage(error)}`);
  }
}

/** Removes a plugin's directory: first it is no longer a plugin, then its files go. */
export async function removeDirectory(plugins: string, directory: string): Promise<void> {
  const staging = await mkdtemp(path.join(plugins, STAGING));
  try {
    await rename(directory, path.join(staging, 'old'));
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** @throws ServiceError `Conflict` when a command that was interrupted has left files */
export async function refuseLeftovers(plugins: string): Promise<void> {
  const names = await readdir(plugins).catch(() => []);
  const [left] = names.filter((name) => name.startsWith(STAGING));
  if (left === undefined) return;
  throw conflict(
    `${path.join(plugins, left)} is left of a command that runs or was interrupted; a replaced plugin is in old/; remove it, and try again`,
  );
}
