import type { KeyRange } from '../../store/engine.js';
import { entriesIn, firstIds, firstValue, isCutValue } from '../../store/index/index-reader.js';
import type { TableIndex } from '../../store/table.js';
import type { RankCache } from '../order/rank-cache.js';
import type { ListScope } from '../scope.js';
import type { IdSet } from './id-set.js';

/** Most objects of one value that are read to find its start and end in the order. */
const GROUP_MAX = 2_000;

/**
 * The objects with values in a range of an index, as a part of its order. Only the entries of the smallest and the
 * largest value in the range are read. For indexes with one entry per object.
 * @param range from the first entry of a value to the last one of a value
 * @returns undefined when too many objects have one of these values, or when the value is cut
 */
export async function rangeInRanks(
  scope: ListScope,
  ranks: RankCache,
  index: TableIndex,
  range: KeyRange,
): Promise<IdSet | undefined> {
  const { snapshot } = scope.view;
  const places: number[] = [];
  for (const direction of ['asc', 'desc'] as const) {
    const edge = await firstValue(snapshot, range, direction);
    if (edge === undefined) break;
    if (isCutValue(index, edge)) return undefined;
    const ids = await firstIds(snapshot, entriesIn(edge), GROUP_MAX + 1);
    scope.stats.addEntries(ids.length);
    if (ids.length > GROUP_MAX) return undefined;
    // Entries of one value are sorted by id, but the order sorts them by name.
    for (const id of ids) places.push(ranks.getPlace(id));
  }
  return ranks.setBetween(
    places.reduce((a, b) => Math.min(a, b), Infinity),
    places.reduce((a, b) => Math.max(a, b), -1),
    scope.stats.work,
  );
}
