import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The installation directory of the running program. */
export const OWN_DIRECTORY = fileURLToPath(new URL('../../', import.meta.url));

/** Reads a file of the program's package. */
export function readOwnFile(file: string): Promise<string> {
  return readFile(path.join(OWN_DIRECTORY, file), 'utf8');
}
