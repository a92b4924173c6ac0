import { open } from 'node:fs/promises';

/** Flushes a file or a directory's entries to the disk. */
export async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
