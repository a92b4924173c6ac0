import { existsSync, watch, type FSWatcher } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { open } from 'lmdb';
import { messageOf, ServiceError, unavailable } from '../errors.js';
import { asBuffer } from '../lib/bytes.js';
import type { MaybePromise } from '../lib/maybe.js';
import type { CommitOptions, Engine, KeyRange, KeyValue, Snapshot, Transaction } from './engine.js';
import { GroupCommit } from './group-commit.js';
import { DATA_FILE, holdersOfLock, lmdbExists, LOCK_FILE, refuseForeign } from './lmdb-files.js';
import { bounds, getCopy, LmdbSnapshot, PlaceReader, READ_MS, type Database } from './lmdb-snapshot.js';
import { ReadAhead } from './read-ahead.js';

export interface LmdbOptions {
  /** Open what is there and never write. The directory must exist. */
  readonly readOnly?: boolean;
  /** Answer before the bytes are on disk: survives a killed process, not a power loss. */
  readonly relaxed?: boolean;
  /** Wait for the disk in other threads, for a process that has others to answer meanwhile. */
  readonly readAhead?: boolean;
}

/** Slots for readers of all processes; a held snapshot takes one. */
const READERS_MAX = 1024;

/** How often commits of others are asked for, because a file system may not tell of them. */
const POLL_MS = 250;
/** A file tells of a commit a moment before readers see it, so they look again after so long. */
const SETTLE_MS = 2;

/**
 * Opens the LMDB environment in a directory; creates it (mode 0700) unless `readOnly`.
 * @throws ServiceError `ServiceUnavailable` when the directory is missing (read-only) or cannot be used
 */
export async function openLmdb(directory: string, options: LmdbOptions = {}): Promise<Engine> {
  // A read-only open of a missing directory would create it before failing.
  if (options.readOnly === true && !lmdbExists(directory)) {
    throw unavailable(`there is no store in ${directory}; start \`xsvc serve\` or write something first`);
  }
  refuseForeign(directory);
  try {
    if (options.readOnly !== true) await mkdir(directory, { recursive: true, mode: 0o700 });
    const db: Database = open<Buffer, Uint8Array>({
      path: directory,
      keyEncoding: 'binary',
      encoding: 'binary',
      // Other readers see a commit only after it is on disk.
      overlappingSync: false,
      noSync: options.relaxed === true,
      readOnly: options.readOnly === true,
      // Else a failed commit rejects a promise of lmdb's own that nobody can catch, which ends the process.
      eventTurnBatching: false,
      maxReaders: READERS_MAX,
      // Objects of one or two KB leave half of a smaller page empty. Fixed when the store is created.
      pageSize: 8192,
      // A directory named like a file ("data.v1") is still a directory.
      noSubdir: false,
    });
    const ahead = options.readAhead === true ? new ReadAhead(directory, db) : undefined;
    return new LmdbEngine(db, path.join(directory, DATA_FILE), options.readOnly === true, ahead);
  } catch (error) {
    throw translate(error, `cannot open the store in ${directory}`);
  }
}

/**
 * Copies one moment of the store in a directory into a new file `data.mdb` of another, without pages that hold
 * nothing. Others may write meanwhile.
 * @throws ServiceError `ServiceUnavailable` when there is no store, or the copy cannot be written
 */
export async function copyLmdb(directory: string, target: string): Promise<void> {
  if (!lmdbExists(directory)) throw unavailable(`there is no store in ${directory}`);
  let db: Database | undefined;
  try {
    db = openToRead(directory);
    await db.backup(target, true);
  } catch (error) {
    throw translate(error, `cannot copy the store in ${directory} to ${target}`);
  } finally {
    await db?.close();
  }
}

/**
 * Ids of the other processes that have the store in a directory open. Where the system does not tell of locks, only
 * those that have read from it are known.
 */
export async function lmdbHolders(directory: string): Promise<readonly number[]> {
  const lock = path.join(directory, LOCK_FILE);
  if (!existsSync(lock) || !lmdbExists(directory)) return [];
  const holders = holdersOfLock(lock) ?? (await readersOf(directory));
  return [...new Set(holders)].filter((pid) => pid !== process.pid);
}

async function readersOf(directory: string): Promise<number[]> {
  const db = openToRead(directory);
  try {
    db.readerCheck();
    return [...db.readerList().matchAll(/^[ \t]*(\d+)\s/gm)].map(([, pid]) => Number(pid));
  } finally {
    await db.close();
  }
}

/** Opens what is there, and never writes. */
export function openToRead(directory: string): Database {
  return open<Buffer, Uint8Array>({
    path: directory,
    keyEncoding: 'binary',
    encoding: 'binary',
    readOnly: true,
    maxReaders: READERS_MAX,
    noSubdir: false,
  });
}

