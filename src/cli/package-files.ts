import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The installation directory of the running program. */
export const OWN_DIRECTORY = fileURLToPath(new URL('../../', import.meta.url));

/** The running program as a dependency of a package in a directory; no registry has it. */
export function ownDependency(directory: string): string {
  return `file:${path.relative(directory, OWN_DIRECTORY).split(path.sep).join('/')}`;
}

/** Reads a file of the program's package. */
export function readOwnFile(file: string): Promise<string> {
  return readFile(path.join(OWN_DIRECTORY, file), 'utf8');
}
