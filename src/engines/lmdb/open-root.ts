import { setTimeout as sleep } from 'node:timers/promises';
import { open } from 'lmdb';
import { newestCommit } from './files.js';
import type { Root } from './ordered-keys.js';
import { betweenCommits } from './own-commits.js';

/** Delay before checking for the next commit of others, in milliseconds. */
export const OTHERS_MS = 2;

/** Options of lmdb for every environment. */
const COMMON = {
  // New files belong to their owner alone, even when others have access to the directory.
  permissionsMode: 0o600,
  keyEncoding: 'binary',
  encoding: 'binary',
  // Slots for readers of all processes; an open snapshot uses one.
  maxReaders: 1024,
  // A directory named like a file ("data.v1") is still a directory.
  noSubdir: false,
} as const;

type MoreOptions = Omit<Parameters<typeof open>[0], keyof typeof COMMON | 'path'>;

/**
 * Opens the environment in a directory. LMDB then publishes the number of the newest commit to all processes: the one
 * that it read a moment before, without the lock of writers (ITS#9496; the LMDB version inside lmdb still does so). A
 * commit of another process in that moment is skipped: readers do not see it, and the next commit would replace it.
 * So writers check for this and wait. A process that opens the store repeats it until no commit was made in the
 * meantime, or until others continue with theirs, which they do only when none was skipped.
 */
export async function openRoot(directory: string, options: MoreOptions): Promise<Root> {
  for (;;) {
    const before = newestCommit(directory);
    const open = (): Root => openOnce(directory, options);
    const root = options.readOnly === true ? open() : await betweenCommits(directory, open);
    const after = newestCommit(directory);
    if (before === after || after === 0) return root;
    await sleep(OTHERS_MS);
    if (newestCommit(directory) !== after) return root;
    await root.close();
  }
}

/** Opens an existing store, and never writes. */
export function openRootToRead(directory: string): Promise<Root> {
  return openRoot(directory, { readOnly: true });
}

/** Opens a store for reading that this process has already open, so that no commit can be skipped. */
export function openAgainToRead(directory: string): Root {
  return openOnce(directory, { readOnly: true });
}

function openOnce(directory: string, options: MoreOptions): Root {
  return open<Buffer, Uint8Array>({ ...options, ...COMMON, path: directory });
}
