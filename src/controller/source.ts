import type { MaybePromise } from '../lib/work/maybe-promise.js';
import type { ExtensionObject } from '../model/object.js';
import type { ModelClass } from '../model/declare/model-class.js';
import type { MatchOptions } from '../query/list-options.js';

/** A stored change of one object. The states are read only on demand. */
export interface ObjectChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly name: string;
  /** The object after the change; the last state of a removed object. */
  object(): ExtensionObject;
  /** The object before the change; undefined when it is no longer known, or did not exist. */
  previous(): ExtensionObject | undefined;
}

/** The changes of a model after one moment: complete, in order, in batches. */
export interface ChangeStream {
  /**
   * Can be read once. Ends with an error (for example `Expired`) when changes were lost or cannot be read. Ends without an error
   * when the signal of its opening is aborted.
   */
  readonly changes: AsyncIterable<readonly ObjectChange[]>;
  /** Every change up to this revision was read. */
  position(): number;
}

/** The parts of the service that controllers need. */
export interface ControllerSource {
  /**
   * Opens the changes from now on; resolves once no later change can be missed. The signal ends the stream and frees its resources,
   * read or not.
   */
  open(model: ModelClass, signal: AbortSignal): Promise<ChangeStream>;
  /**
   * Names of the objects that match. Read page by page, each at its own moment, because the reader may take long. An object that is
   * created meanwhile may be missing.
   */
  names(model: ModelClass, options: MatchOptions): AsyncIterable<string>;
  /**
   * All objects as if they were added, in batches that are each read at their own moment. An object that is created meanwhile may be
   * missing.
   */
  added(model: ModelClass): AsyncIterable<ObjectChange>;
  /**
   * The revision of the state that reads get now. It may be before a change that was delivered: readers may miss the newest commit for
   * a moment while another process opens the store.
   */
  readableRevision(): MaybePromise<number>;
  /**
   * Begins to count the reads that get a state from before one that was read already. The returned function returns the number
   * so far, and ends it.
   */
  countSetbacks(): () => number;
}