/** Thrown to undo a dry run; carries the body's result out of the transaction. */
class DryRunResult extends Error {
  constructor(readonly value: unknown) {
    super('dry run');
  }
}

class LmdbEngine implements Engine {
  private readonly group: GroupCommit;
  private readonly places: PlaceReader;

  constructor(
    private readonly db: Database,
    private readonly file: string,
    private readonly readOnly: boolean,
    private readonly ahead: ReadAhead | undefined,
  ) {
    this.group = new GroupCommit((body) => db.transaction(body));
    this.places = new PlaceReader(db);
  }

  get(key: Uint8Array): MaybePromise<Buffer | undefined> {
    if (this.ahead?.isWorthwhile !== true) return this.getNow(key);
    return this.ahead.fetchOne(key).then(() => this.getNow(key));
  }

  private getNow(key: Uint8Array): Buffer | undefined {
    const since = performance.now();
    try {
      this.db.resetReadTxn();
      return getCopy(this.db, key);
    } catch (error) {
      throw translate(error, 'cannot read the store');
    } finally {
      if (performance.now() - since > READ_MS) this.ahead?.noteRead();
    }
  }

  snapshot(): Snapshot {
    try {
      // The pooled read transaction may be a few milliseconds old; a new one sees other processes' commits.
      this.db.resetReadTxn();
      return new LmdbSnapshot(this.db, this.places, this.db.useReadTransaction(), this.ahead);
    } catch (error) {
      throw translate(error, 'cannot read the store');
    }
  }

  async commit<T>(body: (tx: Transaction) => T, options: CommitOptions = {}): Promise<T> {
    // A database that is open for reading has no transactions at all.
    if (this.readOnly) throw unavailable('the store is open for reading only');
    const tx = new LmdbTransaction(this.db);
    try {
      return await this.group.run(() =>
        // A transaction of its own inside the group's, for only that undoes the writes made before a throw.
        this.db.childTransaction(() => {
          const value = body(tx);
          if (options.dryRun === true) throw new DryRunResult(value);
          return value;
        }),
      );
    } catch (error) {
      if (error instanceof DryRunResult) return error.value as T;
      throw await commitError(error);
    }
  }

  onOtherCommit(listener: () => void): () => void {
    const poll = setInterval(listener, POLL_MS).unref();
    let settled: NodeJS.Timeout | undefined;
    const watcher = watchFile(this.file, () => {
      listener();
      if (settled === undefined) settled = setTimeout(listener, SETTLE_MS).unref();
      else settled.refresh();
    });
    return () => {
      clearInterval(poll);
      clearTimeout(settled);
      watcher?.close();
    };
  }

  async close(): Promise<void> {
    await this.group.idle();
    await this.ahead?.close();
    await this.db.close();
  }
}

/** Undefined where files cannot be watched; then polling has to do. */
function watchFile(file: string, listener: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(file, { persistent: false }, listener);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}

class LmdbTransaction implements Transaction {
  constructor(private readonly db: Database) {}

  get(key: Uint8Array): Buffer | undefined {
    return getCopy(this.db, key);
  }

  first(range: KeyRange): KeyValue | undefined {
    for (const { key, value } of this.db.getRange({ ...bounds(range, false), limit: 1 }))
      return { key: asBuffer(key), value };
    return undefined;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    // Inside a transaction both writes happen at once; the promise they answer with is already settled.
    void this.db.put(key, asValue(value));
  }

  remove(key: Uint8Array): void {
    void this.db.remove(key);
  }
}

function asValue(value: Uint8Array): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(value);
}

/** A failed commit hides its reason behind a promise of its own. */
async function commitError(error: unknown): Promise<unknown> {
  if (error instanceof ServiceError) return error;
  const hidden: unknown = error instanceof Error && 'commitError' in error ? error.commitError : undefined;
  if (!(hidden instanceof Promise)) return translate(error, 'cannot write to the store');
  return hidden.then(
    () => translate(error, 'cannot write to the store'),
    (reason: unknown) => translate(reason, 'cannot write to the store'),
  );
}

const MEDIUM_FAULTS =
  /MDB_|ENOSPC|EACCES|EROFS|EPERM|EIO|EDQUOT|EEXIST|ENOENT|ENOTDIR|No space left|Permission denied|Read-only|not permitted|Input\/output|readonly|read-only|Commit failed|database has been closed|No such file|Not a directory|Operation timed out|Invalid argument|Device or resource busy/i;

/** What the medium says becomes `ServiceUnavailable`; anything else passes unchanged. */
function translate(error: unknown, what: string): unknown {
  if (error instanceof ServiceError) return error;
  const text = messageOf(error);
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code === 'number' || MEDIUM_FAULTS.test(text) || MEDIUM_FAULTS.test(String(code))) {
    return new ServiceError('ServiceUnavailable', `${what}: ${text}`, {}, { cause: error });
  }
  return error;
}
