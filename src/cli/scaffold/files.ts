import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { getMessage, ServiceError } from '../../errors.js';

/** Texts of files by their paths, with `/`. */
export type Files = Readonly<Record<string, string>>;

/**
 * Writes missing files, in the order of their paths.
 * @param onWritten called for each path
 * @throws ServiceError `InternalError` that names the file
 */
export async function writeFiles(
  directory: string,
  files: Files,
  onWritten: (file: string) => void,
): Promise<void> {
  for (const [name, text] of Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const file = path.join(directory, name);
    try {
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text, { flag: 'wx' });
    } catch (error) {
      throw new ServiceError(
        'InternalError',
        `cannot write ${file}: ${getMessage(error)}`,
        {},
        { cause: error },
      );
    }
    onWritten(name);
  }
}

/** The installation directory of the running program. */
export const OWN_DIRECTORY = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Makes `xsvc` resolvable from a directory, for tests and editors, unless it is installed there: creates a link to the running
 * program in `node_modules`, like `npm link`. On other machines `npm install` does it.
 */
export async function linkUnlessInstalled(directory: string): Promise<void> {
  try {
    createRequire(path.join(directory, 'index.js')).resolve('xsvc/package.json');
  } catch {
    const modules = path.join(directory, 'node_modules');
    await mkdir(modules, { recursive: true });
    // Without links, npm install does it.
    await symlink(OWN_DIRECTORY, path.join(modules, 'xsvc'), 'junction').catch(() => undefined);
  }
}

/** Reads a file of the program's package. */
export function readOwnFile(file: string): Promise<string> {
  return readFile(path.join(OWN_DIRECTORY, file), 'utf8');
}
