import { readU48 } from '../lib/bytes.js';
import type { KeyPlace, Snapshot } from '../store/engine.js';
import { afterKey, isLargestInEntry, isSmallestInEntry, nameKey, getNames } from '../store/index/keys.js';
import { CHUNK, type Direction } from '../store/index/scan.js';
import type { Table, TableIndex } from '../store/table.js';
import type { IdSet } from './filter/id-set.js';
import type { SortPosition } from './sort-position.js';

export interface WalkOptions {
  readonly direction: Direction;
  /** Number of objects that the caller wants first. Default: a whole chunk. */
  readonly first?: number;
  /** Receives the number of pairs read. */
  readonly onRead?: ((pairs: number) => void) | undefined;
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
  /** Objects to skip, by id, before any other work on them. */
  readonly skips?: (id: number) => boolean;
  /** Begins after this position, which need not be that of an object. */
  readonly after?: SortPosition | undefined;
}

/** A walk by an index. */
export interface Walk extends WalkOptions {
  readonly snapshot: Snapshot;
  readonly table: Table;
  readonly index: TableIndex;
}

/** True when an object's entry is the one that places the object, and the object is wanted. */
export function isWanted({ direction, skips }: Walk, id: number, { bytes, end }: KeyPlace): boolean {
  if (!(direction === 'asc' ? isSmallestInEntry(bytes, end) : isLargestInEntry(bytes, end))) return false;
  return skips?.(id) !== true;
}

/** True when ties up to a position may come in any order. */
export function skipsTieOrder(
  { anyTieOrder: isAnyTieRight = false, offset = 0 }: Walk,
  end: number,
): boolean {
  return isAnyTieRight || end <= offset;
}

/** Walks the ids of all objects of a table by name, in the order of code points. A chunk may be empty. */
export async function* walkNames(
  snapshot: Snapshot,
  table: Table,
  { direction, first = CHUNK, onRead, skips, after }: WalkOptions,
): AsyncGenerator<number[]> {
  let range = getNames(table.modelId);
  if (after !== undefined) {
    range = afterKey(range, nameKey(table.modelId, after.name));
  }
  for (let limit = Math.min(first, CHUNK); ; limit = CHUNK) {
    const ids: number[] = [];
    let pairs = 0;
    const last = await snapshot.scanInPlace(range, { limit, reverse: direction === 'desc' }, (value) => {
      pairs++;
      const id = readU48(value);
      if (skips?.(id) !== true) ids.push(id);
      return true;
    });
    onRead?.(pairs);
    yield ids;
    if (last === undefined) return;
    range = afterKey(range, last);
  }
}
