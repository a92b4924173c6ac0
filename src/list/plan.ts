import type { BoundCondition } from '../query/bound.js';
import { NAME } from '../query/fields.js';
import type { Direction } from '../store/index/scan.js';
import type { Table } from '../store/table.js';
import type { TableListCache } from './cache.js';
import type { IdSet } from './filter/id-set.js';
import type { WalkOrder } from './index-scan.js';
import type { SortPosition } from './sort-position.js';
import type { RankCache } from './order/rank-cache.js';
import { RECORD_COST, shouldSortRecords } from './order/sort-within.js';
import type { Scope } from './scope.js';

/** How a list is ordered; names ascending break all ties. `index` is a position in the table, or `NAME`. */
export interface Order {
  readonly index: number;
  readonly direction: Direction;
}

export interface ListQuery {
  readonly condition: BoundCondition;
  readonly order: readonly Order[];
  /** Begin after this place; then `offset` is 0. */
  readonly after?: SortPosition | undefined;
  /** Matches before the first one wanted. */
  readonly offset: number;
  /** Most matches wanted; `Infinity` for all. */
  readonly limit: number;
}

/**
 * How the wanted matches are found. `walk`: along the order's own index (or the names), leaving out what does not
 * match. `rank cache`: picked from the order, which is in memory. `sort`: the matches' index records are read and ordered.
 */
export type Method = 'walk' | 'ranks' | 'sort';

/** How a list is answered. Costs are in index entries to read, or work worth as much. */
export interface Plan {
  readonly method: Method;
  /** The index that gives the order; undefined for the names. */
  readonly order: WalkOrder | undefined;
  readonly matches: number;
  readonly costs: Readonly<Partial<Record<Method, number>>>;
}

/** A list that is being answered. */
export interface Search {
  readonly scope: Scope;
  readonly known: TableListCache;
  readonly query: ListQuery;
  /** Number of the model's objects. */
  readonly objects: number;
  /** Undefined when all objects match. */
  readonly matches: IdSet | undefined;
  readonly total: number;
}

/** Taking an object from a rank cache, likewise. */
const RANK_COST = 0.02;
/** A page that is this much cheaper than what a rank cache is read for does well without one. */
const CHEAP = 20;

/** Names ascending break every tie by themselves, and nothing can come after a name. */
export function withoutIdleOrders(order: readonly Order[]): readonly Order[] {
  const name = order.findIndex(({ index }) => index === NAME);
  if (name < 0) return order;
  return order.slice(0, order[name]?.direction === 'asc' ? name : name + 1);
}

/** The wanted order as a walk; undefined when matches have to be sorted. */
function walkOrder({ query, scope }: Search): WalkOrder | undefined {
  const [first, ...more] = query.order;
  if (first === undefined) return { index: undefined, direction: 'asc' };
  if (more.length > 0) return undefined;
  if (first.index === NAME) return { index: undefined, direction: first.direction };
  const index = scope.table.indexes[first.index];
  return index === undefined || index.sparse ? undefined : { index, direction: first.direction };
}

/** Matches to find, from the first, until the page is full. */
export function wanted({ query, total }: Search): number {
  return Math.min(query.offset + query.limit, total);
}

export function walkCost(search: Search): number {
  const { objects, total } = search;
  return total === 0 ? 0 : Math.min(objects, (wanted(search) * objects) / total);
}

export function findRanks(search: Search): RankCache | undefined {
  const order = walkOrder(search);
  // Who wants everything reads everything; a rank cache would only be in the way.
  const { limit, after } = search.query;
  if (order === undefined || limit === Infinity || after !== undefined) return undefined;
  if (walkCost(search) * CHEAP < search.known.cacheThresholdEntries) return undefined;
  return search.known.findRanks(search.scope, order);
}

export function getPlan(search: Search, ranks: RankCache | undefined): Plan {
  const order = walkOrder(search);
  const costs: Partial<Record<Method, number>> = { sort: search.total * RECORD_COST };
  if (order !== undefined) costs.walk = walkCost(search);
  if (ranks !== undefined) costs.ranks = Math.max(search.total, walkCost(search)) * RANK_COST;
  let method: Method = 'sort';
  for (const other of ['walk', 'ranks'] as const) {
    if ((costs[other] ?? Infinity) < (costs[method] ?? Infinity)) method = other;
  }
  const { limit, after } = search.query;
  const isExpensive =
    (costs[method] ?? 0) > search.known.cacheThresholdEntries && limit !== Infinity && after === undefined;
  if (isExpensive && order !== undefined && ranks === undefined) {
    search.known.wantRanks(search.scope.table, order);
  }
  return { method, order, matches: search.total, costs };
}

/** Whether putting all matches in order, without their index records, costs less than what is wanted with its index records. */
export function shouldSortWhole(search: Search, fields: readonly WalkOrder[]): boolean {
  const { query, objects, total, known } = search;
  const [first, second] = fields;
  if (first?.index?.sparse === true && second === undefined && total * RECORD_COST > objects) return true;
  if (query.limit === Infinity) return !shouldSortRecords(total, objects, fields, known.inMemorySortMax);
  return wanted(search) > known.inMemorySortMax && wanted(search) * RECORD_COST > objects * fields.length;
}

/** More matches than so many times the worth of a rank cache are not all held to put them in order. */
const GROUPS_THRESHOLD_FACTOR = 5;

/**
 * The walk by the most significant field, when others follow: then only objects that are the same in it have to be
 * held at a time. Undefined when that field cannot be walked, or the matches are few.
 */
export function leadingWalk({ query, scope, known, total }: Search): WalkOrder | undefined {
  const [first, second] = query.order;
  if (first === undefined || second === undefined || first.index === NAME) return undefined;
  const index = scope.table.indexes[first.index];
  if (index === undefined || index.sparse || total <= known.cacheThresholdEntries * GROUPS_THRESHOLD_FACTOR)
    return undefined;
  return { index, direction: first.direction };
}

/** The fields of an order that objects are put in order by. */
export function getFields(table: Table, order: readonly Order[]): WalkOrder[] {
  return order.flatMap(({ index: position, direction }) => {
    const index = table.indexes[position];
    return index !== undefined || position === NAME ? [{ index, direction }] : [];
  });
}
