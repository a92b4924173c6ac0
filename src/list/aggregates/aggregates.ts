import { countYielding, Yielder } from '../../lib/work/yield.js';
import type { Aggregate, Grouping } from '../../query/counts/aggregates.js';
import type { FacetValue } from '../facets/json-values.js';
import { TopValues } from '../facets/top-values.js';
import type { IdSet } from '../filter/id-set.js';
import { CHUNK } from '../../store/index/scan.js';
import { type ListScope, ReadStats } from '../scope.js';
import { ColumnExtremes, ColumnSums } from './accumulators.js';
import type { FieldColumn } from './column.js';
import { type ColumnOf, type ColumnSource, readColumns } from './read-columns.js';
import { type Accumulator, Groups } from './groups.js';

/** The matches that have the same values in some fields. */
export interface ListGroup {
  /** The value of each field of `groupBy`, as in the objects' JSON; null for objects without one. */
  readonly key: Readonly<Record<string, FacetValue | null>>;
  /** Number of matches. */
  readonly count: number;
  /** Results of functions, such as `sum(spec.cost)`; null without values. Large integers are texts of digits. */
  readonly [call: `${Aggregate['function']}(${string})`]: FacetValue | null;
}

export interface ListGroups {
  /** The groups with the most objects first, ties in the order of the indexes, null last. */
  readonly groups: readonly ListGroup[];
  /** Number of all groups. */
  readonly groupsTotal: number;
}

/** A member of groups. */
interface Member {
  readonly name: string;
  /** The values for groups, in their order. */
  values(groups: readonly number[]): Promise<readonly (FacetValue | null)[]>;
}

/** Groups all matches, and calculates the functions for each group. */
export async function aggregate(
  source: ColumnSource & { readonly total: number },
  { groupBy, aggregates, limit }: Grouping,
): Promise<ListGroups> {
  const { scope, total } = source;
  const fields = [...groupBy, ...aggregates.map(({ field }) => field)];
  if (fields.length === 0) return { groups: [{ key: {}, count: total }], groupsTotal: 1 };
  const ids = source.matches ?? (await everyId(source));
  const columnOf = await readColumns({ ...source, matches: ids }, fields);
  const columns = groupBy.map(columnOf);
  const calls = getCalls(scope, aggregates, columnOf);
  const groups = new Groups(columns, [...new Set(calls.map(({ accumulator }) => accumulator))]);
  await fill(groups, ids, scope);
  const isOne = groupBy.length === 0;
  const shown = isOne ? [0] : await getTop(groups, limit, scope);
  const keys = columns.map((column, depth): Member => {
    const values: Member['values'] = (some) =>
      column.json(
        scope,
        some.map((group) => groups.value(group, depth)),
      );
    return { name: groupBy[depth]?.name ?? '', values };
  });
  const [keyOf, resultsOf] = [await readMembers(keys, shown), await readMembers(calls, shown)];
  const rows = shown.map((group, i) => ({ key: keyOf(i), count: groups.count(group), ...resultsOf(i) }));
  return { groups: rows, groupsTotal: isOne ? 1 : groups.size };
}

/** The ids of all objects. Their reads are not those of a condition of the list. */
async function everyId({ scope, known }: ColumnSource): Promise<IdSet> {
  const stats = new ReadStats(scope.stats.work);
  const ids = await known.matches({ ...scope, stats }, { op: 'all' });
  scope.stats.entries += stats.entries;
  return ids;
}

function getCalls(
  scope: ListScope,
  aggregates: readonly Aggregate[],
  columnOf: ColumnOf,
): (Member & { readonly accumulator: Accumulator })[] {
  const allSums = new Map<FieldColumn, ColumnSums>();
  return aggregates.map(({ name, function: called, field }) => {
    const column = columnOf(field);
    if (called === 'min' || called === 'max') {
      const accumulator = new ColumnExtremes(column, called === 'max' ? 1 : -1);
      return {
        name,
        accumulator,
        values: (groups) =>
          column.json(
            scope,
            groups.map((group) => accumulator.value(group)),
          ),
      };
    }
    const sums = allSums.get(column) ?? new ColumnSums(column);
    allSums.set(column, sums);
    const values: Member['values'] = async (groups) => {
      const results: (FacetValue | null)[] = [];
      const calculate = (group = 0): unknown =>
        results.push(called === 'sum' ? sums.sum(group) : sums.average(group));
      await countYielding(groups.length, (i) => calculate(groups[i]), scope.stats.work);
      return results;
    };
    return { name, accumulator: sums, values };
  });
}

async function fill(groups: Groups, ids: IdSet, { stats }: ListScope): Promise<void> {
  const yielder = new Yielder(stats.work);
  for (const part of ids.parts())
    for (let at = 0; at < part.length; at += CHUNK) {
      groups.add(part.subarray(at, at + CHUNK));
      if (yielder.isDue) await yielder.take();
    }
}

async function getTop(groups: Groups, limit: number, { stats }: ListScope): Promise<readonly number[]> {
  const top = new TopValues<number>(limit, groups.compare);
  await countYielding(groups.size, (group) => top.add(group), stats.work);
  return top.sorted();
}

/** Reads the values for groups; returns a function that selects those of one group, by its place. */
async function readMembers(
  members: readonly Member[],
  groups: readonly number[],
): Promise<(place: number) => Record<string, FacetValue | null>> {
  const read: (readonly [string, readonly (FacetValue | null)[]])[] = [];
  for (const member of members) read.push([member.name, await member.values(groups)]);
  return (place) => Object.fromEntries(read.map(([name, values]) => [name, values[place] ?? null]));
}
