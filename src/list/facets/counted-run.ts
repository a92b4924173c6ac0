import type { ValueKey } from '../../store/index/index-reader.js';

/** The number of matches with one value of an index. */
export interface CountedRun {
  readonly key: ValueKey;
  readonly count: number;
  /** One of these matches. */
  readonly id: number;
}
