import {
  chmodSync,
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { getMessage, unavailable } from '../../errors.js';

/** What lies in the directory of a store; LMDB itself is not asked. */
export const DATA_FILE = 'data.mdb';
export const LOCK_FILE = 'lock.mdb';

/**
 * Whether a store was ever created in the directory.
 * @throws ServiceError `ServiceUnavailable` when this user may not know
 */
export function lmdbExists(directory: string): boolean {
  try {
    return statSync(path.join(directory, DATA_FILE), { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return false;
    throw unavailable(
      `cannot look for a store in ${directory}: ${getMessage(error)}; run this as the user of the service`,
    );
  }
}

/** Takes the rights of others at files of a store that an earlier version made; what is not ours is left alone. */
export function keepToOwner(directory: string): void {
  for (const name of [DATA_FILE, LOCK_FILE]) {
    const file = path.join(directory, name);
    try {
      if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
    } catch {
      // It is not there yet, or another user's.
    }
  }
}

/**
 * Given a file that it did not write, LMDB ends the process. An empty one is a store that is just being made.
 * @throws ServiceError `ServiceUnavailable`
 */
export function refuseForeign(directory: string): void {
  const name = path.join(directory, DATA_FILE);
  if (!existsSync(name)) return;
  let file: number;
  try {
    file = openSync(name, 'r');
  } catch {
    // It says itself why it cannot be opened.
    return;
  }
  try {
    if (fstatSync(file).size > 0 && readMeta(file, 0) === undefined)
      throw unavailable(`cannot open the store in ${directory}: ${DATA_FILE} is not an LMDB file`);
  } finally {
    closeSync(file);
  }
}

/**
 * Why the data of a directory cannot be a whole store, before LMDB sees it: it maps the file into memory, and what is
 * not there ends the process. Undefined when nothing is wrong.
 */
export function lmdbFileFault(directory: string): string | undefined {
  const file = openSync(path.join(directory, DATA_FILE), 'r');
  try {
    const { size } = fstatSync(file);
    const first = readMeta(file, 0);
    if (first === undefined) return 'it is not an LMDB file';
    const last = Math.max(first.lastPage, readMeta(file, first.pageSize)?.lastPage ?? 0);
    const whole = (last + 1) * first.pageSize;
    return size < whole ? `it is truncated: ${size} bytes of ${whole}` : undefined;
  } finally {
    closeSync(file);
  }
}

/** Whether an open file begins as a data file does. */
export function looksLikeLmdb(file: number): boolean {
  return readMeta(file, 0) !== undefined;
}

/** The page at the start of an open file that was written last. It must be LMDB's. */
export function newestMeta(file: number): Meta {
  const first = readMeta(file, 0);
  const second = first && readMeta(file, first.pageSize);
  if (first === undefined || second === undefined) throw new RangeError('it is not an LMDB file');
  return first.commit > second.commit ? first : second;
}

/** Number of the newest commit of the store in a directory; undefined when there is no store. */
export function newestCommit(directory: string): number | undefined {
  if (!existsSync(path.join(directory, DATA_FILE))) return undefined;
  const file = openSync(path.join(directory, DATA_FILE), 'r');
  try {
    return looksLikeLmdb(file) ? newestMeta(file).commit : undefined;
  } finally {
    closeSync(file);
  }
}

interface Meta {
  readonly pageSize: number;
  readonly lastPage: number;
  /** Page at which the tree of free pages begins; undefined when there are none. */
  readonly freeRoot: number | undefined;
  /** Number of the commit that wrote it. */
  readonly commit: number;
}

/** One of the two pages at the start that LMDB writes in turn; undefined when it is none. */
function readMeta(file: number, offset: number): Meta | undefined {
  const bytes = Buffer.alloc(META.bytes);
  if (readSync(file, bytes, 0, META.bytes, offset) < META.bytes) return undefined;
  if (bytes.readUInt32LE(META.magicAt) !== META.magic) return undefined;
  const pageSize = bytes.readUInt32LE(META.pageSizeAt);
  const freeRoot = bytes.readBigUInt64LE(META.freeRootAt);
  return {
    pageSize,
    lastPage: Number(bytes.readBigUInt64LE(META.lastPageAt)),
    freeRoot: freeRoot === NO_PAGE ? undefined : Number(freeRoot),
    commit: Number(bytes.readBigUInt64LE(META.commitAt)),
  };
}

/** Where things are in such a page, in bytes. */
const META = {
  magic: 0xbeefc0de,
  magicAt: 0x18,
  pageSizeAt: 0x30,
  freeRootAt: 0x58,
  lastPageAt: 0x90,
  commitAt: 0x98,
  bytes: 0xa0,
} as const;
const NO_PAGE = 0xffffffffffffffffn;

/**
 * Ids of the processes that hold the lock file of a store; undefined where the system does not tell of locks.
 */
export function holdersOfLock(lock: string): number[] | undefined {
  // Every process locks a byte of the file for as long as it has the store open.
  try {
    const { ino } = statSync(lock, { bigint: true });
    const lines = readFileSync('/proc/locks', 'utf8').split('\n');
    return lines.flatMap((line) => {
      const [, , , , pid = '', file = ''] = line.split(/\s+/);
      return file.endsWith(`:${ino}`) && hasOpen(pid, lock) ? [Number(pid)] : [];
    });
  } catch {
    return undefined;
  }
}

/** Two file systems may have files of one number. Who cannot be asked is taken to have it open. */
function hasOpen(pid: string, file: string): boolean {
  try {
    const wanted = realpathSync(file);
    const directory = `/proc/${pid}/fd`;
    return readdirSync(directory).some((name) => findLink(path.join(directory, name)) === wanted);
  } catch {
    return existsSync(`/proc/${pid}`);
  }
}

function findLink(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
}
