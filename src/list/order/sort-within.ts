import type { KeyRange } from '../../store/engine.js';
import { allEntries, isCutValue, type ValueGroup } from '../../store/index/index-reader.js';
import { walkNames } from '../../store/index/names.js';
import { readIds } from '../filter/evaluate.js';
import type { IdSet } from '../filter/id-set.js';
import { walkIndex } from '../index-scan.js';
import type { SortPosition } from '../sort-position.js';
import type { WalkOrder } from '../index-scan.js';
import { sortWindow } from './sort-ranks.js';
import { sortByRecords } from './sort-rows.js';
import { idsOfGroup, isInGroup, readWindow, getStart, type Window } from './sort-window.js';
import { type WalkedIndex, type SortInput, walkOptions } from './unsorted.js';
import { WindowArrays } from './window-arrays.js';

/** Cost of reading an object's name and index record by its id, in index entries. */
export const RECORD_COST = 12;

/** Up to this many objects, a sort by index records is faster than walks of indexes. */
const FEW = 2_000;

/** True when objects are sorted by their index records in memory, and not by walks of the fields' indexes. */
export function shouldSortRecords(
  count: number,
  objects: number,
  fields: readonly WalkOrder[],
  inMemorySortMax: number,
): boolean {
  if (count > inMemorySortMax) return false;
  return (count <= FEW && fields.length > 1) || count * RECORD_COST < objects * fields.length;
}

export interface SortWithin extends SortInput {
  /** Ids of all objects. */
  readonly all: () => Promise<IdSet>;
  /** Most objects whose index records are kept in memory for a sort. */
  readonly inMemorySortMax: number;
  /** Most objects that are sorted at a time by numbers. */
  readonly sortWindowMax: number;
  /** The unused arrays of the enclosing window, when the objects are a part of one. */
  readonly arrays?: WindowArrays;
}

/**
 * Sorts all objects in bounded memory: by walking an index that has the order, otherwise one window at a time. Few
 * objects are sorted by their index records.
 * @param fields the most significant one first; names ascending break ties
 * @param after only objects after this position are wanted
 */
export function sortWithin(
  sort: SortWithin,
  fields: readonly WalkOrder[],
  after: SortPosition | undefined,
): AsyncGenerator<number[]> {
  const [first, second] = fields;
  const size = sort.set?.size ?? sort.objects;
  if (shouldSortRecords(size, sort.objects, fields, sort.inMemorySortMax))
    return sortByRecords(sort, fields, Infinity, after);
  if (first?.index === undefined || (second === undefined && !first.index.sparse)) {
    return walkBy(sort, first, after);
  }
  const { index, direction } = first;
  const rest = fields.slice(1);
  return index.sparse
    ? bySparse(sort, { index, direction }, rest, after)
    : byWindows(sort, { index, direction }, rest, after);
}

function walkBy(
  sort: SortWithin,
  { index, direction }: WalkOrder = { index: undefined, direction: 'asc' },
  after: SortPosition | undefined,
): AsyncGenerator<number[]> {
  const { view, table } = sort.scope;
  const options = { ...walkOptions(sort, direction), after };
  return index === undefined
    ? walkNames(view.snapshot, table, options)
    : walkIndex(view.snapshot, table, index, options);
}

/** A sparse index has no entries for objects without a value: those are sorted by the remaining fields. */
async function* bySparse(
  sort: SortWithin,
  lead: WalkedIndex,
  rest: readonly WalkOrder[],
  after: SortPosition | undefined,
): AsyncGenerator<number[]> {
  const ids = await readIds(sort.scope, [allEntries(lead.index)]);
  const present = sort.set === undefined ? ids : ids.and(sort.set);
  const isAfterAbsent = after !== undefined && after.keys[0] === undefined;
  const isAfterPresent = after !== undefined && !isAfterAbsent;

  const ofAbsent = async (): Promise<AsyncGenerator<number[]>> => {
    const set = present.size === 0 ? sort.set : (sort.set ?? (await sort.all())).andNot(present);
    return sortWithin({ ...sort, set }, rest, isAfterAbsent ? withoutLead(after) : undefined);
  };
  const ofPresent = (): AsyncGenerator<number[]> => {
    const from = isAfterPresent ? after : undefined;
    const part = { ...sort, set: present };
    if (rest.length === 0) return walkBy(part, lead, from);
    return present.size <= sort.inMemorySortMax
      ? sortByRecords(part, [lead, ...rest], Infinity, from)
      : byWindows(part, lead, rest, from);
  };
  if (lead.direction === 'asc') {
    if (!isAfterPresent) yield* await ofAbsent();
    yield* ofPresent();
  } else {
    if (!isAfterAbsent) yield* ofPresent();
    yield* await ofAbsent();
  }
}

/** Sorts objects with entries in the index of the first field, as many whole groups at a time as a window takes. */
async function* byWindows(
  sort: SortWithin,
  lead: WalkedIndex,
  rest: readonly WalkOrder[],
  after: SortPosition | undefined,
): AsyncGenerator<number[]> {
  const most = Math.min(sort.sortWindowMax, sort.set?.size ?? sort.objects);
  const arrays = sort.arrays ?? new WindowArrays(most);
  let left: KeyRange | undefined = getStart(lead, after);
  for (let from = after; left !== undefined; from = undefined) {
    const window: Window = await readWindow(sort, lead, left, arrays);
    left = window.rest;
    yield* window.largeGroup === undefined
      ? sortWindow(sort, window, [lead, ...rest], from)
      : await byLargeGroup({ ...sort, arrays }, window.largeGroup, [lead, ...rest], from);
  }
}

/**
 * Objects of one value are sorted by the remaining fields. Entries do not distinguish cut values, so those are sorted
 * by index records.
 */
async function byLargeGroup(
  sort: SortWithin,
  group: ValueGroup,
  [lead, ...rest]: readonly [WalkedIndex, ...WalkOrder[]],
  after: SortPosition | undefined,
): Promise<AsyncGenerator<number[]>> {
  const part = { ...sort, set: await idsOfGroup(sort, lead, group) };
  return isCutValue(lead.index, group)
    ? sortByRecords(part, [lead, ...rest], Infinity, after)
    : sortWithin(
        part,
        rest,
        after !== undefined && isInGroup(lead, group, after) ? withoutLead(after) : undefined,
      );
}

function withoutLead({ name, keys }: SortPosition): SortPosition {
  return { name, keys: keys.slice(1) };
}
