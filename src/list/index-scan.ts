import { setImmediate as nextTurn } from 'node:timers/promises';
import { readU48 } from '../lib/bytes.js';
import type { MaybePromise } from '../lib/maybe-promise.js';
import type { KeyRange, KeyValue, Snapshot } from '../store/engine.js';
import { idInEntry, isLargest, isSmallest } from '../store/entries.js';
import {
  entriesOf,
  entryKey,
  entryPrefix,
  following,
  isCut,
  nameInEntry,
  nameInKey,
  preceding,
  rangeOfRun,
  rowKey,
  rowsOf,
  runOf,
} from '../store/keys.js';
import { decodeRow, keysInRow, type Row, type RowOrder } from '../store/index-record.js';
import type { Table, TableIndex } from '../store/table.js';

/** Pairs that one scan takes at most: bounds what is in memory and how long the event loop is held. */
export const CHUNK = 500;
/** Longest time a walk keeps the event loop from others, in milliseconds. */
const TURN_MS = 1;

export type Direction = 'asc' | 'desc';

/** An object as a walk comes by it. */
export interface Spot {
  readonly name: string;
  readonly id: number;
}

/** Lets other work run between chunks when a turn has lasted long enough. */
export async function* paced<T>(chunks: AsyncIterable<T>): AsyncGenerator<T> {
  let since = performance.now();
  for await (const chunk of chunks) {
    yield chunk;
    if (performance.now() - since < TURN_MS) continue;
    await nextTurn();
    since = performance.now();
  }
}

/** Pairs of a range in chunks, in the direction. `first` sizes the first chunk, for callers that want few. */
export async function* chunksOf(
  snapshot: Snapshot,
  range: KeyRange,
  direction: Direction = 'asc',
  first: number = CHUNK,
): AsyncGenerator<KeyValue[]> {
  let rest = range;
  for (let limit = Math.min(first, CHUNK); ; limit = CHUNK) {
    const pairs = await snapshot.scan(rest, { limit, reverse: direction === 'desc' });
    if (pairs.length > 0) yield pairs;
    const last = pairs.at(-1);
    if (last === undefined || pairs.length < limit) return;
    rest = afterKey(rest, last.key, direction);
  }
}

/** The part of a range that begins with a run. */
export function fromRun(range: KeyRange, run: Buffer, direction: Direction): KeyRange {
  const { start, end } = rangeOfRun(run);
  return direction === 'asc' ? { start, end: range.end } : { start: range.start, end };
}

/** The part of a range that comes after a run. */
export function beyondRun(range: KeyRange, run: Buffer, direction: Direction): KeyRange {
  const { start, end } = rangeOfRun(run);
  return direction === 'asc' ? { start: end, end: range.end } : { start: range.start, end: start };
}

/** The part of a range that comes after a pair already read. */
export function afterKey(range: KeyRange, key: Uint8Array, direction: Direction): KeyRange {
  return direction === 'asc' ? following(range, key) : preceding(range, key);
}

export interface WalkOptions {
  readonly direction: Direction;
  /** How many objects the caller wants to begin with. Default: a whole chunk. */
  readonly first?: number;
  /** Told of how many pairs were read. */
  readonly onRead?: (pairs: number) => void;
  /** Objects to leave out, by id, before anything else is done with them. */
  readonly skips?: (id: number) => boolean;
  /** Begin after this place, whether there is an object or not. */
  readonly after?: Place | undefined;
}

/** A place in an order: what an object is placed by. */
export interface Place {
  readonly name: string;
  /** For each field of the order, the encoded value that decides, see {@link keysInRow}; undefined without one. */
  readonly keys: readonly (string | undefined)[];
}

/** All objects of a table by name, by code point. A chunk is empty where nothing of it is wanted. */
export async function* walkNames(
  snapshot: Snapshot,
  table: Table,
  { direction, first, onRead, skips, after }: WalkOptions,
): AsyncGenerator<Spot[]> {
  let range = rowsOf(table.modelId);
  if (after !== undefined) {
    range = afterKey(range, rowKey(table.modelId, after.name), direction);
  }
  for await (const pairs of chunksOf(snapshot, range, direction, first)) {
    onRead?.(pairs.length);
    const spots: Spot[] = [];
    for (const { key, value } of pairs) {
      const id = readU48(value);
      if (skips?.(id) !== true) spots.push({ id, name: nameInKey(key) });
    }
    yield spots;
  }
}

