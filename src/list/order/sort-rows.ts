import { yieldBetween } from '../../lib/work/yield.js';
import { asBuffer } from '../../lib/bytes.js';
import type { SortField } from '../../store/index/index-record.js';
import { CHUNK, scanRecords } from '../../store/index/scan.js';
import type { IdSet } from '../filter/id-set.js';
import {
  compareSortPositions,
  readSortEntries,
  type SortEntry,
  sortEntryIn,
  type SortPosition,
} from '../sort-position.js';
import type { WalkOrder } from '../index-scan.js';
import type { ListScope } from '../scope.js';
import { SortedRuns } from '../../lib/sorted-runs.js';
import type { SortInput } from './unsorted.js';

/** When more than one in this many objects is wanted, all index records are read in sequence. */
const SCAN_FRACTION = 8;

/**
 * Reads the index records of objects and sorts them. The wanted objects are kept in memory with their values.
 * @param fields the most significant one first; names ascending break ties
 * @param most number of first objects that are wanted
 * @param after only objects after this position are wanted
 */
export async function* sortByRecords(
  input: SortInput,
  fields: readonly WalkOrder[],
  most: number,
  after: SortPosition | undefined,
): AsyncGenerator<number[]> {
  const order = sortFields(fields);
  const compare = comparePositions(fields);
  const runs = new SortedRuns<SortEntry>(compare, most);
  for await (const refs of yieldBetween(sortEntries(input, order), input.scope.stats.work)) {
    await runs.add(after === undefined ? refs : refs.filter((ref) => compare(ref, after) > 0));
  }
  yield* idsInOrder(runs);
}

export async function* idsInOrder(runs: SortedRuns<SortEntry>): AsyncGenerator<number[]> {
  for await (const entries of runs.inOrder()) yield entries.map(({ id }) => id);
}

/** The fields that are indexes. */
export function sortFields(fields: readonly WalkOrder[]): SortField[] {
  return fields.flatMap(({ index, direction }) =>
    index === undefined ? [] : [{ indexId: index.id, direction }],
  );
}

/** Compares positions whose keys are those of {@link sortFields}. */
export function comparePositions(fields: readonly WalkOrder[]): (a: SortPosition, b: SortPosition) => number {
  const byName = fields.find(({ index }) => index === undefined);
  return compareSortPositions(sortFields(fields), byName?.direction);
}

function sortEntries(input: SortInput, order: readonly SortField[]): AsyncGenerator<SortEntry[]> {
  const { scope, objects, set } = input;
  return set === undefined || set.size * SCAN_FRACTION > objects
    ? sortEntriesByScan(scope, set, order)
    : sortEntriesById(scope, set, order);
}

async function* sortEntriesByScan(
  scope: ListScope,
  set: IdSet | undefined,
  order: readonly SortField[],
): AsyncGenerator<SortEntry[]> {
  let entries: SortEntry[] = [];
  const chunks = scanRecords(scope.view.snapshot, scope.table, (id, record) => {
    if (set?.has(id) !== false) entries.push(sortEntryIn(id, asBuffer(record), order));
  });
  for await (const records of chunks) {
    scope.stats.addRecords(records);
    yield entries;
    entries = [];
  }
}

async function* sortEntriesById(
  scope: ListScope,
  set: IdSet,
  order: readonly SortField[],
): AsyncGenerator<SortEntry[]> {
  const ids = set.toArray();
  for (let at = 0; at < ids.length; at += CHUNK) {
    const some = ids.slice(at, at + CHUNK);
    scope.stats.addRecords(some.length);
    yield await readSortEntries(scope.view.snapshot, scope.table, some, order);
  }
}
