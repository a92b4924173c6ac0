import type { ValueKey } from '../../store/index/index-reader.js';

/** The number of matches with one value of an index. */
export interface CountedRun {
  readonly key: ValueKey;
  readonly count: number;
  /** One of these matches. */
  readonly id: number;
}

/** A value and the number of objects that have it. */
export interface CountedValue {
  /** As encoded in the index. */
  readonly value: Buffer;
  readonly count: number;
  /** One of these objects. */
  readonly id: number;
}

/** Orders by count, descending, then by value. */
export function compareCounted(a: CountedValue, b: CountedValue): number {
  return b.count - a.count || a.value.compare(b.value);
}
