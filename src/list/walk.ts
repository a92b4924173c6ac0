import type { KeyPlace, Snapshot } from '../store/engine.js';
import { placesObject } from '../store/index/index-reader.js';
import type { NameWalkOptions } from '../store/index/names.js';
import type { Table, TableIndex } from '../store/table.js';
import type { IdSet } from './filter/id-set.js';
import type { SortPosition } from './sort-position.js';

export interface WalkOptions extends NameWalkOptions {
  /** Number of first objects that are only counted, so that ties among them may come in any order. Default: 0. */
  readonly offset?: number;
  /** Number of the table's objects. */
  readonly objects?: number;
  /**
   * Finds the wanted objects of a value, or without one, when they may be in memory; for indexes with one value per
   * object.
   */
  readonly idsOfValue?: ((value: Buffer | undefined) => Promise<IdSet>) | undefined;
  /** True when objects with the same value may come in any order. Default: names ascend. */
  readonly anyTieOrder?: boolean;
  /** Begins after this position, which need not be that of an object. */
  readonly after?: SortPosition | undefined;
}

export interface Walk extends WalkOptions {
  readonly snapshot: Snapshot;
  readonly table: Table;
  readonly index: TableIndex;
}

/** True when an object's entry is the one that places the object, and the object is wanted. */
export function isWanted({ direction, skips }: Walk, id: number, place: KeyPlace): boolean {
  return placesObject(place, direction) && skips?.(id) !== true;
}

/** True when ties up to a position may come in any order. */
export function skipsTieOrder(
  { anyTieOrder: isAnyTieRight = false, offset = 0 }: Walk,
  end: number,
): boolean {
  return isAnyTieRight || end <= offset;
}
