import type { Direction } from '../../store/index/scan.js';
import type { TableIndex } from '../../store/table.js';
import type { IdSet } from '../filter/id-set.js';
import type { Walk, WalkOptions } from '../walk.js';
import type { ListScope } from '../scope.js';

/** The objects of a sort, in one snapshot. */
export interface SortInput {
  readonly scope: ListScope;
  /** Number of the model's objects. */
  readonly objects: number;
  /** Undefined for all objects. */
  readonly set: IdSet | undefined;
}

/** A sort field that is an index, not the name. */
export interface WalkedIndex {
  readonly index: TableIndex;
  readonly direction: Direction;
}

/** Options of a walk over the objects of a sort, which counts its reads. */
export function walkOptions({ scope, set }: SortInput, direction: Direction): WalkOptions {
  const onRead = (pairs: number): void => scope.stats.addEntries(pairs);
  return set === undefined
    ? { direction, onRead }
    : { direction, onRead, skips: (id: number) => !set.has(id) };
}

/** {@link walkOptions} for an index. */
export function getWalk(input: SortInput, { index, direction }: WalkedIndex): Walk {
  const { view, table } = input.scope;
  return { ...walkOptions(input, direction), snapshot: view.snapshot, table, index };
}
