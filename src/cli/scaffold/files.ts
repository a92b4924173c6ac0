import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { makeDirectories } from '../../lib/make-directories.js';
import { getMessage, ServiceError } from '../../errors.js';
import { OWN_DIRECTORY, readOwnFile } from '../package-files.js';

/** Texts of files by their paths, with `/`. */
export type Files = Readonly<Record<string, string>>;

/** npm would leave a file of this name out of the package, so it is no template. */
const GITIGNORE: Files = { '.gitignore': 'node_modules/\n.xsvc/\n' };

/** Files of projects and of plugins. */
export async function sharedFiles(): Promise<Files> {
  return { ...GITIGNORE, 'vitest.config.js': await readOwnFile('templates/vitest.config.js') };
}

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
      await makeDirectories(path.dirname(file));
      await writeFile(file, text, { flag: 'wx' });
    } catch (error) {
      const message = `cannot write ${file}: ${getMessage(error)}`;
      throw new ServiceError('InternalError', message, {}, { cause: error });
    }
    onWritten(name);
  }
}

/**
 * Makes `xsvc` resolvable from a directory, for tests and editors, unless it is installed there: creates a link to the running
 * program in `node_modules`, as `npm install` does with the dependency.
 */
export async function linkUnlessInstalled(directory: string): Promise<void> {
  try {
    createRequire(path.join(directory, 'index.js')).resolve('xsvc/package.json');
  } catch {
    const modules = path.join(directory, 'node_modules');
    await makeDirectories(modules);
    // Without links, npm install does it.
    await symlink(OWN_DIRECTORY, path.join(modules, 'xsvc'), 'junction').catch(() => undefined);
  }
}

/** All files below a directory of the program's package, by their paths in it. */
export async function readOwnFiles(directory: string): Promise<Files> {
  const root = path.join(OWN_DIRECTORY, directory);
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = files.map(async ({ parentPath, name }) => {
    const file = path.join(parentPath, name);
    const shown = path.relative(root, file).split(path.sep).join('/');
    return [shown, await readFile(file, 'utf8')] as const;
  });
  return Object.fromEntries(await Promise.all(texts));
}

/** Fills in the values of names such as `__plugin__`. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/__([A-Za-z]+)__/g, (found, name: string) => values[name] ?? found);
}

/** For editors and `tsc`: the types of xsvc are resolved like those of any package. */
export async function tsconfig(include: string): Promise<Files> {
  return { 'tsconfig.json': fill(await readOwnFile('templates/tsconfig.json'), { include }) };
}
