import type { Direction } from '../../store/index/scan.js';
import type { TableIndex } from '../../store/table.js';
import type { IdSet } from '../filter/id-set.js';
import type { Walk, WalkOptions } from '../walk.js';
import type { Scope } from '../scope.js';

/** Objects to put in order, of one snapshot. */
export interface SortInput {
  readonly scope: Scope;
  /** Number of the model's objects. */
  readonly objects: number;
  /** Undefined for all of them. */
  readonly set: IdSet | undefined;
}

/** A field to put them in order by, when it is not their name. */
export interface IndexOrder {
  readonly index: TableIndex;
  readonly direction: Direction;
}

/** Walks what is to be sorted, and counts what that reads. */
export function walkOptions({ scope, set }: SortInput, direction: Direction): WalkOptions {
  const onRead = (pairs: number): void => scope.stats.addEntries(pairs);
  return set === undefined
    ? { direction, onRead }
    : { direction, onRead, skips: (id: number) => !set.has(id) };
}

/** {@link walkOptions} for an index. */
export function getWalk(input: SortInput, { index, direction }: IndexOrder): Walk {
  const { view, table } = input.scope;
  return { ...walkOptions(input, direction), snapshot: view.snapshot, table, index };
}