/**
 * All objects of a table by an index that is not sparse: each once, by its smallest value ascending or its
 * largest descending; objects without a value first ascending, last descending; ties by name ascending. A chunk is
 * empty where nothing of it is wanted, so that who {@link paced} the walk lets others run there too.
 */
export function walkIndex(
  snapshot: Snapshot,
  table: Table,
  index: TableIndex,
  options: WalkOptions,
): AsyncGenerator<Spot[]> {
  const walk = { snapshot, table, index, ...options };
  if (options.after !== undefined) return walkAfter(walk, options.after);
  const range = entriesOf(index.id);
  return options.direction === 'asc' ? ascending(walk, range) : descending(walk, range);
}

/** What is left of the run that the place is in, then everything beyond that run. */
async function* walkAfter(walk: Walk, after: Place): AsyncGenerator<Spot[]> {
  const { index, direction } = walk;
  const value = leadOf(after);
  const prefix = entryPrefix(index.id, index.keyType, value);
  const run = runOf(prefix, index.keyType);
  if (isCut(prefix, index.keyType)) {
    const order = [{ indexId: index.id, direction }];
    const compare = compareSpots(order);
    const spots = await keyedCutRun(walk, rangeOfRun(run), order);
    yield spots.sort(compare).filter((spot) => compare(spot, after) > 0);
  } else {
    yield* wantedIn(walk, following(rangeOfRun(run), entryKey(index.id, index.keyType, value, after.name)));
  }
  const left = beyondRun(entriesOf(index.id), run, direction);
  yield* direction === 'asc' ? ascending(walk, left) : descending(walk, left);
}

/** A walk by an index. */
export interface Walk extends WalkOptions {
  readonly snapshot: Snapshot;
  readonly table: Table;
  readonly index: TableIndex;
}

/** Whether this entry is the one that its object is placed by, and wanted. */
export function isWanted({ direction, skips }: Walk, value: Uint8Array): boolean {
  if (!(direction === 'asc' ? isSmallest(value) : isLargest(value))) return false;
  return skips?.(idInEntry(value)) !== true;
}

function spotOf({ index }: Walk, { key, value }: KeyValue): Spot {
  return { id: idInEntry(value), name: nameInEntry(key, index.keyType) };
}

async function* ascending(walk: Walk, whole: KeyRange): AsyncGenerator<Spot[]> {
  const { snapshot, index, first = CHUNK, onRead } = walk;
  let range = whole;
  for (let limit = Math.min(first, CHUNK); ; limit = CHUNK) {
    const pairs = await snapshot.scan(range, { limit });
    onRead?.(pairs.length);
    const spots: Spot[] = [];
    let run: Buffer | undefined;
    for (const pair of pairs) {
      if (isCut(pair.key, index.keyType)) {
        run = runOf(pair.key, index.keyType);
        break;
      }
      if (isWanted(walk, pair.value)) spots.push(spotOf(walk, pair));
    }
    yield spots;
    if (run !== undefined) {
      const { start, end } = rangeOfRun(run);
      yield await spotsOfCutRun(walk, { start, end });
      range = { start: end, end: range.end };
      continue;
    }
    const last = pairs.at(-1);
    if (last === undefined || pairs.length < limit) return;
    range = following(range, last.key);
  }
}

/** Entries come in descending order, but within a run of one value names must ascend: runs are turned around. */
async function* descending(walk: Walk, whole: KeyRange): AsyncGenerator<Spot[]> {
  const { snapshot, index, first = CHUNK, onRead } = walk;
  let range = whole;
  // One more than wanted, so that the last wanted run is mostly seen to end.
  for (let limit = Math.min(first + 1, CHUNK); ; limit = CHUNK) {
    const pairs = await snapshot.scan(range, { reverse: true, limit });
    onRead?.(pairs.length);
    const out: Spot[] = [];
    let run: Buffer | undefined;
    let spots: Spot[] = [];
    for (const pair of pairs) {
      const next = runOf(pair.key, index.keyType);
      if (run !== undefined && !next.equals(run)) {
        const inOrder = turned(walk, run, spots);
        for (const spot of inOrder instanceof Promise ? await inOrder : inOrder) out.push(spot);
        spots = [];
      }
      run = next;
      if (isWanted(walk, pair.value)) spots.push(spotOf(walk, pair));
    }
    const isEnd = pairs.length < limit;
    if (isEnd && run !== undefined) for (const spot of await turned(walk, run, spots)) out.push(spot);
    yield out;
    if (isEnd || run === undefined) return;
    // Where the last run ends is not known: it is walked from its beginning instead.
    yield* wholeRun(walk, run);
    range = preceding(range, run);
  }
}

