import { yieldBetween } from '../lib/yield.js';
import { indexRecordKey } from '../store/keys.js';
import { CHUNK } from '../store/scan.js';
import type { ReadView } from '../store/store.js';
import type { Table } from '../store/table.js';
import { ListCaches } from './cache.js';
import { IdSet } from './filter/id-set.js';
import {
  type ObjectRef,
  type WalkOrder,
  sortEntryOf,
  type SortPosition,
  walkIndex,
  walkNames,
} from './index-scan.js';
import { RankCache } from './order/rank-cache.js';
import { sortGroups } from './order/sort-groups.js';
import { sortByRecords, sortFields } from './order/sort-rows.js';
import { sortWithin } from './order/sort-within.js';
import {
  findRanks,
  leadingWalk,
  type Order,
  type Plan,
  planOf,
  type Search,
  shouldSortWhole,
  walkCost,
  wanted,
  withoutIdleOrders,
  fieldsOf,
  type ListQuery,
} from './plan.js';
import { readNames, type ReadStats } from './scope.js';

export interface ListAnswer {
  /** Exact number of all matches. */
  readonly total: number;
  readonly plan: Plan;
  /** What was read; grows while the names are consumed. */
  readonly stats: ReadStats;
  /** The wanted matches' names, in order, in chunks: those of a page, or read while they are consumed. */
  readonly names: AsyncIterable<readonly string[]> | readonly (readonly string[])[];
}

/**
 * Answers a list from one snapshot. No object is read to filter or to sort: both look at index entries and index records
 * only. The plan changes how much is read, never the answer. The view must stay open until the names are consumed.
 */
export async function list(
  view: ReadView,
  table: Table,
  asked: ListQuery,
  derived: ListCaches,
): Promise<ListAnswer> {
  const { objects, revision } = await view.count(table);
  const { scope, known } = await derived.scope(view, table, revision);
  const query: ListQuery = { ...asked, order: withoutIdleOrders(asked.order) };
  const isAll = query.condition.op === 'all';
  const matches = isAll ? undefined : await known.matches(scope, query.condition);
  const total = matches?.size ?? objects;
  const search: Search = { scope, known, query, objects, matches, total };
  const ranks = findRanks(search);
  const plan = planOf(search, ranks);
  const names = isPage(query) ? [await pageOf(search, plan, ranks)] : run(search, plan, ranks);
  return { total, plan, stats: scope.stats, names };
}

function run(search: Search, plan: Plan, ranks: RankCache | undefined): AsyncGenerator<string[]> {
  const { query, total } = search;
  if (total === 0 || query.limit <= 0 || query.offset >= total) return nothing();
  if (plan.method === 'ranks' && ranks !== undefined) return fromRanks(search, ranks);
  if (plan.method === 'walk' && plan.order !== undefined) return slice(walk(search, plan.order), query);
  return slice(sorted(search), query);
}

/** Whether so little is wanted that it is found at once. */
function isPage({ limit }: ListQuery): boolean {
  return limit <= CHUNK;
}

/** What {@link run} would give, without the cost of doing it step by step. */
async function pageOf(search: Search, plan: Plan, ranks: RankCache | undefined): Promise<string[]> {
  const { query, total } = search;
  const names: string[] = [];
  if (total === 0 || query.limit <= 0 || query.offset >= total) return names;
  if (plan.method !== 'walk' || plan.order === undefined || walkCost(search) > CHUNK) {
    for await (const chunk of run(search, plan, ranks)) names.push(...chunk);
    return names;
  }
  let skip = query.offset;
  for await (const refs of walk(search, plan.order)) {
    for (const { name } of refs) {
      if (skip > 0) skip--;
      else if (names.push(name) === query.limit) return names;
    }
  }
  return names;
}

async function* nothing(): AsyncGenerator<string[]> {
  // No match, no chunk.
}

async function* slice(chunks: AsyncIterable<ObjectRef[]>, query: ListQuery): AsyncGenerator<string[]> {
  let skip = query.offset;
  let left = query.limit;
  for await (const refs of yieldBetween(chunks)) {
    const wantedRefs = refs.slice(skip, skip + left);
    skip = Math.max(0, skip - refs.length);
    if (wantedRefs.length === 0) continue;
    left -= wantedRefs.length;
    yield wantedRefs.map((ref) => ref.name);
    if (left <= 0) return;
  }
}

async function* fromRanks({ scope, query, matches }: Search, ranks: RankCache): AsyncGenerator<string[]> {
  const end = query.offset + query.limit;
  const ids =
    matches === undefined ? ranks.slice(query.offset, end) : ranks.sliceOf(matches, query.offset, end);
  for (let at = 0; at < ids.length; at += CHUNK) yield readNames(scope, ids.slice(at, at + CHUNK));
}

function walk(search: Search, { index, direction }: WalkOrder): AsyncGenerator<ObjectRef[]> {
  const { scope, matches } = search;
  const options = {
    direction,
    first: Math.ceil(walkCost(search)),
    after: search.query.after,
    onRead: (pairs: number) => void (scope.stats.entries += pairs),
    ...(matches === undefined ? {} : { skips: (id: number) => !matches.has(id) }),
  };
  return index === undefined
    ? walkNames(scope.view.snapshot, scope.table, options)
    : walkIndex(scope.view.snapshot, scope.table, index, options);
}

function sorted(search: Search): AsyncGenerator<ObjectRef[]> {
  const { query, scope, known, objects, matches } = search;
  const fields = fieldsOf(scope.table, query.order);
  const input = { scope, objects, set: matches };
  if (shouldSortWhole(search, fields)) {
    const all = (): Promise<IdSet> => known.matches(scope, { op: 'all' });
    const { inMemorySortMax, sortWindowMax } = known;
    return sortWithin({ ...input, all, inMemorySortMax, sortWindowMax }, fields, query.after);
  }
  const lead = leadingWalk(search);
  return lead === undefined
    ? sortByRecords(input, fields, wanted(search), query.after)
    : sortGroups({ scope, fields, most: wanted(search), after: query.after }, (after) =>
        walk({ ...search, query: { ...query, after } }, lead),
      );
}

/** What places an object in an order; without keys when there is no such object. */
export async function positionOf(
  view: ReadView,
  table: Table,
  order: readonly Order[],
  name: string,
): Promise<SortPosition> {
  const fields = sortFields(fieldsOf(table, withoutIdleOrders(order)));
  const row = await view.snapshot.get(indexRecordKey(table.modelId, name));
  return sortEntryOf({ id: 0, name }, row, fields);
}
