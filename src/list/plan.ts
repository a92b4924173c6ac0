import type { BoundCondition } from '../query/bound-condition.js';
import { NAME } from '../query/fields.js';
import type { SearchText } from '../query/search/search-text.js';
import type { Direction } from '../store/index/scan.js';
import type { Table } from '../store/table.js';
import type { TableListCache } from './cache.js';
import type { IdSet } from './filter/id-set.js';
import type { WalkOrder } from './index-scan.js';
import type { SortPosition } from './sort-position.js';
import type { RankCache } from './order/rank-cache.js';
import { RECORD_COST, shouldSortRecords } from './order/sort-within.js';
import type { ListScope } from './scope.js';
import type { TextMatches } from './search/text-matches.js';

/**
 * One field of the order of a list; names ascending break all ties. `index` is a position in the table, or `NAME`.
 */
export interface ListOrder {
  readonly index: number;
  readonly direction: Direction;
}

export interface PlannedSearch {
  readonly text: SearchText;
  /** True when the scores of the matches are their order; then the list has no other one. */
  readonly isRanked: boolean;
}

export interface PlannedQuery {
  readonly condition: BoundCondition;
  readonly order: readonly ListOrder[];
  /** Undefined without a search. */
  readonly search?: PlannedSearch | undefined;
  /** The list begins after this position; then `offset` is 0. */
  readonly after?: SortPosition | undefined;
  /** Matches before the first one wanted. */
  readonly offset: number;
  /** Most wanted matches; `Infinity` for all. */
  readonly limit: number;
}

/**
 * The way to find the wanted matches. `walk`: along the index of the order (or the names), skipping objects that do
 * not match. `ranks`: from the rank cache of the order. `sort`: by reading and sorting the matches' index records.
 * `relevance`: by the scores of a search.
 */
export type ListMethod = 'walk' | 'ranks' | 'sort' | 'relevance';

/** The plan of a list. Costs are in index entries to read, or in work of the same cost. */
export interface Plan {
  readonly method: ListMethod;
  /** The index that provides the order; undefined for the names. */
  readonly order: WalkOrder | undefined;
  readonly matches: number;
  readonly costs: Readonly<Partial<Record<ListMethod, number>>>;
}

export interface ListProgress {
  readonly scope: ListScope;
  readonly known: TableListCache;
  readonly query: PlannedQuery;
  /** Number of the model's objects. */
  readonly objects: number;
  /** Undefined when all objects match. */
  readonly matches: IdSet | undefined;
  /** The matches of the search; undefined without one. */
  readonly texts: TextMatches | undefined;
  readonly total: number;
}

/** Cost of taking an object from a rank cache, in index entries. */
const RANK_COST = 0.02;
/** A page whose cost times this is below `cacheThresholdEntries` does not use a rank cache. */
const CHEAP = 20;

/** Drops fields without effect: names ascending break ties anyway, and names are unique. */
export function withoutIdleOrders(order: readonly ListOrder[]): readonly ListOrder[] {
  const name = order.findIndex(({ index }) => index === NAME);
  if (name < 0) return order;
  return order.slice(0, order[name]?.direction === 'asc' ? name : name + 1);
}

/** The wanted order as a walk; undefined when matches must be sorted. */
function walkOrder({ query, scope }: ListProgress): WalkOrder | undefined {
  const [first, ...more] = query.order;
  if (first === undefined) return { index: undefined, direction: 'asc' };
  if (more.length > 0) return undefined;
  if (first.index === NAME) return { index: undefined, direction: first.direction };
  const index = scope.table.indexes[first.index];
  return index === undefined || index.sparse ? undefined : { index, direction: first.direction };
}

/** Matches to find, from the first one, until the page is full. */
export function wanted({ query, total }: ListProgress): number {
  return Math.min(query.offset + query.limit, total);
}

