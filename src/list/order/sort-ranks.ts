import type { Work } from '../../lib/work/work.js';
import { countYielding, yieldBetween } from '../../lib/work/yield.js';
import { getEntries } from '../../store/index/keys.js';
import type { Direction } from '../../store/index/scan.js';
import { readSortEntries, type SortPosition } from '../sort-position.js';
import { walkNames } from '../walk.js';
import type { WalkOrder } from '../index-scan.js';
import { rankByIndex } from './rank-scan.js';
import { comparePositions, sortFields } from './sort-rows.js';
import type { Window } from './sort-window.js';
import { type IndexOrder, type SortInput, getWalk } from './unsorted.js';
import type { WindowArrays } from './window-arrays.js';

/** Ids that are handed out together. */
const IDS_STEP = 250;

/**
 * Puts the objects of a window in order by walking the index of each other field once. Only numbers are moved; no index record
 * is read, but a few to find the place to begin after.
 * @param others the fields after the first one, the most significant one first; names ascending break ties
 * @param after only what comes after this place is wanted
 */
export async function* sortWindow(
  input: SortInput,
  { arrays, rankMax }: Window,
  lead: IndexOrder,
  others: readonly WalkOrder[],
  after: SortPosition | undefined,
): AsyncGenerator<number[]> {
  // Each sort leaves what is the same in its field as it was, so what is least significant comes first.
  const { work } = input.scope.stats;
  const byName = others.find(({ index }) => index === undefined)?.direction ?? 'asc';
  await inNameOrder(input, arrays, byName);
  for (const { index, direction } of others.toReversed()) {
    if (index === undefined) continue;
    await sortBy(arrays, arrays.ranks, await rankIn(input, { index, direction }, arrays), work);
  }
  await sortBy(arrays, arrays.leadRanks, rankMax, work);
  const first = after === undefined ? 0 : await positionAfter(input, [lead, ...others], arrays, after);
  for (let at = first; at < arrays.ids.size; at += IDS_STEP) {
    yield idsAt(arrays, at, at + IDS_STEP);
  }
}

async function inNameOrder(
  { scope }: SortInput,
  { ids, order }: WindowArrays,
  direction: Direction,
): Promise<void> {
  let at = 0;
  const onRead = (pairs: number): void => scope.stats.addEntries(pairs);
  const names = walkNames(scope.view.snapshot, scope.table, { direction, onRead });
  for await (const some of yieldBetween(names, scope.stats.work)) {
    for (const id of some) {
      const number = ids.findNumber(id);
      if (number !== undefined) order[at++] = number;
    }
    if (at >= ids.size) return;
  }
}

/**
 * Finds, for each number, where its value stands among those of the window in the order of a field. What a sparse
 * index lacks comes first, or last in descending order: where other indexes have what has no value.
 * @returns the largest rank
 */
async function rankIn(input: SortInput, field: IndexOrder, { ids, ranks }: WindowArrays): Promise<number> {
  ranks.fill(0, 0, ids.size);
  let [last, lastOfAll] = [0, 0];
  const walk = rankByIndex(getWalk(input, field), getEntries(field.index.id), (id, rankOfAll) => {
    const number = ids.findNumber(id);
    if (number === undefined) return;
    if (rankOfAll !== lastOfAll) last++;
    lastOfAll = rankOfAll;
    ranks[number] = last;
  });
  for await (const _ of walk);
  if (field.direction === 'asc') return last;
  await countYielding(ids.size, (number) => (ranks[number] ||= last + 1), input.scope.stats.work);
  return last + 1;
}

/** A counting sort of the order so far. */
async function sortBy(arrays: WindowArrays, ranks: Uint32Array, rankMax: number, work: Work): Promise<void> {
  const { order, ordered, next } = arrays;
  const { size } = arrays.ids;
  next.fill(0, 0, rankMax + 2);
  await countYielding(
    size,
    (number) => {
      const after = (ranks[number] ?? 0) + 1;
      next[after] = (next[after] ?? 0) + 1;
    },
    work,
  );
  await countYielding(
    rankMax + 1,
    (rank) => (next[rank + 1] = (next[rank + 1] ?? 0) + (next[rank] ?? 0)),
    work,
  );
  await countYielding(
    size,
    (i) => {
      const number = order[i] ?? 0;
      const rank = ranks[number] ?? 0;
      const at = next[rank] ?? 0;
      ordered[at] = number;
      next[rank] = at + 1;
    },
    work,
  );
  arrays.swap();
}

/** How many objects do not come after a place, found by halving: an index record is read for each half. */
async function positionAfter(
  input: SortInput,
  fields: readonly WalkOrder[],
  arrays: WindowArrays,
  after: SortPosition,
): Promise<number> {
  const { scope } = input;
  const compare = comparePositions(fields);
  const order = sortFields(fields);
  let [from, to] = [0, arrays.ids.size];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const ids = idsAt(arrays, middle, middle + 1);
    const [entry] = await readSortEntries(scope.view.snapshot, scope.table, ids, order);
    scope.stats.addRecords(1);
    if (entry !== undefined && compare(entry, after) > 0) to = middle;
    else from = middle + 1;
  }
  return from;
}

function idsAt({ ids, order }: WindowArrays, from: number, to: number): number[] {
  return Array.from(order.subarray(from, Math.min(to, ids.size)), (number) => ids.idAt(number));
}