function turned(walk: Walk, run: Buffer, spots: Spot[]): MaybePromise<Spot[]> {
  if (run.length < CUT_RUN_BYTES) return spots.length < 2 ? spots : spots.reverse();
  return isCutRun(walk, run).then((isCutOne) =>
    isCutOne ? spotsOfCutRun(walk, rangeOfRun(run)) : spots.reverse(),
  );
}

/** Runs of cut values are at least so long; shorter ones need no look. */
const CUT_RUN_BYTES = 1_000;

async function isCutRun(walk: Walk, run: Buffer): Promise<boolean> {
  if (run.length < CUT_RUN_BYTES) return false;
  const [pair] = await walk.snapshot.scan(rangeOfRun(run), { limit: 1 });
  return pair !== undefined && isCut(pair.key, walk.index.keyType);
}

async function* wholeRun(walk: Walk, run: Buffer): AsyncGenerator<Spot[]> {
  const range = rangeOfRun(run);
  if (await isCutRun(walk, run)) {
    yield await spotsOfCutRun(walk, range);
    return;
  }
  yield* wantedIn(walk, range, walk.first);
}

/** Wanted entries in the order of their keys. */
async function* wantedIn(walk: Walk, range: KeyRange, first?: number): AsyncGenerator<Spot[]> {
  for await (const pairs of chunksOf(walk.snapshot, range, 'asc', first)) {
    walk.onRead?.(pairs.length);
    yield pairs.filter((pair) => isWanted(walk, pair.value)).map((pair) => spotOf(walk, pair));
  }
}

/** Values that were cut at the same bytes are put in order by the whole values in the rows. */
async function spotsOfCutRun(walk: Walk, range: KeyRange): Promise<Spot[]> {
  const order = [{ indexId: walk.index.id, direction: walk.direction }];
  return (await keyedCutRun(walk, range, order)).sort(compareSpots(order));
}

/** The wanted objects of a run of cut values, with the whole values. */
export async function keyedCutRun(
  walk: Walk,
  range: KeyRange,
  order: readonly RowOrder[],
): Promise<KeyedSpot[]> {
  const spots: Spot[] = [];
  for await (const chunk of wantedIn(walk, range)) spots.push(...chunk);
  return readKeyed(walk.snapshot, walk.table, spots, order);
}

/** In the order of the names; an object that is gone has no row. */
export async function readRows(
  snapshot: Snapshot,
  table: Table,
  names: readonly string[],
): Promise<(Row | undefined)[]> {
  const rows = await snapshot.getMany(names.map((name) => rowKey(table.modelId, name)));
  return rows.map((bytes) => (bytes === undefined ? undefined : decodeRow(bytes)));
}

/** A spot with what it is ordered by. */
export interface KeyedSpot extends Spot, Place {}

/** The spots with what they are ordered by. */
export async function readKeyed(
  snapshot: Snapshot,
  table: Table,
  spots: readonly Spot[],
  order: readonly RowOrder[],
): Promise<KeyedSpot[]> {
  const keys = order.length === 0 ? [] : spots.map(({ name }) => rowKey(table.modelId, name));
  const rows = await snapshot.getMany(keys);
  return spots.map((spot, i) => keyed(spot, rows[i], order));
}

/** @param row as it is stored; an object that is gone has none */
export function keyed({ id, name }: Spot, row: Buffer | undefined, order: readonly RowOrder[]): KeyedSpot {
  return { id, name, keys: row === undefined ? [] : keysInRow(row, order) };
}

/** The value of the first field, as it was encoded. */
export function leadOf({ keys: [key] }: Place): Buffer | undefined {
  return key === undefined ? undefined : Buffer.from(key, 'latin1');
}

/** The order of {@link walkIndex}, by several indexes; names decide last. */
export function compareSpots(
  order: readonly RowOrder[],
  nameDirection: Direction = 'asc',
): (a: Place, b: Place) => number {
  return (a, b) => {
    for (let i = 0; i < order.length; i++) {
      const byValue = compareKeys(a.keys[i], b.keys[i]);
      if (byValue !== 0) return order[i]?.direction === 'asc' ? byValue : -byValue;
    }
    return nameDirection === 'asc' ? compareNames(a.name, b.name) : compareNames(b.name, a.name);
  };
}

/** What has no value comes first. */
export function compareKeys(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return (a === undefined ? 0 : 1) - (b === undefined ? 0 : 1);
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Names are ASCII, so code units compare as code points. */
export function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
