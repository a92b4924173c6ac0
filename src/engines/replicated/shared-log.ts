import type { KeyValue, SpaceUse } from '../../store/engine.js';

/** A place in the log. The id tells two histories apart that have the same number. */
export interface LogPosition {
  /** Of the record that was appended last; 0 before the first. */
  readonly seq: number;
  readonly id: string;
}

/** What is to be appended. */
export interface NewRecord {
  readonly id: string;
  /** What a group of commits writes, see `log-record.ts`. */
  readonly writes: Buffer;
}

export interface LogRecord extends LogPosition, NewRecord {}

/** What the log has after a place. */
export type Tail =
  | { readonly kind: 'records'; readonly records: readonly LogRecord[]; readonly isEnd: boolean }
  /** The place is older than the log: only the checkpoint leads on. */
  | { readonly kind: 'trimmed' }
  /** The log has never had this place, or has lost it. */
  | { readonly kind: 'diverged' };

/** All keys as of one place in the log. */
export interface Checkpoint {
  readonly at: LogPosition;
  /** In the order of the keys, some at a time. Must be read to its end, or returned from. */
  readonly pairs: AsyncIterable<readonly KeyValue[]>;
}

/** What keys come to between two places; undefined for one that is removed. By key as latin1 text. */
export type NetWrites = ReadonlyMap<string, Buffer | undefined>;

/**
 * A totally ordered, durable log of commits that processes share, and a checkpoint of the state it leads to. Whatever
 * keeps such a log can carry a store.
 *
 * Calls wait while the log cannot be reached, up to a limit.
 * @throws ServiceError `ServiceUnavailable` when it could not be reached in time; nothing was appended, and never will be
 */
export interface SharedLog {
  /** Made with the log: another log has another one. */
  readonly storeId: string;
  /**
   * Appends right after a place, or not at all when the log has moved on. It settles when the outcome is known.
   * @throws ServiceError `OutcomeUnknown` when that took too long: the record may be stored, now or a little later
   */
  append(after: LogPosition, record: NewRecord): Promise<'appended' | 'moved'>;
  /**
   * The same, with all others kept out meanwhile: what was appended after the place is handed over, and what that leads
   * to is appended after it. Undefined appends nothing.
   * @throws ServiceError as {@link append}
   */
  appendExclusively(after: LogPosition, decide: (missing: Tail) => Promise<Decided>): Promise<AppendOutcome>;
  /** Sees every append that was answered before the call; at least one record, then up to about so many bytes. */
  tail(after: LogPosition, bytesMax: number): Promise<Tail>;
  /** Calls the listener soon after others have appended, now and then also without a cause. @returns ends it */
  onAppend(listener: () => void): () => void;
  /** The last checkpoint. */
  checkpoint(): Promise<Checkpoint>;
  /** Where the last checkpoint stands. */
  checkpointAt(): Promise<LogPosition>;
  /**
   * Brings the checkpoint from one place to a later one, if it still is at the first; then records that it covers and
   * that are old may be forgotten, but never the last one.
   * @returns whether it did; else another process did
   */
  advanceCheckpoint(from: LogPosition, to: LogPosition, net: NetWrites): Promise<boolean>;
  /** As {@link advanceCheckpoint} does it in the end, where the checkpoint need not be moved. Costs little while there is nothing old. */
  trim(checkpoint: LogPosition): Promise<void>;
  /**
   * Fills an empty log's checkpoint, all of it or nothing. When replaced, what was there is gone, and the log has another
   * `storeId`, so that whoever followed it begins anew; this one is of no more use then.
   * @throws ServiceError `Conflict` when it is not empty and not to be replaced
   */
  load(pairs: AsyncIterable<readonly KeyValue[]>, replaced: boolean): Promise<void>;
  /** Why the log cannot be reached now; undefined while it can. */
  problem(): string | undefined;
  /** How much it keeps of what it may keep, as of some seconds ago; only of a log that has a bound. */
  space?(): SpaceUse | undefined;
  close(): Promise<void>;
}

/** The record to be appended, and the place it follows; undefined when there is nothing to append. */
export type Decided = { readonly after: LogPosition; readonly record: NewRecord } | undefined;

/** Moved: the log did not let the others be kept out. */
export type AppendOutcome = 'appended' | 'nothing' | 'moved';
