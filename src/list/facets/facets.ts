import { yieldBetween } from '../../lib/work/yield.js';
import type { FacetField } from '../../query/counts/facets.js';
import { NAME } from '../../query/fields.js';
import type { KeyRange } from '../../store/engine.js';
import { decodeKey, entriesAroundPrefix, getValueKey, isCutValue } from '../../store/index/index-reader.js';
import { walkNames } from '../../store/index/names.js';
import { CHUNK, readIndexRecords } from '../../store/index/scan.js';
import type { TableIndex } from '../../store/table.js';
import { RECORD_COST } from '../order/sort-within.js';
import type { ListProgress } from '../plan.js';
import type { ListScope } from '../scope.js';
import { countInEntries } from './count-in-entries.js';
import { countInLists } from './count-in-lists.js';
import { countInRecords } from './count-in-records.js';
import { compareCounted, type CountedRun, type CountedValue } from './counted-run.js';
import { jsonValues, type FacetValue } from './json-values.js';
import { TopValues } from './top-values.js';

/** A value and the number of matches that have it. */
export interface FacetCount {
  /** As in the objects' JSON. */
  readonly value: FacetValue;
  readonly count: number;
}

export type FacetSource = Pick<ListProgress, 'scope' | 'known' | 'objects' | 'matches'>;

/** Cost of reading an id in a posting list, in index entries. */
const LISTED_COST = 0.03;

/**
 * The most frequent values of a field, with exact counts; ties in the order of the index. Objects without a value are
 * not counted.
 */
export async function countFacet(
  source: FacetSource,
  { name, index: position, label }: FacetField,
  most: number,
): Promise<FacetCount[]> {
  source.scope.stats.begin({ for: 'facet', field: name });
  if (position === NAME) return firstNames(source, most);
  const index = source.scope.table.indexes[position];
  if (index === undefined) return [];
  const prefix = Buffer.from(label === undefined ? '' : `${label}=`);
  const top = await topValues(source, index, prefix, most);
  if (label !== undefined) {
    return top.map(({ value, count }) => ({ value: value.toString('utf8', prefix.length), count }));
  }
  const values = await jsonValues(source.scope, index, top);
  return top.map(({ count }, i) => ({ value: values[i] ?? '', count }));
}

/** Names are unique, so the first names are the most frequent ones. */
async function firstNames({ scope, matches }: FacetSource, most: number): Promise<FacetCount[]> {
  const { view, table, stats } = scope;
  const ids: number[] = [];
  const names = walkNames(view.snapshot, table, {
    direction: 'asc',
    onRead: (pairs) => stats.addEntries(pairs),
    skips: matches && ((id) => !matches.has(id)),
  });
  for await (const some of yieldBetween(names, stats.work)) {
    ids.push(...some);
    if (ids.length >= most) break;
  }
  const first = await view.readNames(table, ids.slice(0, most));
  return first.map((value) => ({ value, count: 1 }));
}

/** @param prefix only values with this prefix count */
async function topValues(
  source: FacetSource,
  index: TableIndex,
  prefix: Buffer,
  most: number,
): Promise<CountedValue[]> {
  const top = new TopValues(most, compareCounted);
  if (source.matches?.size === 0) return [];
  const counted = countRuns(source, index, entriesAroundPrefix(index, prefix));
  for await (const runs of yieldBetween(counted, source.scope.stats.work)) {
    for (let at = 0; at < runs.length; at += CHUNK) {
      const frequent = runs.slice(at, at + CHUNK).filter(({ count }) => count >= (top.worst?.count ?? 1));
      for (const one of await withWholeValues(source.scope, index, frequent)) {
        if (one.value.subarray(0, prefix.length).equals(prefix)) top.add(one);
      }
    }
  }
  return top.sorted();
}

/** Counts in the way that reads the least. */
async function* countRuns(
  source: FacetSource,
  index: TableIndex,
  range: KeyRange,
): AsyncGenerator<CountedRun[]> {
  const { scope, known, matches, objects } = source;
  const isSmall = (most: number): boolean => matches !== undefined && matches.size * RECORD_COST <= most;
  const lists = known.postingLists.current(scope, index);
  if (matches !== undefined && isSmall(lists === undefined ? objects : objects * LISTED_COST)) {
    yield await countInRecords(scope, index, matches);
    return;
  }
  if (lists !== undefined) {
    yield* countInLists(lists, range, matches);
    return;
  }
  let read = 0;
  yield* countInEntries(scope.view.snapshot, range, matches, (entries) => {
    read += entries;
    scope.stats.addEntries(entries);
  });
  known.postingLists.noteRead(scope.table, index, read);
}

/** Values that are cut in the keys are read from the index record of an object that has them. */
async function withWholeValues(
  { view, table, stats }: ListScope,
  index: TableIndex,
  runs: readonly CountedRun[],
): Promise<CountedValue[]> {
  const cut = runs.filter(({ key }) => isCutValue(index, key));
  const records = await readIndexRecords(
    view.snapshot,
    table,
    cut.map(({ id }) => id),
  );
  stats.addRecords(records.length);
  const whole = new Map<CountedRun, Buffer | undefined>();
  for (const [i, run] of cut.entries()) {
    const values = records[i]?.values.get(index.id) ?? [];
    const value = values.find((one) => getValueKey(index, one).equals(run.key));
    // A copy, because a slice would keep the record's larger buffer alive.
    whole.set(run, value && Buffer.from(value));
  }
  return runs.flatMap((run) => {
    const value = whole.has(run) ? whole.get(run) : decodeKey(index, run.key);
    return value === undefined ? [] : [{ value, count: run.count, id: run.id }];
  });
}
