import { randomUUID } from 'node:crypto';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeDirectories } from '../lib/make-directories.js';
import { badRequest, conflict, ServiceError, unavailable } from '../errors.js';
import { forgetProcesses } from '../cluster/forget-processes.js';
import type { Engine } from '../store/engine.js';
import { Digest, digestPairs, everyPair, type PairsDigest } from '../store/pairs-digest.js';
import { openLmdb } from '../engines/lmdb/engine.js';
import { DATA_FILE, lmdbExists } from '../engines/lmdb/files.js';
import { openShared, openSharedLog, type SharedAddress } from '../engines/open-shared.js';
import { refuseIfOpen } from './store-holders.js';

/** A store in a directory of this machine, or a shared one. */
export type StorePlace = { readonly directory: string } | SharedAddress;

export interface StoreCopyOptions {
  /** True to replace an existing store. */
  readonly force: boolean;
  /** The time limit for a shared store, in milliseconds. */
  readonly timeoutMs: number;
  readonly warn: (message: string) => void;
}

/** The prefix of the copy next to the target until it is complete. */
const PARTIAL = 'copy.partial-';

/**
 * Copies a whole store, so that clients continue without a change: objects, uids, revisions, log and tokens are the same. The copy
 * is read back and compared with the source. Then what processes of the source wrote about themselves is removed from it.
 * @throws ServiceError `Conflict`: a store exists already, or a process has one of them open; `ServiceUnavailable`
 */
export async function copyStore(
  from: StorePlace,
  to: StorePlace,
  options: StoreCopyOptions,
): Promise<PairsDigest> {
  if ('directory' in from && 'directory' in to && from.directory === to.directory)
    throw badRequest('--from and --to are the same store');
  const temporary = await mkdtemp(path.join(tmpdir(), 'xsvc-'));
  let source: Engine | undefined;
  try {
    source = await openSource(from, path.join(temporary, 'from'), options);
    const digest = new Digest();
    const pairs = digest.over(everyPair(source));
    const copied =
      'directory' in to
        ? await toDirectory(to.directory, pairs, options)
        : await toShared(to, pairs, path.join(temporary, 'to'), options);
    const expected = digest.done();
    if (copied.sha256 !== expected.sha256) throw differs(expected, copied);
    return expected;
  } finally {
    await source?.close();
    await rm(temporary, { recursive: true, force: true });
  }
}

async function openSource(from: StorePlace, replica: string, options: StoreCopyOptions): Promise<Engine> {
  if (!('directory' in from)) return openShared(from, replica, options);
  await refuseIfOpen(from.directory, 'copied');
  return openLmdb(from.directory, { readOnly: true });
}

type Pairs = ReturnType<Digest['over']>;

async function toDirectory(
  directory: string,
  pairs: Pairs,
  { force }: StoreCopyOptions,
): Promise<PairsDigest> {
  if (lmdbExists(directory) && !force)
    throw conflict(`${directory} already contains a store; --force replaces it with the copy`);
  await refuseIfOpen(directory, 'replaced');
  await makeDirectories(directory, 0o700);
  const partial = path.join(directory, `${PARTIAL}${randomUUID().slice(0, 8)}`);
  try {
    const engine = await openLmdb(partial);
    let copied: PairsDigest;
    try {
      for await (const part of pairs)
        await engine.commit((tx) => {
          for (const { key, value } of part) tx.put(key, value);
        });
      copied = await digestPairs(engine);
      await forgetProcesses(engine);
    } finally {
      await engine.close();
    }
    await refuseIfOpen(directory, 'replaced');
    await rename(path.join(partial, DATA_FILE), path.join(directory, DATA_FILE));
    return copied;
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

async function toShared(
  to: SharedAddress,
  pairs: Pairs,
  replica: string,
  options: StoreCopyOptions,
): Promise<PairsDigest> {
  const log = await openSharedLog(to, options);
  try {
    await log.load(pairs, options.force);
  } finally {
    await log.close();
  }
  const engine = await openShared(to, replica, options);
  try {
    const copied = await digestPairs(engine);
    await forgetProcesses(engine);
    return copied;
  } finally {
    await engine.close();
  }
}

function differs(expected: PairsDigest, copied: PairsDigest): ServiceError {
  return unavailable(
    `the copy has ${copied.pairs} entries, which differ from the ${expected.pairs} of the source; ` +
      'one of the stores was written meanwhile: stop all daemons and copy again',
  );
}
