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

/** The files in the directory of a store, read without LMDB. */
export const DATA_FILE = 'data.mdb';
export const LOCK_FILE = 'lock.mdb';

/**
 * True when a store was ever created in the directory.
 * @throws ServiceError `ServiceUnavailable` when this user has no access
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

/**
 * Removes the access of others to files of a store that an earlier version created. Files of other users are not
 * changed.
 */
export function keepToOwner(directory: string): void {
  for (const name of [DATA_FILE, LOCK_FILE]) {
    const file = path.join(directory, name);
    try {
      if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
    } catch {
      // The file does not exist yet, or belongs to another user.
    }
  }
}

/**
 * Refuses a foreign file, for which LMDB would end the process. An empty file is a store that is just being created.
 * @throws ServiceError `ServiceUnavailable`
 */
export function refuseForeign(directory: string): void {
  const name = path.join(directory, DATA_FILE);
  if (!existsSync(name)) return;
  let file: number;
  try {
    file = openSync(name, 'r');
  } catch {
    // LMDB itself reports why the file cannot be opened.
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
 * The reason why the data of a directory cannot be a complete store. Checked before LMDB maps the file into memory,
 * because a missing part would end the process. Undefined when no error was found.
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

/** True when an open file begins like a data file. */
export function looksLikeLmdb(file: number): boolean {
  return readMeta(file, 0) !== undefined;
}

/** The newest of the two meta pages of an open file, which must be a file of LMDB. */
export function newestMeta(file: number): Meta {
  const first = readMeta(file, 0);
  const second = first && readMeta(file, first.pageSize);
  if (first === undefined || second === undefined) throw new RangeError('it is not an LMDB file');
  return first.commit > second.commit ? first : second;
}

/** Number of the newest commit of the store in a directory; undefined without a store. */
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
  /** The root page of the tree of free pages; undefined when it is empty. */
  readonly freeRoot: number | undefined;
  /** Number of the commit that wrote it. */
  readonly commit: number;
}

/** Reads one of the two meta pages, which LMDB writes alternately; undefined for another page. */
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

/** Offsets in a meta page, in bytes. */
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

/** Ids of the processes that hold the lock file of a store; undefined where the system does not list locks. */
export function holdersOfLock(lock: string): number[] | undefined {
  // Every process locks a byte of the file while it has the store open.
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

/**
 * Two file systems may have files with the same number. A process that cannot be checked counts as one that has it
 * open.
 */
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
