import type { MaybePromise } from '../lib/work/maybe-promise.js';

/**
 * The port to the storage medium: ordered keys, snapshot reads, atomic commits. The first byte of a key is its family;
 * an engine may keep families apart. Nothing above it knows what lies behind, and what lies behind knows only keys and
 * bytes, and of index entries (`keys.ts`) that they have no value and end alike.
 */

/**
 * Keys from `start` (inclusive) to `end` (exclusive), by byte order. They are of one family. Of index entries both lie
 * between the keys of one value and those of the next.
 */
export interface KeyRange {
  readonly start: Uint8Array;
  readonly end: Uint8Array;
  /** A key of the range: only what a scan would come by after it, in its direction. */
  readonly after?: Uint8Array;
}

export interface ScanOptions {
  /** At most so many pairs. */
  readonly limit: number;
  /** From the end of the range to its start. */
  readonly reverse?: boolean;
}

export interface KeyValue {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** Where a key lies in memory. */
export interface KeyPlace {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** @param value undefined when there is no such key */
export type VisitValue = (value: Buffer | undefined) => void;

export type VisitPair = (value: Uint8Array, key: KeyPlace) => boolean;

/**
 * One moment of the store. Every read of it sees exactly the commits before it was taken. Returned bytes are
 * copies and stay valid for ever. What takes long is read with breaks, in which others run. A snapshot pins old data,
 * so it must be closed, and not before its reads have ended.
 */
export interface Snapshot {
  /** Undefined when there is no such key. */
  get(key: Uint8Array): MaybePromise<Buffer | undefined>;
  /** In the order of the keys. */
  getMany(keys: readonly Uint8Array[]): MaybePromise<(Buffer | undefined)[]>;
  /**
   * Calls back with the value of each key, in the order of the keys. Nothing is copied: a value is valid until the
   * callback returns. It must not read the store.
   */
  visitMany(keys: readonly Uint8Array[], visit: VisitValue): MaybePromise<void>;
  /** Ascending by key, or descending with `reverse`. Fewer than `limit` pairs mean the range is done. */
  scan(range: KeyRange, options: ScanOptions): MaybePromise<KeyValue[]>;
  /**
   * Calls back with at most `limit` pairs, in the order of {@link scan}: for many short ones of which little is looked
   * at. Nothing is copied: key and value are valid, byte by byte, until the callback returns. It must not read the
   * store. The scan goes on while it returns true.
   * @returns the key of the last pair when the limit or the callback ended the scan; undefined when the range is done
   */
  scanInPlace(range: KeyRange, options: ScanOptions, visit: VisitPair): MaybePromise<Buffer | undefined>;
  close(): void;
}

/**
 * Reads and writes inside one commit. Reads see the writes already made in it, and nobody else's until it
 * ends. It is only valid while the body runs.
 */
export interface Transaction {
  get(key: Uint8Array): Buffer | undefined;
  /** The first pair of the range; undefined when it is empty. */
  first(range: KeyRange): KeyValue | undefined;
  put(key: Uint8Array, value: Uint8Array): void;
  remove(key: Uint8Array): void;
}

export interface CommitOptions {
  /** Run the body, answer with its result, keep none of its writes. */
  readonly dryRun?: boolean;
}

/**
 * What a read sees. Latest: every commit that was answered before the call, by any process. Local: what this process
 * knows by now, without asking others; enough for who is told of commits and reads on.
 */
export type Freshness = 'latest' | 'local';

/** How an engine gets on with the log that it shares with other processes, since it was opened. */
export interface SharedLogState {
  readonly isReachable: boolean;
  /** Number of the last record that is applied here. */
  readonly seq: number;
  /** Groups of commits that were appended, that had to run again, and of which nobody knows. */
  readonly appended: number;
  readonly moved: number;
  readonly unknown: number;
  /** How often the log was asked for what is new, and how long that took together. */
  readonly looks: number;
  readonly lookMs: number;
  /** Undefined where the log has no bound of its own. */
  readonly space: SpaceUse | undefined;
}

/** What a shared log may keep at most; it refuses writes beyond that. */
export interface SpaceUse {
  readonly usedBytes: number;
  readonly quotaBytes: number;
}

export interface Engine {
  /** One key, as of now: what a snapshot that is taken for it alone would answer. Default: the latest. */
  get(key: Uint8Array, freshness?: Freshness): MaybePromise<Buffer | undefined>;
  /**
   * The value of the key that the value of another leads to, both as of one moment; undefined when one of them is not
   * there. The value that is led by is valid until `next` returns, which must not read the store.
   */
  follow(key: Uint8Array, next: (value: Buffer) => Uint8Array): MaybePromise<Buffer | undefined>;
  /** Its moment lies between the call and the end of its first read. Default: the latest. */
  snapshot(freshness?: Freshness): Snapshot;
  /**
   * Runs the body as one transaction, isolated from all others. All of its writes are stored, or none when it
   * throws (the error is passed on). The promise resolves once the writes are on disk.
   *
   * The body must be synchronous and free of side effects: an engine may run it again. Bodies that read before they
   * write are cheaper than others.
   * @throws ServiceError `ServiceUnavailable` when the medium fails: disk full, read-only, gone
   */
  commit<T>(body: (tx: Transaction) => T, options?: CommitOptions): Promise<T>;
  /**
   * Calls the listener soon after another process has committed; now and then also without a cause, so it must be
   * cheap. It keeps no process alive. Nothing is watched while nobody listens.
   * @returns ends it
   */
  onOtherCommit(listener: () => void): () => void;
  /**
   * Why a write would be refused now, for whoever looks after the service: the disk is nearly full, say. Undefined
   * while writes are taken.
   */
  writeProblem(): string | undefined;
  /** Gives back what readers held that died. */
  clearDeadReaders(): void;
  /** Undefined where no log is shared. */
  sharedLog(): SharedLogState | undefined;
  /**
   * Puts together what processes that share the store keep of its commits, so that it stays small. One of them should do
   * so now and then.
   */
  foldLog(): Promise<void>;
  /** Waits for commits under way. Snapshots still open become invalid. */
  close(): Promise<void>;
}
