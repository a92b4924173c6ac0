import { existsSync, watch, type FSWatcher } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Transaction as ReadTransaction } from 'lmdb';
import { makeDirectories } from '../../lib/make-directories.js';
import { getMessage, ServiceError, unavailable } from '../../errors.js';
import type { MaybePromise } from '../../lib/work/maybe-promise.js';
import { noteStuckThread } from '../../lib/process/stuck-thread.js';
import type {
  CommitOptions,
  Engine,
  KeyRange,
  KeyReads,
  KeyValue,
  Snapshot,
  Transaction,
} from '../../store/engine.js';
import { CommitOrder, PASSED_OVER } from './commit-order.js';
import { Databases } from './databases.js';
import { DataFile } from './data-file.js';
import { DATA_FILE, holdersOfLock, keepToOwner, lmdbExists, LOCK_FILE, refuseForeign } from './files.js';
import { GroupCommit } from '../../store/group-commit.js';
import { withSnapshot } from '../../store/with-snapshot.js';
import { describeWriter } from './lock-holder.js';
import { LockWait, TICK_MS } from './lock-wait.js';
import { openRoot, openRootToRead, OTHERS_MS } from './open-root.js';
import type { Root } from './ordered-keys.js';
import { betweenCommits, noteCommit } from './own-commits.js';
import { ReadAhead } from './read-ahead.js';
import { ReadOrder } from './read-order.js';
import { copyBytes, getCopy, getInPlace, LmdbSnapshot, READ_MS } from './snapshot.js';
import { WriteBuffer } from './write-buffer.js';

export interface LmdbOptions {
  /** Opens an existing store and never writes. The directory must exist. */
  readonly readOnly?: boolean;
  /** Answers before the bytes are on disk: survives a killed process, not a power loss. */
  readonly relaxed?: boolean;
  /** Waits for the disk in other threads, for a process that answers other requests in the meantime. */
  readonly readAhead?: boolean;
  /**
   * Writes are refused while less than this is free on the disk. Default 256 MiB, at most a twentieth of the disk.
   */
  readonly diskReserveBytes?: number;
  /**
   * Writes are refused when one has waited for this time while another process holds the lock of writers. Default: 5
   * s.
   */
  readonly writerWaitMs?: number;
  /**
   * Called once when a write failed in the medium. LMDB's memory cannot be trusted after that: writes are refused
   * from then on, and the process should end soon.
   */
  readonly onBroken?: (error: ServiceError) => void;
}

/** An engine whose keys are on this machine, so that they can be read without waiting. */
export interface LocalEngine extends Engine {
  /** Runs a body on the current state, at once. Its reads are only valid while it runs. */
  readMoment<T>(body: (reads: KeyReads) => T): T;
  /** @throws ServiceError `ServiceUnavailable` when a commit of so many bytes would be refused */
  checkRoom(bytes: number): void;
}

export const DISK_RESERVE_BYTES = 256 * 1024 * 1024;

/** Interval of the checks for commits of others, because a file system may not report them. */
const POLL_MS = 250;
/** A file change is reported a moment before readers see the commit, so they check again after this time. */
const SETTLE_MS = 2;
/** Longest wait of a write for a skipped commit, which usually is repaired at once. */
const PASSED_OVER_MS_MAX = 10_000;
/** Longest wait of a write for the lock of writers; see {@link LmdbOptions.writerWaitMs}. */
const WRITER_WAIT_MS = 5_000;

/**
 * Opens the LMDB environment in a directory; creates it (mode 0700) unless `readOnly`.
 * @throws ServiceError `ServiceUnavailable` when the directory is missing (read-only) or cannot be used
 */
