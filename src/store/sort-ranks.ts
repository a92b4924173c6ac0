import { setImmediate as nextTurn } from 'node:timers/promises';
import type { WalkOrder } from './derived.js';
import { readNames } from './match-sets.js';
import { NumberedIds } from './numbered-ids.js';
import { comparePlaces, rowOrder, type Unsorted } from './sort-rows.js';
import {
  keyed,
  rankByIndex,
  readRows,
  walkIndex,
  walkNames,
  type Place,
  type Spot,
  type WalkOptions,
} from './walk.js';

/** Objects that are moved in one go: well below a millisecond, even before the code is compiled. */
const STEP = 2_500;

/** Names that are read in one go: they lie anywhere, not one after another. */
const NAMES_STEP = 250;

/**
 * Puts many objects in order by walking the index of each field once. Nothing is held but numbers, about 30 bytes an
 * object; no row is read, but a few to find the place to begin after.
 * @param fields the most significant one first, at least one; names ascending break ties
 * @param after only what comes after this place is wanted
 */
export async function* sortByRanks(
  unsorted: Unsorted,
  fields: readonly WalkOrder[],
  after: Place | undefined,
): AsyncGenerator<Spot[]> {
  const last = fields.at(-1);
  const isWalked = last !== undefined && last.index?.sparse !== true;
  const ids = await NumberedIds.read(walkBase(unsorted, isWalked ? last : undefined), sizeOf(unsorted));
  let order = new Uint32Array(ids.size);
  await inSteps(order.length, (i) => (order[i] = i));
  // Each sort leaves what is the same in its field as it was, so the least significant field comes first.
  for (const field of (isWalked ? fields.slice(0, -1) : fields).toReversed()) {
    order = await sortedBy(unsorted, field, ids, order);
  }
  const first = after === undefined ? 0 : await positionAfter(unsorted, fields, ids, order, after);
  for (let at = first; at < order.length; at += NAMES_STEP) {
    yield spotsAt(unsorted, ids, order, at, at + NAMES_STEP);
  }
}

function sizeOf({ set, objects }: Unsorted): number {
  return set?.size ?? objects;
}

/** The order in which everything else leaves ties: the least significant field's, if its index has all objects. */
function walkBase(unsorted: Unsorted, field: WalkOrder | undefined): AsyncGenerator<Spot[]> {
  const { snapshot } = unsorted.scope.view;
  const { index, direction = 'asc' } = field ?? {};
  const options = walkOptions(unsorted, direction);
  const { table } = unsorted.scope;
  return index === undefined
    ? walkNames(snapshot, table, options)
    : walkIndex(snapshot, table, index, options);
}

/** Walks what is to be sorted, and counts what that reads. */
export function walkOptions({ scope, set }: Unsorted, direction: WalkOrder['direction']): WalkOptions {
  const onRead = (pairs: number): void => void (scope.stats.entries += pairs);
  return set === undefined
    ? { direction, onRead }
    : { direction, onRead, skips: (id: number) => !set.has(id) };
}

/** A counting sort by the place of each object's value among the values of the field. */
async function sortedBy(
  unsorted: Unsorted,
  { index, direction }: WalkOrder,
  ids: NumberedIds,
  order: Uint32Array,
): Promise<Uint32Array<ArrayBuffer>> {
  const ranks = new Uint32Array(order.length);
  let most = 0;
  if (index !== undefined) {
    const { scope } = unsorted;
    most = await rankByIndex(
      scope.view.snapshot,
      scope.table,
      index,
      walkOptions(unsorted, direction),
      (id, rank) => {
        const number = ids.numberOf(id);
        if (number !== undefined) ranks[number] = rank;
      },
    );
  }
  const bucketOf = (number: number): number => {
    const rank = ranks[number] ?? 0;
    return direction === 'asc' ? rank : most - rank;
  };
  const next = new Uint32Array(most + 2);
  await inSteps(order.length, (number) => {
    const after = bucketOf(number) + 1;
    next[after] = (next[after] ?? 0) + 1;
  });
  await inSteps(most + 1, (bucket) => (next[bucket + 1] = (next[bucket + 1] ?? 0) + (next[bucket] ?? 0)));
  const sorted = new Uint32Array(order.length);
  await inSteps(order.length, (i) => {
    const number = order[i] ?? 0;
    const bucket = bucketOf(number);
    const at = next[bucket] ?? 0;
    sorted[at] = number;
    next[bucket] = at + 1;
  });
  return sorted;
}

/** Does something for each number below a count, and lets other work run now and then. */
async function inSteps(count: number, step: (i: number) => void): Promise<void> {
  for (let from = 0; from < count; from += STEP) {
    const to = Math.min(from + STEP, count);
    for (let i = from; i < to; i++) step(i);
    await nextTurn();
  }
}

/** How many objects do not come after a place, found by halving: a row is read for each half. */
async function positionAfter(
  unsorted: Unsorted,
  fields: readonly WalkOrder[],
  ids: NumberedIds,
  order: Uint32Array,
  after: Place,
): Promise<number> {
  const { scope } = unsorted;
  const compare = comparePlaces(fields);
  let [from, to] = [0, order.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const [spot] = await spotsAt(unsorted, ids, order, middle, middle + 1);
    if (spot === undefined) break;
    const [row] = await readRows(scope.view.snapshot, scope.table, [spot.name]);
    scope.stats.rows++;
    if (compare(keyed(spot, row, rowOrder(fields)), after) > 0) to = middle;
    else from = middle + 1;
  }
  return from;
}

async function spotsAt(
  { scope }: Unsorted,
  ids: NumberedIds,
  order: Uint32Array,
  from: number,
  to: number,
): Promise<Spot[]> {
  const some = Array.from(order.subarray(from, to), (number) => ids.idAt(number));
  const names = await readNames(scope, some);
  return names.map((name, i) => ({ name, id: some[i] ?? 0 }));
}
