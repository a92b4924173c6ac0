import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { getMessage, ServiceError } from '../../errors.js';

/** Texts of files by their paths, with `/`. */
export type Files = Readonly<Record<string, string>>;

/**
 * Writes files that are not there yet, in the order of their paths.
 * @param onWritten told of each path
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

/** The directory that the running program is installed in. */
export const OWN_DIRECTORY = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Makes `xsvc` be found from a directory, for tests and editors, when no installed one is: with a link to the running
 * program in `node_modules`, as `npm link` would. Another machine gets it by `npm install`.
 */
export async function linkUnlessInstalled(directory: string): Promise<void> {
  try {
    createRequire(path.join(directory, 'index.js')).resolve('xsvc/package.json');
  } catch {
    const modules = path.join(directory, 'node_modules');
    await mkdir(modules, { recursive: true });
    // Where links are not possible, npm install does it.
    await symlink(OWN_DIRECTORY, path.join(modules, 'xsvc'), 'junction').catch(() => undefined);
  }
}

/** A file that the program brings along. */
export function readOwnFile(file: string): Promise<string> {
  return readFile(path.join(OWN_DIRECTORY, file), 'utf8');
}
