import type { ModelView } from '../../read/view.js';
import type { WriteOptions, WrittenPart } from '../../verbs.js';
import type { CurrentObject } from '../current-object.js';

/** The fields that a manager states, for the object of a name. */
export interface Apply {
  readonly model: ModelView;
  /** Undefined when the object does not exist. */
  readonly current: CurrentObject | undefined;
  readonly name: string;
  readonly applied: unknown;
  readonly part: WrittenPart;
  readonly options: WriteOptions;
}
