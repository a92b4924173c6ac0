import type { MaybePromise } from '../lib/work/maybe-promise.js';

/**
 * The interface to the storage medium: ordered keys, snapshot reads, atomic commits. The first byte of a key is its
 * family; an engine may store families separately. The layers above know nothing of the medium. An engine knows only
 * keys and bytes, and that index entries (`keys.ts`) have no value and end alike.
 */

/**
 * Keys from `start` (inclusive) to `end` (exclusive), by byte order, all of one family. For index entries, both
 * bounds are between the keys of two values.
 */
export interface KeyRange {
  readonly start: Uint8Array;
  readonly end: Uint8Array;
  /** A key of the range. A scan returns only the keys after it, in its direction. */
  readonly after?: Uint8Array;
}

export interface ScanOptions {
  /** Greatest number of pairs. */
  readonly limit: number;
  /** From the end of the range to its start. */
  readonly reverse?: boolean;
}

export interface KeyValue {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** The position of a key in memory. */
export interface KeyPlace {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** @param value undefined when the store has no such key */
export type VisitValue = (value: Buffer | undefined) => void;

export type VisitPair = (value: Uint8Array, key: KeyPlace) => boolean;

/**
 * One moment of the store. Every read returns exactly the commits before that moment. Returned bytes are copies and
 * stay valid for ever. Long reads have breaks, in which other work runs. A snapshot pins old data, so it must be
 * closed after its reads have ended.
 */
export interface Snapshot {
  /** Undefined when the store has no such key. */
  get(key: Uint8Array): MaybePromise<Buffer | undefined>;
  /** The values in the order of the keys. */
  getMany(keys: readonly Uint8Array[]): MaybePromise<(Buffer | undefined)[]>;
  /**
   * Calls back with the value of each key, in the order of the keys. Nothing is copied: a value is valid until the
   * callback returns. The callback must not read the store.
   */
  visitMany(keys: readonly Uint8Array[], visit: VisitValue): MaybePromise<void>;
  /** Ascending by key, or descending with `reverse`. Fewer than `limit` pairs mean that the range has ended. */
  scan(range: KeyRange, options: ScanOptions): MaybePromise<KeyValue[]>;
  /**
   * Calls back with at most `limit` pairs, in the order of {@link scan}: for many short pairs of which only a part is
   * read. Nothing is copied: the bytes of key and value are valid until the callback returns. The callback must not
   * read the store. The scan continues while it returns true.
   * @returns the key of the last pair when the limit or the callback ended the scan; undefined at the end of the
   * range
   */
  scanInPlace(range: KeyRange, options: ScanOptions, visit: VisitPair): MaybePromise<Buffer | undefined>;
  close(): void;
}

/** Reads at once, of one moment. */
export interface KeyReads {
  get(key: Uint8Array): Buffer | undefined;
  /** The first pair of the range; undefined when it is empty. */
  first(range: KeyRange): KeyValue | undefined;
}

/**
 * Reads and writes inside one commit. Reads include the writes already made in it, and no other commits until it
 * ends. Only valid while the body runs.
 */
export interface Transaction extends KeyReads {
  put(key: Uint8Array, value: Uint8Array): void;
  remove(key: Uint8Array): void;
}

export interface CommitOptions {
  /** Run the body and return its result, but store none of its writes. */
  readonly dryRun?: boolean;
}

/**
 * The commits that a read includes. Latest: every commit completed before the call, by any process. Local: the
 * commits known to this process, without asking others; sufficient for a caller that is notified of commits and reads
 * again.
 */
export type Freshness = 'latest' | 'local';

/** Statistics of the log that an engine shares with other processes, since it was opened. */
export interface SharedLogState {
  readonly isReachable: boolean;
  /** Number of the last record applied by this process. */
  readonly seq: number;
  /** Groups of commits that were appended, that had to run again, and whose result is unknown. */
  readonly appended: number;
  readonly moved: number;
  readonly unknown: number;
  /** Number of reads of new records, and their total time. */
  readonly looks: number;
  readonly lookMs: number;
  /** Undefined when the log has no limit. */
  readonly space: SpaceUse | undefined;
}

/** The size limit of a shared log, which refuses writes beyond it. */
export interface SpaceUse {
  readonly usedBytes: number;
  readonly quotaBytes: number;
}

export interface Engine {
  /** Reads one key: the result of a snapshot for this read alone. Default: the latest. */
  get(key: Uint8Array, freshness?: Freshness): MaybePromise<Buffer | undefined>;
  /**
   * Reads the key that `next` derives from the value of another key, both as of one moment; undefined when one of
   * them does not exist. The first value is valid until `next` returns, which must not read the store.
   */
  follow(key: Uint8Array, next: (value: Buffer) => Uint8Array): MaybePromise<Buffer | undefined>;
  /** Its moment is between the call and the end of its first read. Default: the latest. */
  snapshot(freshness?: Freshness): Snapshot;
  /**
   * Runs the body as one transaction, isolated from all others. All of its writes are stored, or none when it throws
   * (the error is passed on). The promise resolves when the writes are on disk.
   *
   * The body must be synchronous and free of side effects: an engine may run it again. Bodies that read before they
   * write are cheaper than others.
   * @throws ServiceError `ServiceUnavailable` when the medium fails: disk full, read-only, gone
   */
  commit<T>(body: (tx: Transaction) => T, options?: CommitOptions): Promise<T>;
  /**
   * Calls the listener soon after another process has committed. May also call it without a commit, so the listener
   * must be cheap. Keeps no process alive. Without listeners nothing is watched.
   * @returns a function that removes the listener
   */
  onOtherCommit(listener: () => void): () => void;
  /**
   * The reason why writes are refused now, for operators: for example, the disk is nearly full. Undefined while
   * writes are accepted.
   */
  writeProblem(): string | undefined;
  /**
   * Begins to count the reads of this process that get an earlier moment than one before them: at least those that miss a
   * change of an object. The returned function returns the number so far, and ends it; zero for a medium whose readers
   * never miss what they have seen.
   */
  countSetbacks(): () => number;
  /** Releases the resources of dead readers. */
  clearDeadReaders(): void;
  /** Undefined for an engine without a shared log. */
  sharedLog(): SharedLogState | undefined;
  /**
   * Compacts the commits that processes sharing the store have kept. One of them should call this from time to time.
   */
  foldLog(): Promise<void>;
  /** Waits for running commits. Open snapshots become invalid. */
  close(): Promise<void>;
}
