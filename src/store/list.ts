import { setImmediate as nextTurn } from 'node:timers/promises';
import { canonical, type BoundCondition } from '../query/bound.js';
import { NAME } from '../query/fields.js';
import { compile, type Values } from '../query/matches.js';
import { candidatesOf, prefersOrderWalk, type Candidate, type Driver } from '../query/plan.js';
import type { KeyRange, Snapshot } from './engine.js';
import { entriesStartingWith, entriesWith, nameInEntry, nameInKey, rowsOf } from './keys.js';
import { decodeRow, type Row } from './row.js';
import type { ReadView } from './store.js';
import type { Table, TableIndex } from './table.js';
import {
  chunksOf,
  CHUNK,
  compareNames,
  readRows,
  sortNames,
  walkIndex,
  walkNames,
  type Direction,
} from './walk.js';

/** How a list is ordered; names ascending break all ties. `index` is a position in the table, or `NAME`. */
export interface Order {
  readonly index: number;
  readonly direction: Direction;
}

export interface ListQuery {
  readonly condition: BoundCondition;
  readonly order: readonly Order[];
  /** Matches before the first one wanted. */
  readonly offset: number;
  /** Most matches wanted; `Infinity` for all. */
  readonly limit: number;
}

export interface ListAnswer {
  /** Exact number of all matches. */
  readonly total: number;
  /** The wanted matches' names, in order, in chunks, read while they are consumed. */
  readonly names: AsyncIterable<string[]>;
}

/** Longest time a list keeps the event loop from others, in milliseconds. */
const TURN_MS = 5;
/** Entries counted to compare the ways to find matches; beyond, a way is just "many". */
const ESTIMATE_MAX = 500;
/** Fewer matches are put in order by their rows, without considering a walk. */
const SORT_ALWAYS = 1_000;

/** Totals of conditions, kept while their model is unchanged. */
export class CountCache {
  private readonly totals = new Map<string, { readonly revision: number; readonly total: number }>();

  constructor(private readonly entriesMax = 1_000) {}

  find(key: string, revision: number): number | undefined {
    const known = this.totals.get(key);
    return known?.revision === revision ? known.total : undefined;
  }

  put(key: string, revision: number, total: number): void {
    this.totals.delete(key);
    this.totals.set(key, { revision, total });
    const oldest = this.totals.keys().next();
    if (this.totals.size > this.entriesMax && oldest.done !== true) this.totals.delete(oldest.value);
  }
}

/**
 * Answers a list from one snapshot. No object is read to filter or to sort: both look at index entries and
 * rows only. The view must stay open until the names are consumed.
 */
export async function list(
  view: ReadView,
  table: Table,
  asked: ListQuery,
  counts: CountCache,
): Promise<ListAnswer> {
  const { snapshot } = view;
  const { objects, revision } = await view.count(table);
  const query: ListQuery = { ...asked, order: withoutIdleOrders(asked.order) };
  const search: Search = { snapshot, table, query, objects };
  if (query.condition.op === 'none' || objects === 0) return { total: 0, names: nothing() };
  if (query.condition.op === 'all') return { total: objects, names: slice(walkAll(search), query) };

  const key = countedKey(table, query.condition);
  const known = counts.find(key, revision);
  if (known !== undefined && walksInOrder(search, known)) {
    return { total: known, names: slice(filtered(search, walkAll(search)), query) };
  }
  const names = await findMatches(search);
  counts.put(key, revision, names.length);
  return { total: names.length, names: slice(inOrder(search, names), query) };
}

/** A condition names indexes by their place in the table; a changed declaration puts another index there. */
function countedKey(table: Table, condition: BoundCondition): string {
  const indexIds = table.indexes.map((index) => index.id).join();
  return `${table.modelId} ${indexIds} ${canonical(condition)}`;
}

interface Search {
  readonly snapshot: Snapshot;
  readonly table: Table;
  readonly query: ListQuery;
  /** Number of the model's objects. */
  readonly objects: number;
}

async function* nothing(): AsyncGenerator<string[]> {
  // No match, no chunk.
}

async function* slice(chunks: AsyncIterable<string[]>, query: ListQuery): AsyncGenerator<string[]> {
  let skip = query.offset;
  let left = query.limit;
  if (left <= 0) return;
  for await (const names of chunks) {
    const wanted = names.slice(skip, skip + left);
    skip = Math.max(0, skip - names.length);
    if (wanted.length === 0) continue;
    left -= wanted.length;
    yield wanted;
    if (left <= 0) return;
  }
}

