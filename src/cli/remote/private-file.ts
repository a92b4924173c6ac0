import { readFile, realpath, stat } from 'node:fs/promises';
import { getMessage } from '../../errors.js';
import { UsageError } from '../exit.js';
import { writeWhole } from '../transfer/write-whole.js';

/** Far above any real file; a wrong path must not fill memory. */
const BYTES_MAX = 1024 * 1024;

/**
 * Reads a file with secrets; undefined without a file.
 * @param what the kind of the file: `file of contexts`
 * @throws UsageError for a file that others can use, or that cannot be read
 */
export async function readPrivate(file: string, what: string): Promise<string | undefined> {
  try {
    const found = await stat(file);
    if (!found.isFile()) throw new UsageError(`${file} is not a regular file, but the ${what}`);
    const mode = found.mode & 0o777;
    if ((mode & 0o077) !== 0)
      throw new UsageError(
        `${file} has tokens but the mode 0${mode.toString(8)}, so others may use it; run: chmod 600 ${file}`,
      );
    if (found.size > BYTES_MAX) throw new UsageError(`${file} is too large for a ${what}`);
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new UsageError(`cannot read the ${what}: ${getMessage(error)}`);
  }
}

/**
 * Replaces a file with secrets in one step; only its owner may use it.
 * @throws ServiceError `InternalError` when it cannot be written
 */
export async function writePrivate(file: string, text: string): Promise<void> {
  // A link stays a link.
  const target = await realpath(file).catch(() => file);
  await writeWhole(target, oneText(text));
}

async function* oneText(text: string): AsyncGenerator<string> {
  yield await Promise.resolve(text);
}
