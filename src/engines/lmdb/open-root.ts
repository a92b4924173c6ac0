import { setTimeout as sleep } from 'node:timers/promises';
import { open } from 'lmdb';
import { newestCommit } from './files.js';
import type { Root } from './ordered-keys.js';

/** How long to wait for the next commit of others, in milliseconds. */
export const OTHERS_MS = 2;

/** Options of lmdb for every environment. */
const COMMON = {
  // New files are for their owner alone, whoever may look into the directory.
  permissionsMode: 0o600,
  keyEncoding: 'binary',
  encoding: 'binary',
  // Slots for readers of all processes; a held snapshot takes one.
  maxReaders: 1024,
  // A directory named like a file ("data.v1") is still a directory.
  noSubdir: false,
} as const;

type MoreOptions = Omit<Parameters<typeof open>[0], keyof typeof COMMON | 'path'>;

/**
 * Opens the environment in a directory. LMDB then tells all processes which commit is the newest: the one that it has
 * read a moment before, without the lock of writers (ITS#9496; the LMDB that lmdb is built of still does so). What
 * another process commits in that moment is passed over: readers do not see it, and the next commit would take its
 * place. So writers look for that and wait, and whoever opens does so again until no commit was made meanwhile, or
 * others go on with theirs, which they do only when none was passed over.
 */
export async function openRoot(directory: string, options: MoreOptions): Promise<Root> {
  for (;;) {
    const before = newestCommit(directory);
    const root = openOnce(directory, options);
    const after = newestCommit(directory);
    if (before === after || after === 0) return root;
    await sleep(OTHERS_MS);
    if (newestCommit(directory) !== after) return root;
    await root.close();
  }
}

/** Opens what is there, and never writes. */
export function openRootToRead(directory: string): Promise<Root> {
  return openRoot(directory, { readOnly: true });
}

/** Opens to read what this process has open already, so that no commit can be passed over. */
export function openAgainToRead(directory: string): Root {
  return openOnce(directory, { readOnly: true });
}

function openOnce(directory: string, options: MoreOptions): Root {
  return open<Buffer, Uint8Array>({ ...options, ...COMMON, path: directory });
}
