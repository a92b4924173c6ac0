import { yieldBetween } from '../../lib/work/yield.js';
import { readSortEntries, type SortEntry, type SortPosition } from '../sort-position.js';
import type { WalkOrder } from '../index-scan.js';
import type { ListScope } from '../scope.js';
import { SortedRuns } from '../../lib/sorted-runs.js';
import { comparePositions, idsInOrder, sortFields } from './sort-rows.js';

export interface SortGroups {
  readonly scope: ListScope;
  /** The most significant field first; names ascending break ties. */
  readonly fields: readonly WalkOrder[];
  /** Number of first objects that are wanted. */
  readonly most: number;
  /** Only objects after this position are wanted. */
  readonly after: SortPosition | undefined;
}

/**
 * Sorts each group of objects with equal values in the first field by the other fields. Only one group is in memory
 * at a time.
 * @param walk returns the objects by the first field, from a position or from the beginning
 */
export async function* sortGroups(
  { scope, fields, most, after }: SortGroups,
  walk: (from: SortPosition | undefined) => AsyncIterable<number[]>,
): AsyncGenerator<number[]> {
  const order = sortFields(fields);
  const compare = comparePositions(fields);
  // The walk starts at the beginning of the position's group, because names do not order objects within it.
  const from = after === undefined ? undefined : { keys: after.keys.slice(0, 1), name: '' };
  const newGroup = (): SortedRuns<SortEntry> => new SortedRuns<SortEntry>(compare, most);
  let group = newGroup();
  let last: SortEntry | undefined;
  for await (const ids of yieldBetween(walk(from), scope.stats.work)) {
    scope.stats.addRecords(ids.length);
    let members: SortEntry[] = [];
    for (const member of await readSortEntries(scope.view.snapshot, scope.table, ids, order)) {
      if (last !== undefined && !isSameGroup(last, member)) {
        await group.add(members);
        yield* idsInOrder(group);
        group = newGroup();
        members = [];
      }
      last = member;
      if (after === undefined || compare(member, after) > 0) members.push(member);
    }
    await group.add(members);
  }
  yield* idsInOrder(group);
}

function isSameGroup(a: SortPosition, b: SortPosition): boolean {
  return a.keys[0] === b.keys[0];
}
