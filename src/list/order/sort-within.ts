import type { KeyRange } from '../../store/engine.js';
import { getEntries, isCut } from '../../store/index/keys.js';
import { readIds } from '../filter/evaluate.js';
import type { IdSet } from '../filter/id-set.js';
import { walkIndex } from '../index-scan.js';
import type { SortPosition } from '../sort-position.js';
import { walkNames } from '../walk.js';
import type { WalkOrder } from '../index-scan.js';
import { sortWindow } from './sort-ranks.js';
import { sortByRecords } from './sort-rows.js';
import { idsOfRun, isOfRun, readWindow, getStart, type Window } from './sort-window.js';
import { type IndexOrder, type SortInput, walkOptions } from './unsorted.js';
import { WindowArrays } from './window-arrays.js';

/** Reading an object's name and index record by its id, compared with reading an index entry. */
export const RECORD_COST = 12;

/** So few objects are put in order sooner than indexes are walked. */
const FEW = 2_000;

/** Whether objects are put in order by their index records, which are held then, and not by walking the indexes of the fields. */
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
  /** Most objects whose index records are held to put them in order. */
  readonly inMemorySortMax: number;
  /** Most objects that are put in order at a time by numbers. */
  readonly sortWindowMax: number;
  /** When objects are part of a larger window, whose arrays are free. */
  readonly arrays?: WindowArrays;
}

/**
 * Objects in order, all of them, in memory that does not grow with their number: by walking an index where one has
 * the order, else a window at a time. Few objects are sorted by their index records.
 * @param fields the most significant one first; names ascending break ties
 * @param after only what comes after this place is wanted
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

/** A sparse index has no entries of the objects without a value: those are ordered by the fields that follow. */
async function* bySparse(
  sort: SortWithin,
  lead: IndexOrder,
  rest: readonly WalkOrder[],
  after: SortPosition | undefined,
): AsyncGenerator<number[]> {
  const ids = await readIds(sort.scope, [getEntries(lead.index.id)]);
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

/** Objects that have entries in the index of the first field, as many whole runs at a time as a window holds. */
async function* byWindows(
  sort: SortWithin,
  lead: IndexOrder,
  rest: readonly WalkOrder[],
  after: SortPosition | undefined,
): AsyncGenerator<number[]> {
  const most = Math.min(sort.sortWindowMax, sort.set?.size ?? sort.objects);
  const arrays = sort.arrays ?? new WindowArrays(most);
  let left: KeyRange | undefined = getStart(lead, after);
  for (let from = after; left !== undefined; from = undefined) {
    const window: Window = await readWindow(sort, lead, left, arrays);
    left = window.rest;
    yield* window.largeRun === undefined
      ? sortWindow(sort, window, lead, rest, from)
      : await byLargeRun({ ...sort, arrays }, window.largeRun, lead, rest, from);
  }
}

/** Objects of one value are ordered by the fields that follow; values that were cut are not told by their entries. */
async function byLargeRun(
  sort: SortWithin,
  run: Buffer,
  lead: IndexOrder,
  rest: readonly WalkOrder[],
  after: SortPosition | undefined,
): Promise<AsyncGenerator<number[]>> {
  const part = { ...sort, set: await idsOfRun(sort, lead, run) };
  return isCut(run, lead.index.keyType)
    ? sortByRecords(part, [lead, ...rest], Infinity, after)
    : sortWithin(
        part,
        rest,
        after !== undefined && isOfRun(lead, run, after) ? withoutLead(after) : undefined,
      );
}

function withoutLead({ name, keys }: SortPosition): SortPosition {
  return { name, keys: keys.slice(1) };
}
