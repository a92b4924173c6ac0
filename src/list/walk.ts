import { readU48 } from '../lib/bytes.js';
import type { KeyPlace, Snapshot } from '../store/engine.js';
import { afterKey, isLargestInEntry, isSmallestInEntry, nameKey, getNames } from '../store/index/keys.js';
import { CHUNK, type Direction } from '../store/index/scan.js';
import type { Table, TableIndex } from '../store/table.js';
import type { IdSet } from './filter/id-set.js';
import type { SortPosition } from './sort-position.js';

export interface WalkOptions {
  readonly direction: Direction;
  /** How many objects the caller wants to begin with. Default: a whole chunk. */
  readonly first?: number;
  /** Told of how many pairs were read. */
  readonly onRead?: ((pairs: number) => void) | undefined;
  /** So many of the first objects are only counted: where they are tied, they may come in any order. Default: none. */
  readonly offset?: number;
  /** How many objects the table has. */
  readonly objects?: number;
  /** The wanted objects of a value, or of none, when they may be at hand; for indexes with one value an object. */
  readonly idsOfValue?: ((value: Buffer | undefined) => Promise<IdSet>) | undefined;
  /** Whether objects of the same value may come in any order. Default: names ascend. */
  readonly anyTieOrder?: boolean;
  /** Objects to leave out, by id, before anything else is done with them. */
  readonly skips?: (id: number) => boolean;
  /** Begin after this place, whether there is an object or not. */
  readonly after?: SortPosition | undefined;
}

/** A walk by an index. */
export interface Walk extends WalkOptions {
  readonly snapshot: Snapshot;
  readonly table: Table;
  readonly index: TableIndex;
}

/** Whether an entry of an object is the one that the object is placed by, and wanted. */
export function isWanted({ direction, skips }: Walk, id: number, { bytes, end }: KeyPlace): boolean {
  if (!(direction === 'asc' ? isSmallestInEntry(bytes, end) : isLargestInEntry(bytes, end))) return false;
  return skips?.(id) !== true;
}

/** Whether it does not matter in which order objects come that are tied, up to a place. */
export function skipsTieOrder(
  { anyTieOrder: isAnyTieRight = false, offset = 0 }: Walk,
  end: number,
): boolean {
  return isAnyTieRight || end <= offset;
}

/** Ids of all objects of a table by name, by code point. A chunk is empty where nothing of it is wanted. */
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
