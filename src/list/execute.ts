import type { IdSet } from './filter/id-set.js';
import type { BoundCondition } from '../query/bound.js';
import { NAME } from '../query/fields.js';
import type { Derived, TableDerived, WalkOrder } from './cache.js';
import { rowKey } from '../store/keys.js';
import { readNames, type ReadStats, type Scope } from './filter/set-cache.js';
import type { OrderColumn } from './order/rank-cache.js';
import { comparePlaces, rowOrder, sortByRows } from './order/sort-rows.js';
import { isWorthRows, ROW_COST, sortWithin } from './order/sort-within.js';
import { SortedRuns } from './order/merge.js';
import type { ReadView } from '../store/store.js';
import type { Table } from '../store/table.js';
import {
  CHUNK,
  keyed,
  paced,
  readKeyed,
  walkIndex,
  walkNames,
  type Direction,
  type KeyedSpot,
  type Place,
  type Spot,
} from './index-scan.js';

/** How a list is ordered; names ascending break all ties. `index` is a position in the table, or `NAME`. */
export interface Order {
  readonly index: number;
  readonly direction: Direction;
}

export interface ListQuery {
  readonly condition: BoundCondition;
  readonly order: readonly Order[];
  /** Begin after this place; then `offset` is 0. */
  readonly after?: Place | undefined;
  /** Matches before the first one wanted. */
  readonly offset: number;
  /** Most matches wanted; `Infinity` for all. */
  readonly limit: number;
}

/**
 * How the wanted matches are found. `walk`: along the order's own index (or the names), leaving out what does not
 * match. `column`: picked from the order, which is in memory. `sort`: the matches' rows are read and ordered.
 */
export type Method = 'walk' | 'column' | 'sort';

/** How a list is answered. Costs are in index entries to read, or work worth as much. */
export interface Plan {
  readonly method: Method;
  /** The index that gives the order; undefined for the names. */
  readonly order: WalkOrder | undefined;
  readonly matches: number;
  readonly costs: Readonly<Partial<Record<Method, number>>>;
}

export interface ListAnswer {
  /** Exact number of all matches. */
  readonly total: number;
  readonly plan: Plan;
  /** What was read; grows while the names are consumed. */
  readonly stats: ReadStats;
  /** The wanted matches' names, in order, in chunks: those of a page, or read while they are consumed. */
  readonly names: AsyncIterable<readonly string[]> | readonly (readonly string[])[];
}

/** Taking an object from a column, likewise. */
const COLUMN_COST = 0.02;
/** A page that is this much cheaper than what a column is read for does well without one. */
const CHEAP = 20;

/**
 * Answers a list from one snapshot. No object is read to filter or to sort: both look at index entries and rows
 * only. The plan changes how much is read, never the answer. The view must stay open until the names are consumed.
 */
export async function list(
  view: ReadView,
  table: Table,
  asked: ListQuery,
  derived: Derived,
): Promise<ListAnswer> {
  const { objects, revision } = await view.count(table);
  const { scope, known } = await derived.scope(view, table, revision);
  const query: ListQuery = { ...asked, order: withoutIdleOrders(asked.order) };
  const isAll = query.condition.op === 'all';
  const matches = isAll ? undefined : await known.matches(scope, query.condition);
  const total = matches?.size ?? objects;
  const search: Search = { scope, known, query, objects, matches, total };
  const column = columnFor(search);
  const plan = planOf(search, column);
  const names = isPage(query) ? [await pageOf(search, plan, column)] : run(search, plan, column);
  return { total, plan, stats: scope.stats, names };
}

interface Search {
  readonly scope: Scope;
  readonly known: TableDerived;
  readonly query: ListQuery;
  /** Number of the model's objects. */
  readonly objects: number;
  /** Undefined when all objects match. */
  readonly matches: IdSet | undefined;
  readonly total: number;
}

