import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { getMessage, ServiceError } from '../../errors.js';
import { syncFile } from '../../lib/sync-file.js';

/** Short texts are combined up to this size. */
const CHUNK_CHARACTERS = 64 * 1024;

/**
 * Writes a file that appears, or replaces an existing one, only when it is complete and on disk. Anything except a regular file (a
 * pipe, a device) is written directly. Only its owner may read it: objects may contain secrets.
 * @throws ServiceError `InternalError` that names the file, when it cannot be written
 */
export async function writeWhole(file: string, texts: AsyncIterable<string>): Promise<void> {
  const there = await stat(file).catch(() => undefined);
  const isDirect = there !== undefined && !there.isFile() && !there.isDirectory();
  const target = isDirect ? file : `${file}.partial-${randomUUID().slice(0, 8)}`;
  try {
    await pipeline(iterateChunks(texts), createWriteStream(target, { mode: 0o600 }));
    if (isDirect) return;
    await syncFile(target);
    await rename(target, file);
  } catch (error) {
    if (!isDirect) await rm(target, { force: true });
    throw isOfSystem(error) ? cannotWrite(file, error) : error;
  }
}

function isOfSystem(error: unknown): boolean {
  return error instanceof Error && !(error instanceof ServiceError) && 'syscall' in error;
}

function cannotWrite(file: string, error: unknown): ServiceError {
  return new ServiceError(
    'InternalError',
    `cannot write ${file}: ${getMessage(error)}`,
    {},
    { cause: error },
  );
}

async function* iterateChunks(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = '';
  for await (const text of texts) {
    chunk += text;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}
