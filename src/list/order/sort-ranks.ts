import type { Work } from '../../lib/work/work.js';
import { countYielding, yieldBetween } from '../../lib/work/yield.js';
import { allEntries } from '../../store/index/index-reader.js';
import { walkNames } from '../../store/index/names.js';
import type { Direction } from '../../store/index/scan.js';
import { readSortEntries, type SortPosition } from '../sort-position.js';
import type { WalkOrder } from '../index-scan.js';
import { rankByIndex } from './rank-scan.js';
import { comparePositions, sortFields } from './sort-rows.js';
import type { Window } from './sort-window.js';
import { type WalkedIndex, type SortInput, getWalk } from './unsorted.js';
import type { WindowArrays } from './window-arrays.js';

/** Ids in one chunk. */
const IDS_STEP = 250;

/**
 * Sorts the objects of a window by walking the index of each other field once. It moves only numbers, and reads only
 * a few index records, to find the start position.
 * @param fields the most significant one first; names ascending break ties
 * @param after only objects after this position are wanted
 */
export async function* sortWindow(
  input: SortInput,
  { arrays, rankMax }: Window,
  fields: readonly [WalkedIndex, ...WalkOrder[]],
  after: SortPosition | undefined,
): AsyncGenerator<number[]> {
  const [, ...others] = fields;
  // Each sort is stable, so the least significant field comes first.
  const { work } = input.scope.stats;
  const byName = others.find(({ index }) => index === undefined)?.direction ?? 'asc';
  await inNameOrder(input, arrays, byName);
  for (const { index, direction } of others.toReversed()) {
    if (index === undefined) continue;
    await sortBy(arrays, arrays.ranks, await rankIn(input, { index, direction }, arrays), work);
  }
  await sortBy(arrays, arrays.leadRanks, rankMax, work);
  const first = after === undefined ? 0 : await positionAfter(input, fields, arrays, after);
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
 * Ranks each number by its value in a field, among the values of the window. Objects without an entry in a sparse
 * index come first, or last in descending order, as objects without a value do in other indexes.
 * @returns the largest rank
 */
async function rankIn(input: SortInput, field: WalkedIndex, { ids, ranks }: WindowArrays): Promise<number> {
  ranks.fill(0, 0, ids.size);
  let [last, lastOfAll] = [0, 0];
  const walk = rankByIndex(getWalk(input, field), allEntries(field.index), (id, rankOfAll) => {
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

/** Counting sort of the present order. */
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

/** The number of objects up to a position, by bisection with one index record per step. */
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
