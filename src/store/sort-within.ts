import { IdSet } from '../lib/id-set.js';
import type { WalkOrder } from './derived.js';
import { entriesOf } from './keys.js';
import { readIds } from './match-sets.js';
import { sortByRanks, walkOptions } from './sort-ranks.js';
import { sortByRows, type Unsorted } from './sort-rows.js';
import type { TableIndex } from './table.js';
import { walkIndex, walkNames, type Place, type Spot } from './walk.js';

/** Reading an object's name and row by its id, compared with reading an index entry. */
export const ROW_COST = 12;

export interface SortWithin extends Unsorted {
  /** Ids of all objects. */
  readonly all: () => Promise<IdSet>;
  /** Most objects whose rows are held to put them in order. */
  readonly heldMax: number;
}

/**
 * Objects in order, all of them, in memory that hardly grows with their number: by walking an index where one has
 * the order, else by numbers. Few objects are sorted by their rows.
 * @param fields the most significant one first; names ascending break ties
 * @param after only what comes after this place is wanted
 */
export function sortWithin(
  sort: SortWithin,
  fields: readonly WalkOrder[],
  after: Place | undefined,
): AsyncGenerator<Spot[]> {
  const [first, second] = fields;
  const size = sort.set?.size ?? sort.objects;
  if (size <= sort.heldMax && (second !== undefined || size * ROW_COST < sort.objects)) {
    return sortByRows(sort, fields, Infinity, after);
  }
  if (first?.index?.sparse === true) return bySparse(sort, first.index, fields, after);
  return second === undefined ? walkBy(sort, first, after) : sortByRanks(sort, fields, after);
}

function walkBy(
  sort: SortWithin,
  { index, direction }: WalkOrder = { index: undefined, direction: 'asc' },
  after: Place | undefined,
): AsyncGenerator<Spot[]> {
  const { view, table } = sort.scope;
  const options = { ...walkOptions(sort, direction), after };
  return index === undefined
    ? walkNames(view.snapshot, table, options)
    : walkIndex(view.snapshot, table, index, options);
}

/** A sparse index has no entries of the objects without a value: those are ordered by the fields that follow. */
async function* bySparse(
  sort: SortWithin,
  index: TableIndex,
  fields: readonly WalkOrder[],
  after: Place | undefined,
): AsyncGenerator<Spot[]> {
  const [first, ...rest] = fields;
  const ids = await readIds(sort.scope, [entriesOf(index.id)]);
  const present = sort.set === undefined ? ids : ids.and(sort.set);
  const isAfterAbsent = after !== undefined && after.keys[0] === undefined;
  const isAfterPresent = after !== undefined && !isAfterAbsent;

  const ofAbsent = async (): Promise<AsyncGenerator<Spot[]>> => {
    const set = present.size === 0 ? sort.set : (sort.set ?? (await sort.all())).andNot(present);
    const from = isAfterAbsent ? { name: after.name, keys: after.keys.slice(1) } : undefined;
    return sortWithin({ ...sort, set }, rest, from);
  };
  const ofPresent = (): AsyncGenerator<Spot[]> => {
    const from = isAfterPresent ? after : undefined;
    const part = { ...sort, set: present };
    if (rest.length === 0) return walkBy(part, first, from);
    return present.size <= sort.heldMax
      ? sortByRows(part, fields, Infinity, from)
      : sortByRanks(part, fields, from);
  };
  if (first?.direction === 'asc') {
    if (!isAfterPresent) yield* await ofAbsent();
    yield* ofPresent();
  } else {
    if (!isAfterAbsent) yield* ofPresent();
    yield* await ofAbsent();
  }
}
