import type { KeyValue, SpaceUse } from '../../store/engine.js';
import type { OnAppend } from './change-notifications.js';

/** A position in the log. The id distinguishes two histories with the same number. */
export interface LogPosition {
  /** Number of the record appended last; 0 before the first. */
  readonly seq: number;
  readonly id: string;
}

export interface NewRecord {
  readonly id: string;
  /** The writes of a group of commits, see `log-record.ts`. */
  readonly writes: Buffer;
}

export interface LogRecord extends LogPosition, NewRecord {}

export type Tail =
  | { readonly kind: 'records'; readonly records: readonly LogRecord[]; readonly isEnd: boolean }
  /** The position is older than the log: only the checkpoint can be used. */
  | { readonly kind: 'trimmed' }
  /** The log has never had this position, or has lost it. */
  | { readonly kind: 'diverged' };

/** All keys as of one position in the log. */
export interface Checkpoint {
  readonly at: LogPosition;
  /** In the order of the keys, in parts. Must be read to its end, or returned from. */
  readonly pairs: AsyncIterable<readonly KeyValue[]>;
}

/** The combined writes between two positions; undefined for a removed key. By key as latin1 text. */
export type NetWrites = ReadonlyMap<string, Buffer | undefined>;

/**
 * A totally ordered, durable log of commits that processes share, and a checkpoint of the resulting state. Any medium
 * with such a log can contain a store.
 *
 * Calls wait while the log cannot be reached, up to a limit.
 * @throws ServiceError `ServiceUnavailable` when it could not be reached in time; nothing was appended, and never
 * will be
 */
export interface SharedLog {
  /** Created with the log: another log has another id. */
  readonly storeId: string;
  /**
   * Appends directly after a position, or not at all when the log has moved on. Settles when the outcome is known.
   * @throws ServiceError `OutcomeUnknown` when that took too long: the record may be stored, now or a little later
   */
  append(after: LogPosition, record: NewRecord): Promise<'appended' | 'moved'>;
  /**
   * {@link append} with all other writers blocked: passes the records after the position to `decide`, and appends its
   * record. Undefined appends nothing.
   * @throws ServiceError as {@link append}
   */
  appendExclusively(after: LogPosition, decide: (missing: Tail) => Promise<Decided>): Promise<AppendOutcome>;
  /**
   * Includes every append completed before the call. Returns at least one record, then up to about this number of
   * bytes.
   */
  tail(after: LogPosition, bytesMax: number): Promise<Tail>;
  /**
   * Calls the listener soon after any process has appended. May also call it without an append.
   * @returns a function that removes the listener
   */
  onAppend(listener: OnAppend): () => void;
  checkpoint(): Promise<Checkpoint>;
  checkpointAt(): Promise<LogPosition>;
  /**
   * Moves the checkpoint from one position to a later one, if it is still at the first. Old records that it includes
   * may then be removed, but never the last one.
   * @returns true when it was moved; false when another process has moved it
   */
  advanceCheckpoint(from: LogPosition, to: LogPosition, net: NetWrites): Promise<boolean>;
  /** The last step of {@link advanceCheckpoint}, for a checkpoint that need not move. Cheap when nothing is old. */
  trim(checkpoint: LogPosition): Promise<void>;
  /**
   * Fills the checkpoint of an empty log, completely or not at all. With `replaced`, the previous contents are
   * removed and the log gets another `storeId`, so that other processes start again. This object cannot be used
   * afterwards.
   * @throws ServiceError `Conflict` when it is not empty and must not be replaced
   */
  load(pairs: AsyncIterable<readonly KeyValue[]>, replaced: boolean): Promise<void>;
  /** The reason why the log cannot be reached now; undefined while it can. */
  problem(): string | undefined;
  /** The used and the available space, as of some seconds ago; only for a log with a limit. */
  space?(): SpaceUse | undefined;
  close(): Promise<void>;
}

/** The record to append, and the position before it; undefined when there is nothing to append. */
export type Decided = { readonly after: LogPosition; readonly record: NewRecord } | undefined;

/** Moved: the log did not block the other writers. */
export type AppendOutcome = 'appended' | 'nothing' | 'moved';
