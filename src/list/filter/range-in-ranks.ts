import type { KeyRange } from '../../store/engine.js';
import { idInEntry, isCut, prefixInEntry, rangeOfRun } from '../../store/index/keys.js';
import type { TableIndex } from '../../store/table.js';
import type { RankCache } from '../order/rank-cache.js';
import type { ListScope } from '../scope.js';
import type { IdSet } from './id-set.js';

/** Most objects of one value that are read to find its start and end in the order. */
const RUN_MAX = 2_000;

/**
 * The objects with values in a range of an index, as a part of its order. Only the entries of the smallest and the
 * largest value in the range are read. For indexes with one entry per object.
 * @param range from the first entry of a value to the last one of a value
 * @returns undefined when too many objects have one of these values, or when the value is cut
 */
export async function rangeInRanks(
  scope: ListScope,
  ranks: RankCache,
  { keyType }: TableIndex,
  range: KeyRange,
): Promise<IdSet | undefined> {
  const { snapshot } = scope.view;
  const places: number[] = [];
  for (const reverse of [false, true]) {
    const [edge] = await snapshot.scan(range, { limit: 1, reverse });
    if (edge === undefined) break;
    if (isCut(edge.key, keyType)) return undefined;
    const run = await snapshot.scan(rangeOfRun(prefixInEntry(edge.key)), { limit: RUN_MAX + 1 });
    scope.stats.addEntries(run.length);
    if (run.length > RUN_MAX) return undefined;
    // Entries of one value are sorted by id, but the order sorts them by name.
    for (const { key } of run) places.push(ranks.getPlace(idInEntry(key)));
  }
  return ranks.setBetween(
    places.reduce((a, b) => Math.min(a, b), Infinity),
    places.reduce((a, b) => Math.max(a, b), -1),
    scope.stats.work,
  );
}
