import type { Resource } from '../model/resource.js';
import type { WriteVerb } from './log/log.js';

/** The change of one object, as a commit has stored it. */
export interface CommittedChange {
  readonly resource: Resource;
  /** The full name. */
  readonly name: string;
  /** That of the request for {@link item}; else by the effect on the object. */
  readonly verb: WriteVerb;
  readonly revision: number;
  /** Position of the request that names the object; undefined for a consequence, and for a commit without requests. */
  readonly item: number | undefined;
}

/** Observes commits of this process. */
export interface CommitObserver {
  /** Called before a commit. @throws ServiceError when nothing may be stored now */
  admit(): void;
  /**
   * Called with the changes of a commit, of which there may be none. The writer waits for it. Never rejects.
   * @param user undefined where users are not authenticated
   */
  committed(changes: readonly CommittedChange[], user: string | undefined): Promise<void>;
}