export async function openLmdb(directory: string, options: LmdbOptions = {}): Promise<LocalEngine> {
  // A read-only open of a missing directory would create it before failing.
  if (options.readOnly === true && !lmdbExists(directory)) {
    throw unavailable(`there is no store in ${directory}; start \`xsvc serve\` or write something first`);
  }
  refuseForeign(directory);
  try {
    if (options.readOnly !== true) {
      await makeDirectories(directory, 0o700);
      keepToOwner(directory);
    }
    const root = await openRoot(directory, {
      // Other readers see a commit only after it is on disk.
      overlappingSync: false,
      noSync: options.relaxed === true,
      readOnly: options.readOnly === true,
      // Otherwise a failed commit rejects an internal promise of lmdb that nobody can catch, which ends the process.
      eventTurnBatching: false,
      // Objects of one or two KB leave half of a smaller page empty. The size is fixed when the store is created.
      pageSize: 8192,
    });
    const openAll = (): Databases => new Databases(root);
    const databases = options.readOnly === true ? openAll() : await betweenCommits(directory, openAll);
    const ahead = options.readAhead === true ? new ReadAhead(directory, databases) : undefined;
    return new LmdbEngine(databases, path.join(directory, DATA_FILE), options, ahead);
  } catch (error) {
    throw asUnavailable(error, `cannot open the store in ${directory}`);
  }
}

/**
 * Ids of the other processes that have the store in a directory open. Where the system does not list locks, only
 * those that have read from it are known.
 */
export async function lmdbHolders(directory: string): Promise<readonly number[]> {
  const lock = path.join(directory, LOCK_FILE);
  if (!existsSync(lock) || !lmdbExists(directory)) return [];
  const holders = holdersOfLock(lock) ?? (await getReaders(directory));
  return [...new Set(holders)].filter((pid) => pid !== process.pid);
}

async function getReaders(directory: string): Promise<number[]> {
  const db = await openRootToRead(directory);
  try {
    db.readerCheck();
    return [...db.readerList().matchAll(/^[ \t]*(\d+)\s/gm)].map(([, pid]) => Number(pid));
  } finally {
    await db.close();
  }
}

function lockedOut(problem: string): ServiceError {
  return unavailable(`cannot write to the store: ${problem}`, { retryAfterSeconds: 1 });
}

function noRoom(): ServiceError {
  return unavailable('cannot write to the store: not enough disk space for this write; free some space');
}

/** Undoes a transaction; never leaves this file. */
const UNDO = new Error('undo');

/** The result of a body. Its errors are passed on unchanged, even when they look like errors of the medium. */
type Outcome<T> = { readonly value: T } | { readonly thrown: unknown };

function getOutcome<T>(body: () => T): Outcome<T> {
  try {
    return { value: body() };
  } catch (thrown) {
    return { thrown };
  }
}

/**
 * The mode of a group of writers. Together: each writes after its body has ended, and none is undone. Torn: the
 * medium has refused a part of that. Alone: each writer has a transaction that can be undone, which is slower.
 */
type GroupMode = 'together' | 'torn' | 'alone';

class LmdbEngine implements LocalEngine {
  readonly #group: GroupCommit;
  readonly #root: Root;
  readonly #dataFile: DataFile;
  /** Writes without a check of the room. */
  readonly #tx: Transaction;
  #mode: GroupMode = 'alone';
  /** Bytes that the current group may still add to the file. Its writers run one after another. */
  #room = 0;
  #broken: ServiceError | undefined;
  #isClosed = false;
  readonly #order: CommitOrder;
  readonly #readOrder: ReadOrder;
  readonly #lockWait: LockWait;
  /** True while a group is being committed. */
  #isCommitting = false;
  #looking: Promise<void> | undefined;
  readonly #ticking: NodeJS.Timeout | undefined;