/** Names ascending break every tie by themselves, and nothing can come after a name. */
function withoutIdleOrders(order: readonly Order[]): readonly Order[] {
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

// ---- choosing ------------------------------------------------------------------------------------------

/** Matches to find, from the first, until the page is full. */
function wanted({ query, total }: Search): number {
  return Math.min(query.offset + query.limit, total);
}

function walkCost(search: Search): number {
  const { objects, total } = search;
  return total === 0 ? 0 : Math.min(objects, (wanted(search) * objects) / total);
}

function columnFor(search: Search): OrderColumn | undefined {
  const order = walkOrder(search);
  // Who wants everything reads everything; a column would only be in the way.
  const { limit, after } = search.query;
  if (order === undefined || limit === Infinity || after !== undefined) return undefined;
  if (walkCost(search) * CHEAP < search.known.columnWorth) return undefined;
  return search.known.findColumn(search.scope, order);
}

function planOf(search: Search, column: OrderColumn | undefined): Plan {
  const order = walkOrder(search);
  const costs: Partial<Record<Method, number>> = { sort: search.total * ROW_COST };
  if (order !== undefined) costs.walk = walkCost(search);
  if (column !== undefined) costs.column = Math.max(search.total, walkCost(search)) * COLUMN_COST;
  let method: Method = 'sort';
  for (const other of ['walk', 'column'] as const) {
    if ((costs[other] ?? Infinity) < (costs[method] ?? Infinity)) method = other;
  }
  const { limit, after } = search.query;
  const isDear = (costs[method] ?? 0) > search.known.columnWorth && limit !== Infinity && after === undefined;
  if (isDear && order !== undefined && column === undefined) {
    search.known.wantColumn(search.scope.table, order);
  }
  return { method, order, matches: search.total, costs };
}

// ---- running -------------------------------------------------------------------------------------------

function run(search: Search, plan: Plan, column: OrderColumn | undefined): AsyncGenerator<string[]> {
  const { query, total } = search;
  if (total === 0 || query.limit <= 0 || query.offset >= total) return nothing();
  if (plan.method === 'column' && column !== undefined) return fromColumn(search, column);
  if (plan.method === 'walk' && plan.order !== undefined) return slice(walk(search, plan.order), query);
  return slice(sorted(search), query);
}

/** Whether so little is wanted that it is found at once. */
function isPage({ limit }: ListQuery): boolean {
  return limit <= CHUNK;
}

/** What {@link run} would give, without the cost of doing it step by step. */
async function pageOf(search: Search, plan: Plan, column: OrderColumn | undefined): Promise<string[]> {
  const { query, total } = search;
  const names: string[] = [];
  if (total === 0 || query.limit <= 0 || query.offset >= total) return names;
  if (plan.method !== 'walk' || plan.order === undefined || walkCost(search) > CHUNK) {
    for await (const chunk of run(search, plan, column)) names.push(...chunk);
    return names;
  }
  let skip = query.offset;
  for await (const spots of walk(search, plan.order)) {
    for (const { name } of spots) {
      if (skip > 0) skip--;
      else if (names.push(name) === query.limit) return names;
    }
  }
  return names;
}

async function* nothing(): AsyncGenerator<string[]> {
  // No match, no chunk.
}

async function* slice(chunks: AsyncIterable<Spot[]>, query: ListQuery): AsyncGenerator<string[]> {
  let skip = query.offset;
  let left = query.limit;
  for await (const spots of paced(chunks)) {
    const wantedSpots = spots.slice(skip, skip + left);
    skip = Math.max(0, skip - spots.length);
    if (wantedSpots.length === 0) continue;
    left -= wantedSpots.length;
    yield wantedSpots.map((spot) => spot.name);
    if (left <= 0) return;
  }
}

async function* fromColumn({ scope, query, matches }: Search, column: OrderColumn): AsyncGenerator<string[]> {
  const end = query.offset + query.limit;
  const ids =
    matches === undefined ? column.slice(query.offset, end) : column.sliceOf(matches, query.offset, end);
  for (let at = 0; at < ids.length; at += CHUNK) yield readNames(scope, ids.slice(at, at + CHUNK));
}

function walk(search: Search, { index, direction }: WalkOrder): AsyncGenerator<Spot[]> {
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

function sorted(search: Search): AsyncGenerator<Spot[]> {
  const { query, scope, known, objects, matches } = search;
  const fields = fieldsOf(scope.table, query.order);
  const unsorted = { scope, objects, set: matches };
  if (isWorthAll(search, fields)) {
    const all = (): Promise<IdSet> => known.matches(scope, { op: 'all' });
    const { heldMax, windowMax } = known;
    return sortWithin({ ...unsorted, all, heldMax, windowMax }, fields, query.after);
  }
  const lead = leadingWalk(search);
  return lead === undefined
    ? sortByRows(unsorted, fields, wanted(search), query.after)
    : sortedByGroup(search, lead, fields);
}

/** Whether putting all matches in order, without their rows, costs less than what is wanted with its rows. */
function isWorthAll(search: Search, fields: readonly WalkOrder[]): boolean {
  const { query, objects, total, known } = search;
  const [first, second] = fields;
  if (first?.index?.sparse === true && second === undefined && total * ROW_COST > objects) return true;
  if (query.limit === Infinity) return !isWorthRows(total, objects, fields, known.heldMax);
  return wanted(search) > known.heldMax && wanted(search) * ROW_COST > objects * fields.length;
}

/** More matches than so many times the worth of a column are not all held to put them in order. */
const GROUPS_WORTH = 5;

/**
 * The walk by the most significant field, when others follow: then only objects that are the same in it have to be
 * held at a time. Undefined when that field cannot be walked, or the matches are few.
 */
function leadingWalk({ query, scope, known, total }: Search): WalkOrder | undefined {
  const [first, second] = query.order;
  if (first === undefined || second === undefined || first.index === NAME) return undefined;
  const index = scope.table.indexes[first.index];
  if (index === undefined || index.sparse || total <= known.columnWorth * GROUPS_WORTH) return undefined;
  return { index, direction: first.direction };
}

/** Walks by the first field and puts each group of objects that are the same in it in order. */
async function* sortedByGroup(
  search: Search,
  lead: WalkOrder,
  fields: readonly WalkOrder[],
): AsyncGenerator<Spot[]> {
  const { scope, query } = search;
  const { after } = query;
  const order = rowOrder(fields);
  const compare = comparePlaces(fields);
  // From the beginning of the group that the place is in: within it, names do not decide.
  const from = after === undefined ? undefined : { keys: after.keys.slice(0, 1), name: '' };
  const newGroup = (): SortedRuns<KeyedSpot> => new SortedRuns<KeyedSpot>(compare, wanted(search));
  let group = newGroup();
  let last: KeyedSpot | undefined;
  for await (const spots of paced(walk({ ...search, query: { ...query, after: from } }, lead))) {
    scope.stats.rows += spots.length;
    let members: KeyedSpot[] = [];
    for (const member of await readKeyed(scope.view.snapshot, scope.table, spots, order)) {
      if (last !== undefined && !isSameGroup(last, member)) {
        await group.add(members);
        yield* group.inOrder();
        group = newGroup();
        members = [];
      }
      last = member;
      if (after === undefined || compare(member, after) > 0) members.push(member);
    }
    await group.add(members);
  }
  yield* group.inOrder();
}

function isSameGroup(a: Place, b: Place): boolean {
  return a.keys[0] === b.keys[0];
}

/** What places an object in an order; without keys when there is no such object. */
export async function placeOf(
  view: ReadView,
  table: Table,
  order: readonly Order[],
  name: string,
): Promise<Place> {
  const fields = rowOrder(fieldsOf(table, withoutIdleOrders(order)));
  const row = await view.snapshot.get(rowKey(table.modelId, name));
  return keyed({ id: 0, name }, row, fields);
}

function fieldsOf(table: Table, order: readonly Order[]): WalkOrder[] {
  return order.flatMap(({ index: position, direction }) => {
    const index = table.indexes[position];
    return index !== undefined || position === NAME ? [{ index, direction }] : [];
  });
}