// ---- walking in order ----------------------------------------------------------------------------------

/** An order in which objects can be walked as they stand: by name, or by one index. */
type WalkOrder = { readonly index: TableIndex | undefined; readonly direction: Direction };

/** The wanted order as a walk; undefined when matches have to be sorted. */
function walkOrder(search: Search): WalkOrder | undefined {
  const [first, ...more] = search.query.order;
  if (first === undefined) return { index: undefined, direction: 'asc' };
  if (more.length > 0) return undefined;
  if (first.index === NAME) return { index: undefined, direction: first.direction };
  const index = search.table.indexes[first.index];
  return index === undefined || index.sparse ? undefined : { index, direction: first.direction };
}

/** Names ascending break every tie by themselves, and nothing can come after a name. */
function withoutIdleOrders(order: readonly Order[]): readonly Order[] {
  const name = order.findIndex(({ index }) => index === NAME);
  if (name < 0) return order;
  return order.slice(0, order[name]?.direction === 'asc' ? name : name + 1);
}

/** Every object of the table, in the wanted order. */
async function* walkAll(search: Search): AsyncGenerator<string[]> {
  const { snapshot, table, query } = search;
  const order = walkOrder(search);
  const first = query.offset + query.limit;
  if (order === undefined) {
    const names: string[] = [];
    for await (const chunk of paced(walkNames(snapshot, table, 'asc'))) names.push(...chunk);
    yield* inChunks(await sortByRows(search, names));
  } else if (order.index === undefined) yield* walkNames(snapshot, table, order.direction, first);
  else yield* walkIndex(snapshot, table, order.index, order.direction, first);
}

function walksInOrder(search: Search, matches: number): boolean {
  if (walkOrder(search) === undefined) return false;
  const { offset, limit } = search.query;
  return prefersOrderWalk(matches, search.objects, Math.min(offset + limit, matches));
}

async function* filtered(search: Search, chunks: AsyncIterable<string[]>): AsyncGenerator<string[]> {
  const holds = predicate(search.table, search.query.condition);
  for await (const names of paced(chunks)) {
    const rows = await readRows(search.snapshot, search.table, names);
    yield names.filter((name, i) => holds(name, rows[i]));
  }
}

/** Lets other work run between chunks when a turn has lasted long enough. */
async function* paced<T>(chunks: AsyncIterable<T>): AsyncGenerator<T> {
  let since = performance.now();
  for await (const chunk of chunks) {
    yield chunk;
    if (performance.now() - since < TURN_MS) continue;
    await nextTurn();
    since = performance.now();
  }
}

// ---- finding all matches -------------------------------------------------------------------------------

function predicate(table: Table, condition: BoundCondition): (name: string, row: Row | undefined) => boolean {
  const holds = compile(condition);
  return (name, row) => {
    if (row === undefined) return false;
    const values: Values = (position) => {
      if (position === NAME) return [Buffer.from(name)];
      const index = table.indexes[position];
      return index === undefined ? [] : (row.values.get(index.id) ?? []);
    };
    return holds(values);
  };
}

/** Names of all matches, in no particular order, each once. */
async function findMatches(search: Search): Promise<string[]> {
  const { table, query } = search;
  const walkable = (driver: Driver): boolean =>
    rangesOf(table, driver) !== undefined || driver.index === NAME;
  const candidate = await cheapest(search, candidatesOf(query.condition, walkable));
  if (candidate === undefined) return scanRows(search);
  const names = await driverNames(search, candidate.driver);
  return candidate.rest.op === 'all' ? names : keepMatching(search, names, candidate.rest);
}

async function cheapest(search: Search, candidates: readonly Candidate[]): Promise<Candidate | undefined> {
  const [only, ...others] = candidates;
  if (only === undefined || others.length === 0) return only;
  let best = only;
  let least = Infinity;
  for (const candidate of candidates) {
    const entries = await estimate(search, candidate.driver);
    if (entries < least) [best, least] = [candidate, entries];
  }
  return best;
}

