import { yieldBetween } from '../lib/work/yield.js';
import { walkNames } from '../store/index/names.js';
import { CHUNK } from '../store/index/scan.js';
import type { BoundCondition } from '../query/bound-condition.js';
import type { Grouping } from '../query/counts/aggregates.js';
import type { FacetField } from '../query/counts/facets.js';
import type { TableIndex } from '../store/table.js';
import { aggregate, type ListGroups } from './aggregates/aggregates.js';
import { ListCaches } from './cache.js';
import { IdSet } from './filter/id-set.js';
import { countFacet, type FacetCount } from './facets/facets.js';
import { type WalkOrder, walkIndex } from './index-scan.js';
import { readSortEntries, type SortPosition } from './sort-position.js';
import { RankCache } from './order/rank-cache.js';
import { sortGroups } from './order/sort-groups.js';
import { sortByRecords, sortFields } from './order/sort-rows.js';
import { sortWithin } from './order/sort-within.js';
import {
  findRanks,
  leadingWalk,
  namePrefix,
  type Plan,
  getPlan,
  type ListProgress,
  shouldSortWhole,
  walkCost,
  wanted,
  withoutIdleOrders,
  getFields,
  isRanked,
  type PlannedQuery,
} from './plan.js';
import { type ListSource, ReadStats } from './scope.js';
import { basisIn, byRelevance, relevancePosition } from './search/relevance.js';

export interface ListAnswer {
  /** Exact number of all matches. */
  readonly total: number;
  readonly plan: Plan;
  /** Counts of reads; they grow while the ids are consumed. */
  readonly stats: ReadStats;
  /**
   * The wanted matches' ids, in order, in chunks: already read for a page, otherwise read while they are consumed.
   */
  readonly ids: AsyncIterable<readonly number[]> | readonly (readonly number[])[];
  /**
   * Least number of index entries and records that are read while the ids are consumed. Reads that are repeated to
   * save memory count once.
   */
  readonly entriesLeft: number;
  /** The position of an object of the list in its order. */
  position(id: number): Promise<SortPosition>;
  /** The most frequent values of a field among all matches, at most `most`. */
  facet(field: FacetField, most: number): Promise<FacetCount[]>;
  /** The groups of all matches, and the results of functions for each. */
  aggregate(grouping: Grouping): Promise<ListGroups>;
}

/**
 * Answers a list from one snapshot. Filters and sorts read only index entries and index records, not objects. The
 * plan changes the number of reads, never the answer. The view must stay open until the ids are consumed.
 */
export async function list(
  source: ListSource,
  asked: PlannedQuery,
  derived: ListCaches,
): Promise<ListAnswer> {
  const { objects, revision } = await source.view.count(source.table);
  const { scope, known } = await derived.scope(source, revision);
  const query: PlannedQuery = { ...asked, order: withoutIdleOrders(asked.order) };
  const basis = isRanked({ query }) ? basisIn(query.after) : undefined;
  const texts = query.search && (await known.search(scope, query.search.text, { objects, basis }));
  const isAll = query.condition.op === 'all';
  const matches = isAll ? texts?.set : await known.matches(scope, query.condition, texts?.set);
  const total = matches?.size ?? objects;
  const progress: ListProgress = { scope, known, query, objects, matches, texts, total };
  const ranks = findRanks(progress);
  const plan = getPlan(progress, ranks);
  scope.stats.begin({ for: 'order' });
  const ids = isPage(query) ? [await pageOf(progress, plan, ranks)] : run(progress, plan, ranks);
  const facet: ListAnswer['facet'] = (field, most) => countFacet(progress, field, most);
  const entriesLeft = isPage(query) ? 0 : leastEntries(progress, plan);
  const groups: ListAnswer['aggregate'] = (grouping) => aggregate(progress, grouping);
  const position: ListAnswer['position'] = (id) => positionOf(progress, id);
  return { total, plan, stats: scope.stats, ids, entriesLeft, facet, aggregate: groups, position };
}

/** Ids of the objects that meet a condition. The set must not be changed. */
export async function findMatches(
  source: ListSource,
  condition: BoundCondition,
  derived: ListCaches,
): Promise<IdSet> {
  const { revision } = await source.view.count(source.table);
  const { scope, known } = await derived.scope(source, revision);
  return known.matches(scope, condition);
}

function run(progress: ListProgress, plan: Plan, ranks: RankCache | undefined): AsyncGenerator<number[]> {
  const { query, total } = progress;
  if (total === 0 || query.limit <= 0 || query.offset >= total) return nothing();
  if (plan.method === 'relevance') return slice(ranked(progress), progress);
  if (plan.method === 'ranks' && ranks !== undefined) return fromRanks(progress, ranks);
  if (plan.method === 'walk' && plan.order !== undefined) return slice(walk(progress, plan.order), progress);
  return slice(sorted(progress), progress);
}

function leastEntries(progress: ListProgress, { method }: Plan): number {
  const { query, objects, total } = progress;
  if (total === 0 || query.limit <= 0 || query.offset >= total) return 0;
  if (method === 'ranks' || method === 'relevance') return 0;
  if (method === 'walk') return Math.ceil(walkCost(progress));
  const fields = getFields(progress.scope.table, query.order);
  // The sort walks the index of each field, and the names.
  return shouldSortWhole(progress, fields) ? objects * (fields.length + 1) : total;
}