  constructor(
    private readonly databases: Databases,
    private readonly file: string,
    private readonly options: LmdbOptions,
    private readonly ahead: ReadAhead | undefined,
  ) {
    this.#dataFile = new DataFile(file, options.diskReserveBytes ?? DISK_RESERVE_BYTES);
    this.#order = new CommitOrder(file, this.#dataFile);
    this.#readOrder = new ReadOrder(() => databases.lastChange());
    this.#group = new GroupCommit((body) => this.#commitGroup(body));
    this.#tx = new LmdbTransaction(databases, () => undefined);
    this.#root = databases.root;
    this.#lockWait = new LockWait(options.writerWaitMs ?? WRITER_WAIT_MS, () =>
      describeWriter(path.dirname(file)),
    );
    if (options.readOnly !== true) this.#ticking = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  get(key: Uint8Array): MaybePromise<Buffer | undefined> {
    if (this.ahead?.isWorthwhile !== true) return this.#readNow(() => getCopy(this.databases, key));
    return this.ahead.fetchOne(key).then(() => this.#readNow(() => getCopy(this.databases, key)));
  }

  follow(key: Uint8Array, next: (value: Buffer) => Uint8Array): MaybePromise<Buffer | undefined> {
    if (this.ahead?.isWorthwhile === true) return this.#followWaiting(key, next);
    return this.#readNow(() => {
      const value = getInPlace(this.databases, key);
      return value && getCopy(this.databases, next(value));
    });
  }

  async #followWaiting(key: Uint8Array, next: (value: Buffer) => Uint8Array): Promise<Buffer | undefined> {
    return withSnapshot(this, async (snapshot) => {
      const value = await snapshot.get(key);
      return value && (await snapshot.get(next(value)));
    });
  }

  /** Reads immediately, from the current state. */
  #readNow<T>(read: () => T): T {
    const since = performance.now();
    try {
      this.#root.resetReadTxn();
      this.#readOrder.note();
      return read();
    } catch (error) {
      throw translate(error, 'cannot read the store');
    } finally {
      if (performance.now() - since > READ_MS) this.ahead?.noteRead();
    }
  }

  snapshot(): Snapshot {
    return new LmdbSnapshot(this.databases, this.#beginToRead(), this.ahead);
  }

  #beginToRead(): ReadTransaction {
    if (this.#isClosed) throw unavailable('the store is closed');
    try {
      // The pooled read transaction may be a few milliseconds old. A new one includes the commits of other processes.
      this.#root.resetReadTxn();
      this.#readOrder.note();
      return this.#root.useReadTransaction();
    } catch (error) {
      throw translate(error, 'cannot read the store');
    }
  }

  readMoment<T>(body: (reads: KeyReads) => T): T {
    const transaction = this.#beginToRead();
    try {
      return body(new LmdbTransaction(this.databases, () => undefined, transaction));
    } finally {
      transaction.done();
    }
  }

  checkRoom(bytes: number): void {
    if (2 * bytes > this.#getRoom()) throw noRoom();
  }

  async commit<T>(body: (tx: Transaction) => T, options: CommitOptions = {}): Promise<T> {
    // A database that is open for reading has no transactions at all.
    if (this.options.readOnly === true) throw unavailable('the store is open for reading only');
    const { problem } = this.#lockWait;
    if (problem !== undefined) throw lockedOut(problem);
    const outcome = await this.#group.run(() => this.#runWriter(body, options.dryRun === true));
    if ('thrown' in outcome) throw outcome.thrown;
    return outcome.value;
  }

  /** Runs one of the group's writers. */
  #runWriter<T>(body: (tx: Transaction) => T, undo: boolean): Outcome<T> {
    if (this.#mode === 'torn') return { thrown: UNDO };
    if (this.#mode === 'together') {
      const writes = new WriteBuffer(this.#tx, (bytes) => this.#takeRoom(bytes));
      const outcome = getOutcome(() => body(writes));
      if (!writes.isCutShort) {
        if ('value' in outcome && !undo) this.#flush(writes);
        return outcome;
      }
    }
    return this.#runAlone(body, undo);
  }

  #flush(writes: WriteBuffer): void {
    try {
      writes.flush();
    } catch {
      // The writer receives the error when it runs alone.
      this.#mode = 'torn';
    }
  }

  /**
   * Runs a writer in a separate transaction inside that of the group, which undoes the writes made before an error.
   */
  #runAlone<T>(body: (tx: Transaction) => T, undo: boolean): Outcome<T> {
    const tx = new LmdbTransaction(this.databases, (bytes) => this.#takeRoom(bytes));
    let outcome: Outcome<T> | undefined;
    try {
      void this.#root.childTransaction(() => {
        outcome = getOutcome(() => body(tx));
        if (undo || 'thrown' in outcome) throw UNDO;
      });
    } catch (error) {
      if (error !== UNDO) throw translate(error, 'cannot write to the store');
    }
    if (outcome === undefined) throw new Error('a transaction ended without calling its writer');
    return outcome;
  }

  /** Runs all writers of a group, in a transaction inside that of the group. */
  #runGroup(body: () => void, roomBytes: number): void {
    this.#room = roomBytes;
    this.#mode = 'together';
    try {
      void this.#root.childTransaction(() => {
        body();
        if (this.#mode === 'torn') throw UNDO;
      });
      return;
    } catch {
      // Only the writer that cannot be stored shall fail, so they run again, each in a separate transaction.
      this.#mode = 'alone';
    }
    this.#room = roomBytes;
    body();
  }

  async #commitGroup(body: () => void): Promise<void> {
    const roomBytes = this.#getRoom();
    const until = performance.now() + PASSED_OVER_MS_MAX;
    while (!(await this.#tryGroup(body, roomBytes))) {
      if (performance.now() > until) throw unavailable(`cannot write to the store: ${PASSED_OVER}`);
      await sleep(OTHERS_MS);
    }
  }

  /** @throws ServiceError `ServiceUnavailable` when nothing may be written */
  #getRoom(): number {
    if (this.#broken !== undefined) throw this.#broken;
    if (this.#isClosed) throw unavailable('the store is closed');
    const room = this.#dataFile.room();
    if ('problem' in room) throw unavailable(`cannot write to the store: ${room.problem}`);
    return room.bytes;
  }

  /** @returns false when nothing ran, because this commit would have replaced a skipped one; see {@link openRoot} */
  async #tryGroup(body: () => void, roomBytes: number): Promise<boolean> {
    const hasLock = this.#lockWait.begin();
    this.#isCommitting = true;
    try {
      return await this.#transaction(() => {
        hasLock();
        if (this.#isClosed) return true;
        const isNext = this.#order.isNext(this.#root.getWriteTxnId());
        if (isNext) this.#runGroup(body, roomBytes);
        return isNext;
      });
    } catch (error) {
      throw await this.#breakDown(error);
    } finally {
      hasLock();
      this.#isCommitting = false;
    }
  }

  #tick(): void {
    const problem = this.#lockWait.tick();
    // Their transaction begins later, and has nothing to do then.
    if (problem !== undefined) this.#group.refuse(lockedOut(problem));
    const isBusy = this.#isCommitting || this.#isClosed || this.#broken !== undefined;
    if (this.#order.takeLooked() || isBusy) return;
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
  }

  /** A transaction without writes changes nothing, and repairs a skipped commit even when nobody writes. */
  async #look(): Promise<void> {
    const hasLock = this.#lockWait.begin();
    try {
      await this.#transaction(() => {
        hasLock();
        if (!this.#isClosed) this.#order.isNext(this.#root.getWriteTxnId());
      });
    } catch (error) {
      await this.#breakDown(error);
    } finally {
      hasLock();
    }
  }

  #transaction<T>(body: () => T): Promise<T> {
    return noteCommit(path.dirname(this.file), this.#root.transaction(body));
  }

  /** Undoes the writer that would need more than the disk has. Its bytes count twice, for pages that are not full. */
  #takeRoom(bytes: number): void {
    this.#room -= 2 * bytes;
    if (this.#room < 0) throw noRoom();
  }

  async #breakDown(error: unknown): Promise<ServiceError> {
    const reason = await commitReason(error);
    this.#broken ??= unavailable(
      `cannot write to the store: ${getMessage(reason)}; LMDB cannot continue after this error, so the program exits`,
    );
    this.options.onBroken?.(this.#broken);
    return this.#broken;
  }

  writeProblem(): string | undefined {
    if (this.#broken !== undefined) return this.#broken.message;
    const room = this.#dataFile.room();
    return 'problem' in room ? room.problem : (this.#lockWait.problem ?? this.#order.problem());
  }

  countSetbacks(): () => number {
    return this.#readOrder.count();
  }

  clearDeadReaders(): void {
    this.#root.readerCheck();
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

  sharedLog(): undefined {
    return undefined;
  }

  /** The file needs no compaction of a log. */
  foldLog(): Promise<void> {
    return Promise.resolve();
  }

  async close(): Promise<void> {
    // With a limit: another process may have stopped while it holds the lock.
    while ((this.#group.isBusy || this.#looking !== undefined) && this.#lockWait.problem === undefined) {
      const idle = Promise.all([this.#group.idle(), this.#looking]);
      await Promise.race([idle, sleep(TICK_MS, undefined, { ref: false })]);
    }
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#ticking);
    await this.ahead?.close();
    if (this.#lockWait.problem !== undefined) noteStuckThread();
    // LMDB's memory may be damaged, and closing would use it.
    else if (this.#broken === undefined) await this.#root.close();
    this.#dataFile.close();
  }
}

/** Undefined where files cannot be watched. Polling is used then. */
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
  constructor(
    private readonly databases: Databases,
    private readonly takeRoom: (bytes: number) => void,
    /** The moment of its reads; undefined for the open write transaction. */
    private readonly moment?: ReadTransaction,
  ) {}

  get(key: Uint8Array): Buffer | undefined {
    try {
      return getCopy(this.databases, key, this.moment);
    } catch (error) {
      throw translate(error, 'cannot read the store');
    }
  }

  first(range: KeyRange): KeyValue | undefined {
    try {
      let first: KeyValue | undefined;
      const scan = { reverse: false, ...(this.moment && { transaction: this.moment }) };
      this.databases.of(range.start).scan(range, scan, (value, { bytes, start, end }) => {
        first = { key: copyBytes(bytes, start, end), value: copyBytes(value, 0, value.length) };
        return false;
      });
      return first;
    } catch (error) {
      throw translate(error, 'cannot read the store');
    }
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.takeRoom(key.length + value.length);
    try {
      this.databases.of(key).put(key, value);
    } catch (error) {
      throw translate(error, 'cannot write to the store');
    }
  }

  remove(key: Uint8Array): void {
    try {
      this.databases.of(key).remove(key);
    } catch (error) {
      throw translate(error, 'cannot write to the store');
    }
  }
}

/** The reason of a failed commit is in a separate promise. */
async function commitReason(error: unknown): Promise<unknown> {
  const hidden: unknown = error instanceof Error && 'commitError' in error ? error.commitError : undefined;
  if (!(hidden instanceof Promise)) return error;
  return hidden.then(
    () => error,
    (reason: unknown) => reason,
  );
}

/**
 * Converts errors of LMDB, with its codes or those of the system, to `ServiceUnavailable`. A defect passes unchanged.
 */
function translate(error: unknown, what: string): unknown {
  if (error instanceof ServiceError) return error;
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'number' ? asUnavailable(error, what) : error;
}

/** Converts an error of LMDB that only the medium can cause. */
export function asUnavailable(error: unknown, what: string): ServiceError {
  if (error instanceof ServiceError) return error;
  return new ServiceError('ServiceUnavailable', `${what}: ${getMessage(error)}`, {}, { cause: error });
}
