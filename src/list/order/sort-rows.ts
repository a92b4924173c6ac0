import { readU48 } from '../../lib/bytes.js';
import type { IdSet } from '../filter/id-set.js';
import type { WalkOrder } from '../cache.js';
import { nameInKey, rowsOf } from '../../store/keys.js';
import { readNames, type Scope } from '../filter/set-cache.js';
import type { RowOrder } from '../../store/index-record.js';
import { SortedRuns } from './merge.js';
import type { Unsorted } from './unsorted.js';
import {
  CHUNK,
  chunksOf,
  compareSpots,
  keyed,
  paced,
  readKeyed,
  type KeyedSpot,
  type Place,
  type Spot,
} from '../index-scan.js';

/** Objects that are more than one in so many of all are found by reading all rows in a row. */
const SCAN_WORTH = 8;

/**
 * Reads the rows of objects and puts them in order. What is wanted is held, with its values.
 * @param fields the most significant one first; names ascending break ties
 * @param most only so many of the first ones are wanted
 * @param after only what comes after this place is wanted
 */
export async function* sortByRows(
  unsorted: Unsorted,
  fields: readonly WalkOrder[],
  most: number,
  after: Place | undefined,
): AsyncGenerator<Spot[]> {
  const order = rowOrder(fields);
  const compare = comparePlaces(fields);
  const runs = new SortedRuns<KeyedSpot>(compare, most);
  for await (const spots of paced(keyedSpots(unsorted, order))) {
    await runs.add(after === undefined ? spots : spots.filter((spot) => compare(spot, after) > 0));
  }
  yield* runs.inOrder();
}

/** The indexes among the fields. */
export function rowOrder(fields: readonly WalkOrder[]): RowOrder[] {
  return fields.flatMap(({ index, direction }) =>
    index === undefined ? [] : [{ indexId: index.id, direction }],
  );
}

/** The order of places whose keys are those of {@link rowOrder}. */
export function comparePlaces(fields: readonly WalkOrder[]): (a: Place, b: Place) => number {
  const byName = fields.find(({ index }) => index === undefined);
  return compareSpots(rowOrder(fields), byName?.direction);
}

function keyedSpots(unsorted: Unsorted, order: readonly RowOrder[]): AsyncGenerator<KeyedSpot[]> {
  const { scope, objects, set } = unsorted;
  return set === undefined || set.size * SCAN_WORTH > objects
    ? keyedByScan(scope, set, order)
    : keyedById(scope, set, order);
}

async function* keyedByScan(
  scope: Scope,
  set: IdSet | undefined,
  order: readonly RowOrder[],
): AsyncGenerator<KeyedSpot[]> {
  for await (const pairs of chunksOf(scope.view.snapshot, rowsOf(scope.table.modelId))) {
    scope.stats.rows += pairs.length;
    const spots: KeyedSpot[] = [];
    for (const { key, value } of pairs) {
      const id = readU48(value);
      if (set?.has(id) === false) continue;
      spots.push(keyed({ id, name: nameInKey(key) }, value, order));
    }
    yield spots;
  }
}

async function* keyedById(scope: Scope, set: IdSet, order: readonly RowOrder[]): AsyncGenerator<KeyedSpot[]> {
  const ids: number[] = [];
  set.forEach((id) => ids.push(id));
  for (let at = 0; at < ids.length; at += CHUNK) {
    const names = await readNames(scope, ids.slice(at, at + CHUNK));
    const spots = names.map((name, i) => ({ id: ids[at + i] ?? 0, name }));
    scope.stats.rows += names.length;
    yield await readKeyed(scope.view.snapshot, scope.table, spots, order);
  }
}