/** True when the limit is small enough to find all ids at once. */
function isPage({ limit }: PlannedQuery): boolean {
  return limit <= CHUNK;
}

/** The result of {@link run}, without the cost of separate steps. */
async function pageOf(progress: ListProgress, plan: Plan, ranks: RankCache | undefined): Promise<number[]> {
  const { query, total } = progress;
  const ids: number[] = [];
  if (total === 0 || query.limit <= 0 || query.offset >= total) return ids;
  if (plan.method !== 'walk' || plan.order === undefined || walkCost(progress) > CHUNK) {
    for await (const chunk of run(progress, plan, ranks)) ids.push(...chunk);
    return ids;
  }
  let skip = query.offset;
  for await (const some of walk(progress, plan.order)) {
    progress.scope.stats.work.check();
    for (const id of some) {
      if (skip > 0) skip--;
      else if (ids.push(id) === query.limit) return ids;
    }
  }
  return ids;
}

async function* nothing(): AsyncGenerator<number[]> {
  // Without matches there are no chunks.
}

async function* slice(
  chunks: AsyncIterable<number[]>,
  { query, scope }: ListProgress,
): AsyncGenerator<number[]> {
  const { work } = scope.stats;
  let skip = query.offset;
  let left = query.limit;
  for await (const some of yieldBetween(chunks, work)) {
    const wantedIds = some.slice(skip, skip + left);
    skip = Math.max(0, skip - some.length);
    if (wantedIds.length === 0) continue;
    left -= wantedIds.length;
    yield wantedIds;
    if (left <= 0) return;
  }
}

async function* fromRanks({ query, matches }: ListProgress, ranks: RankCache): AsyncGenerator<number[]> {
  const end = query.offset + query.limit;
  const ids =
    matches === undefined ? ranks.slice(query.offset, end) : ranks.getSlice(matches, query.offset, end);
  for (let at = 0; at < ids.length; at += CHUNK) yield ids.slice(at, at + CHUNK);
}

function walk(
  progress: ListProgress,
  { index, direction }: WalkOrder,
  anyTieOrder = false,
): AsyncGenerator<number[]> {
  const { scope, matches } = progress;
  const options = {
    direction,
    first: Math.ceil(walkCost(progress)),
    objects: progress.objects,
    offset: progress.query.offset,
    anyTieOrder,
    idsOfValue:
      index === undefined || index.multi
        ? undefined
        : (value: Buffer | undefined) => getIds(progress, index, value),
    after: progress.query.after,
    prefix: index === undefined ? namePrefix(progress.query) : undefined,
    onRead: (pairs: number) => scope.stats.addEntries(pairs),
    ...(matches === undefined ? {} : { skips: (id: number) => !matches.has(id) }),
  };
  return index === undefined
    ? walkNames(scope.view.snapshot, scope.table, options)
    : walkIndex(scope.view.snapshot, scope.table, index, options);
}

/** The matches with a value in an index, or without one. */
async function getIds(
  { scope, known, matches }: ListProgress,
  index: TableIndex,
  value: Buffer | undefined,
): Promise<IdSet> {
  const position = scope.table.indexes.indexOf(index);
  const condition: BoundCondition =
    value === undefined ? { op: 'isNull', index: position } : { op: 'in', index: position, values: [value] };
  // These reads are not part of the query's own conditions.
  const stats = new ReadStats(scope.stats.work);
  const set = await known.matches({ ...scope, stats }, condition);
  scope.stats.entries += stats.entries;
  return matches === undefined ? set : set.and(matches);
}

function sorted(progress: ListProgress): AsyncGenerator<number[]> {
  const { query, scope, known, objects, matches } = progress;
  const fields = getFields(scope.table, query.order);
  const input = { scope, objects, set: matches };
  if (shouldSortWhole(progress, fields)) {
    const all = (): Promise<IdSet> => known.matches(scope, { op: 'all' });
    const { inMemorySortMax, sortWindowMax } = known;
    return sortWithin({ ...input, all, inMemorySortMax, sortWindowMax }, fields, query.after);
  }
  const lead = leadingWalk(progress);
  return lead === undefined
    ? sortByRecords(input, fields, wanted(progress), query.after)
    : sortGroups({ scope, fields, most: wanted(progress), after: query.after }, (after) =>
        walk({ ...progress, query: { ...query, after } }, lead, true),
      );
}

/** By relevance. */
function ranked(progress: ListProgress): AsyncGenerator<number[]> {
  const { scope, matches: among, texts, objects, query } = progress;
  if (texts === undefined) return nothing();
  return byRelevance({ scope, texts, among, objects, most: wanted(progress), after: query.after });
}

/** The position of an object in the order of a list; without keys when the object does not exist. */
async function positionOf({ scope, query, texts }: ListProgress, id: number): Promise<SortPosition> {
  const { view, table } = scope;
  const fields = sortFields(getFields(table, query.order));
  const [entry] = await readSortEntries(view.snapshot, table, [id], fields);
  const { name, keys } = entry ?? { name: '', keys: [] };
  return texts !== undefined && isRanked({ query }) ? relevancePosition(texts, id, name) : { name, keys };
}