/** Number of the driver's entries, at most {@link ESTIMATE_MAX}. */
async function estimate(search: Search, driver: Driver): Promise<number> {
  if (driver.index === NAME) return driver.op === 'in' ? driver.values.length : search.objects;
  let entries = 0;
  for (const range of rangesOf(search.table, driver) ?? []) {
    entries += (await search.snapshot.scan(range, { limit: ESTIMATE_MAX - entries })).length;
    if (entries >= ESTIMATE_MAX) break;
  }
  return entries;
}

/** Where a driver's entries stand; undefined when the keys alone cannot tell. */
function rangesOf(table: Table, driver: Driver): KeyRange[] | undefined {
  const index = table.indexes[driver.index];
  if (index === undefined) return undefined;
  switch (driver.op) {
    case 'in':
      return driver.values.map((value) => entriesWith(index.id, index.keyType, value));
    case 'isNull':
      return index.sparse ? undefined : [entriesWith(index.id, index.keyType, undefined)];
    case 'prefix': {
      const range = entriesStartingWith(index.id, driver.prefix);
      return range === undefined ? undefined : [range];
    }
  }
}

async function driverNames(search: Search, driver: Driver): Promise<string[]> {
  const { snapshot, table } = search;
  if (driver.index === NAME) return existing(search, driver);
  const index = table.indexes[driver.index];
  const names: string[] = [];
  if (index === undefined) return names;
  for (const range of rangesOf(table, driver) ?? []) {
    for await (const pairs of paced(chunksOf(snapshot, range))) {
      for (const { key } of pairs) names.push(nameInEntry(key, index.keyType));
    }
  }
  const repeats = index.multi && (driver.op === 'prefix' || (driver.op === 'in' && driver.values.length > 1));
  return repeats ? [...new Set(names)] : names;
}

async function existing(search: Search, driver: Driver): Promise<string[]> {
  if (driver.op !== 'in') return scanRows(search);
  const names = driver.values.map((value) => value.toString());
  const rows = await readRows(search.snapshot, search.table, names.filter(isPossibleName));
  return names.filter(isPossibleName).filter((_, i) => rows[i] !== undefined);
}

function isPossibleName(name: string): boolean {
  return name.length > 0 && Buffer.byteLength(name) <= 253;
}

async function keepMatching(
  search: Search,
  names: readonly string[],
  rest: BoundCondition,
): Promise<string[]> {
  const holds = predicate(search.table, rest);
  const kept: string[] = [];
  for await (const chunk of paced(inChunks(names))) {
    const rows = await readRows(search.snapshot, search.table, chunk);
    chunk.forEach((name, i) => {
      if (holds(name, rows[i])) kept.push(name);
    });
  }
  return kept;
}

async function scanRows(search: Search): Promise<string[]> {
  const holds = predicate(search.table, search.query.condition);
  const names: string[] = [];
  for await (const pairs of paced(chunksOf(search.snapshot, rowsOf(search.table.modelId)))) {
    for (const { key, value } of pairs) {
      const name = nameInKey(key);
      if (holds(name, decodeRow(value))) names.push(name);
    }
  }
  return names;
}

async function* inChunks(names: readonly string[]): AsyncGenerator<string[]> {
  for (let at = 0; at < names.length; at += CHUNK) yield names.slice(at, at + CHUNK);
}

// ---- putting matches in order --------------------------------------------------------------------------

async function* inOrder(search: Search, names: string[]): AsyncGenerator<string[]> {
  const order = walkOrder(search);
  if (order !== undefined && order.index === undefined) {
    names.sort(compareNames);
    yield* inChunks(order.direction === 'asc' ? names : names.reverse());
  } else if (order?.index !== undefined && names.length > SORT_ALWAYS) {
    const wanted = new Set(names);
    const walk = walkIndex(search.snapshot, search.table, order.index, order.direction);
    for await (const chunk of paced(walk)) yield chunk.filter((name) => wanted.has(name));
  } else {
    yield* inChunks(await sortByRows(search, names));
  }
}

async function sortByRows(search: Search, names: readonly string[]): Promise<string[]> {
  const { snapshot, table, query } = search;
  const rows: (Row | undefined)[] = [];
  for await (const chunk of paced(inChunks(names))) rows.push(...(await readRows(snapshot, table, chunk)));
  const order = query.order.flatMap(({ index, direction }) => {
    const indexId = table.indexes[index]?.id;
    return indexId === undefined ? [] : [{ indexId, direction }];
  });
  return sortNames(names, rows, order, query.order.find(({ index }) => index === NAME)?.direction);
}
