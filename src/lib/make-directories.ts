import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Creates a directory, and its parents where they are missing. The `recursive` option of Node.js never ends below /proc.
 * @param mode of each new directory
 * @throws Error of the system, with the directory that cannot be created
 */
export async function makeDirectories(directory: string, mode?: number): Promise<void> {
  const first = await tryToMake(directory, mode);
  if (first === undefined) return;
  const parent = path.dirname(directory);
  if (first.code !== 'ENOENT' || parent === directory) throw first;
  await makeDirectories(parent, mode);
  const second = await tryToMake(directory, mode);
  if (second !== undefined) throw second;
}

async function tryToMake(
  directory: string,
  mode: number | undefined,
): Promise<NodeJS.ErrnoException | undefined> {
  try {
    await mkdir(directory, { mode });
    return undefined;
  } catch (error) {
    if ((await stat(directory).catch(() => undefined))?.isDirectory() === true) return undefined;
    if (!(error instanceof Error)) throw error;
    error.message = `cannot create the directory ${directory}: ${error.message}; choose another directory`;
    return error;
  }
}