export function walkCost(progress: ListProgress): number {
  const { query, objects, total } = progress;
  if (total === 0) return 0;
  // The walk by name ends with the names of the matches.
  const order = walkOrder(progress);
  const isByName = order !== undefined && order.index === undefined;
  const isPrefix = query.search === undefined && query.condition.op === 'prefix';
  if (isByName && isPrefix && query.condition.index === NAME) return wanted(progress);
  return Math.min(objects, (wanted(progress) * objects) / total);
}

/** The start of the names of all matches; undefined when the condition names none. */
export function namePrefix({ condition }: PlannedQuery): string | undefined {
  const parts = condition.op === 'and' ? condition.of : [condition];
  for (const part of parts) if (part.op === 'prefix' && part.index === NAME) return part.prefix.toString();
  return undefined;
}

export function findRanks(progress: ListProgress): RankCache | undefined {
  const order = isRanked(progress) ? undefined : walkOrder(progress);
  // A list of all matches, or one after a position, gains nothing from a rank cache.
  const { limit, after } = progress.query;
  if (order === undefined || limit === Infinity || after !== undefined) return undefined;
  if (walkCost(progress) * CHEAP < progress.known.cacheThresholdEntries) return undefined;
  return progress.known.findRanks(progress.scope, order);
}

export function isRanked({ query }: Pick<ListProgress, 'query'>): boolean {
  return query.search?.isRanked === true;
}

function relevancePlan({ total }: ListProgress): Plan {
  return { method: 'relevance', order: undefined, matches: total, costs: { relevance: total * RANK_COST } };
}

export function getPlan(progress: ListProgress, ranks: RankCache | undefined): Plan {
  if (isRanked(progress)) return relevancePlan(progress);
  const order = walkOrder(progress);
  const costs: Partial<Record<ListMethod, number>> = { sort: progress.total * RECORD_COST };
  if (order !== undefined) costs.walk = walkCost(progress);
  if (ranks !== undefined) costs.ranks = Math.max(progress.total, walkCost(progress)) * RANK_COST;
  let method: ListMethod = 'sort';
  for (const other of ['walk', 'ranks'] as const) {
    if ((costs[other] ?? Infinity) < (costs[method] ?? Infinity)) method = other;
  }
  const { limit, after } = progress.query;
  const isExpensive =
    (costs[method] ?? 0) > progress.known.cacheThresholdEntries && limit !== Infinity && after === undefined;
  if (isExpensive && order !== undefined && ranks === undefined) {
    progress.known.wantRanks(progress.scope.table, order);
  }
  return { method, order, matches: progress.total, costs };
}

/** True when sorting all matches without their index records costs less than sorting the wanted ones with them. */
export function shouldSortWhole(progress: ListProgress, fields: readonly WalkOrder[]): boolean {
  const { query, objects, total, known } = progress;
  const [first, second] = fields;
  if (first?.index?.sparse === true && second === undefined && total * RECORD_COST > objects) return true;
  if (query.limit === Infinity) return !shouldSortRecords(total, objects, fields, known.inMemorySortMax);
  return wanted(progress) > known.inMemorySortMax && wanted(progress) * RECORD_COST > objects * fields.length;
}

/** Beyond this multiple of `cacheThresholdEntries`, matches are not sorted all at once in memory. */
const GROUPS_THRESHOLD_FACTOR = 5;

/**
 * The walk by the most significant field, when other fields follow: then only objects that are equal in it must be in
 * memory at a time. Undefined when that field cannot be walked, or for few matches.
 */
export function leadingWalk({ query, scope, known, total }: ListProgress): WalkOrder | undefined {
  const [first, second] = query.order;
  if (first === undefined || second === undefined || first.index === NAME) return undefined;
  const index = scope.table.indexes[first.index];
  if (index === undefined || index.sparse || total <= known.cacheThresholdEntries * GROUPS_THRESHOLD_FACTOR)
    return undefined;
  return { index, direction: first.direction };
}

export function getFields(table: Table, order: readonly ListOrder[]): WalkOrder[] {
  return order.flatMap(({ index: position, direction }) => {
    const index = table.indexes[position];
    return index !== undefined || position === NAME ? [{ index, direction }] : [];
  });
}
