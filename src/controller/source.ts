import type { ExtensionObject } from '../model/object.js';
import type { ModelClass } from '../model/declare/model-class.js';
import type { MatchOptions } from '../query/list-options.js';

/** A stored change of one object. What is not asked for need not be read. */
export interface ObjectChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly name: string;
  /** The object after the change; of a removed one the last state. */
  object(): ExtensionObject;
  /** The object before the change; undefined when that is not known any more, or there was none. */
  previous(): ExtensionObject | undefined;
}

/** The changes of a model after one moment: none is left out, in their order, in batches. */
export interface ChangeStream {
  /**
   * Can be read once. Ends with an error (`Expired`, say) when changes were lost or cannot be read; ends without
   * one when the signal it was opened with is aborted.
   */
  readonly changes: AsyncIterable<readonly ObjectChange[]>;
  /** Every change up to this revision was read. */
  position(): number;
}

/** What controllers need of the service. */
export interface ControllerSource {
  /**
   * Opens the changes from now on; resolves once nothing after now can be missed. The signal ends the stream and
   * frees what it holds, read or not.
   */
  open(model: ModelClass, signal: AbortSignal): Promise<ChangeStream>;
  /**
   * Names of the objects that match. Read page by page, each of its own moment: the reader may take long. An object
   * that is created meanwhile may be left out.
   */
  names(model: ModelClass, options: MatchOptions): AsyncIterable<string>;
}
