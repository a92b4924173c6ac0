import type { CommitObserver } from '../store/commit-observer.js';
import type { ResourceRef, WriteOptions, WrittenPart } from './verbs.js';

/** A write of one object, as it was requested. */
export interface RequestedWrite {
  readonly verb: string;
  readonly resource: ResourceRef;
  /** The full name. Absent in a create. */
  readonly name?: string;
  readonly object?: unknown;
  readonly subresource?: WrittenPart;
}

/** The record of one write. */
export interface WriteRecord extends CommitObserver {
  /** Called with the error of a write that stored nothing. Its sender waits. Never rejects. */
  failed(error: unknown): Promise<void>;
}

/** Records writes of this process. */
export interface WriteAudit {
  /** Observes commits without requests. */
  readonly commits: CommitObserver;
  /**
   * Begins the record of a write of several objects, in one commit.
   * @param user undefined where users are not authenticated
   * @returns undefined for a write that needs no record
   */
  begin(
    requests: readonly RequestedWrite[],
    options: Pick<WriteOptions, 'dryRun' | 'author' | 'origin'>,
    user: string | undefined,
  ): WriteRecord | undefined;
}
