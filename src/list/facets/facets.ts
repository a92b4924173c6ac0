import { readU48 } from '../../lib/bytes.js';
import { yieldBetween } from '../../lib/yield.js';
import type { FacetField } from '../../query/facets.js';
import { NAME } from '../../query/fields.js';
import type { KeyRange } from '../../store/engine.js';
import {
  entriesOf,
  entriesStartingWith,
  entriesWith,
  entryPrefix,
  isCut,
  nameInKey,
  namesOf,
  VALUE_BYTES_MAX,
  valueOfRun,
} from '../../store/keys.js';
import { CHUNK, chunksOf, readIndexRecords } from '../../store/scan.js';
import type { ReadView } from '../../store/read-view.js';
import type { Table, TableIndex } from '../../store/table.js';
import type { IdSet } from '../filter/id-set.js';
import type { ReadStats } from '../scope.js';
import { countValues, type CountedRun } from './count-values.js';
import { jsonValues, type FacetValue } from './json-values.js';
import { TopValues, type CountedValue } from './top-values.js';

/** A value and how many of the matches have it. */
export interface FacetCount {
  /** As in the objects' JSON. */
  readonly value: FacetValue;
  readonly count: number;
}

/** The matches whose values are counted. */
export interface FacetSource {
  readonly view: ReadView;
  readonly table: Table;
  /** Undefined: all objects. */
  readonly matches: IdSet | undefined;
  readonly stats: ReadStats;
}

/** The most frequent values of a field, exact; ties in the order of the index. No object counts for having none. */
export async function countFacet(
  source: FacetSource,
  { index: position, label }: FacetField,
  most: number,
): Promise<FacetCount[]> {
  if (position === NAME) return firstNames(source, most);
  const index = source.table.indexes[position];
  if (index === undefined) return [];
  const prefix = Buffer.from(label === undefined ? '' : `${label}=`);
  const top = await topValues(source, index, prefix, most);
  if (label !== undefined) {
    return top.map(({ value, count }) => ({ value: value.toString('utf8', prefix.length), count }));
  }
  const values = await jsonValues(source, index, top);
  return top.map(({ count }, i) => ({ value: values[i] ?? '', count }));
}

/** Each name is there once, so the first ones are the most frequent. */
async function firstNames({ view, table, matches, stats }: FacetSource, most: number): Promise<FacetCount[]> {
  const counts: FacetCount[] = [];
  for await (const pairs of yieldBetween(chunksOf(view.snapshot, namesOf(table.modelId)))) {
    stats.entries += pairs.length;
    for (const { key, value } of pairs) {
      if (matches?.has(readU48(value)) === false) continue;
      if (counts.push({ value: nameInKey(key), count: 1 }) === most) return counts;
    }
  }
  return counts;
}

/** @param prefix only values that begin so */
async function topValues(
  source: FacetSource,
  index: TableIndex,
  prefix: Buffer,
  most: number,
): Promise<CountedValue[]> {
  const { view, matches, stats } = source;
  const top = new TopValues(most);
  if (matches?.size === 0) return [];
  const onRead = (entries: number): void => void (stats.entries += entries);
  const counted = countValues(view.snapshot, rangeOf(index, prefix), matches, onRead);
  for await (const runs of yieldBetween(counted)) {
    for (let at = 0; at < runs.length; at += CHUNK) {
      const frequent = runs.slice(at, at + CHUNK).filter(({ count }) => count >= top.leastCount);
      for (const one of await withWholeValues(source, index, frequent)) {
        if (one.value.subarray(0, prefix.length).equals(prefix)) top.add(one);
      }
    }
  }
  return top.sorted();
}

/** The entries of objects with a value; a longer prefix than keys hold leaves some of others in. */
function rangeOf(index: TableIndex, prefix: Buffer): KeyRange {
  if (prefix.length === 0) {
    return { start: entriesWith(index.id, index.keyType, undefined).end, end: entriesOf(index.id).end };
  }
  return entriesStartingWith(index.id, prefix.subarray(0, VALUE_BYTES_MAX)) ?? entriesOf(index.id);
}

/** Values that were cut in the keys are read from an index record of an object that has them. */
async function withWholeValues(
  { view, table, stats }: FacetSource,
  index: TableIndex,
  runs: readonly CountedRun[],
): Promise<CountedValue[]> {
  const cut = runs.filter(({ prefix }) => isCut(prefix, index.keyType));
  const records = await readIndexRecords(
    view.snapshot,
    table,
    cut.map(({ id }) => id),
  );
  stats.records += records.length;
  const whole = new Map<CountedRun, Buffer | undefined>();
  for (const [i, run] of cut.entries()) {
    const values = records[i]?.values.get(index.id) ?? [];
    const value = values.find((one) => entryPrefix(index.id, index.keyType, one).equals(run.prefix));
    // A copy, because the record's memory is larger.
    whole.set(run, value && Buffer.from(value));
  }
  return runs.flatMap((run) => {
    const value = whole.has(run) ? whole.get(run) : valueOfRun(run.prefix, index.keyType);
    return value === undefined ? [] : [{ value, count: run.count, id: run.id }];
  });
}
