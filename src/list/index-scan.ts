import { readU48 } from '../lib/bytes.js';
import type { MaybePromise } from '../lib/maybe-promise.js';
import type { KeyRange, Snapshot } from '../store/engine.js';
import { idInEntry, isLargest, isSmallest } from '../store/entries.js';
import { keysInValues, type SortField } from '../store/index-record.js';
import {
  entriesOf,
  entryKey,
  entryPrefix,
  following,
  isCut,
  nameKey,
  namesOf,
  objectKey,
  preceding,
  rangeOfRun,
  runOf,
} from '../store/keys.js';
import { nameIn, valuesIn } from '../store/object-record.js';
import { afterKey, beyondRun, CHUNK, chunksOf, type Direction } from '../store/scan.js';
import type { ReadView } from '../store/store.js';
import type { Table, TableIndex } from '../store/table.js';

/** An order in which objects can be walked as they stand: by one index, or by name when `index` is undefined. */
export interface WalkOrder {
  readonly index: TableIndex | undefined;
  readonly direction: Direction;
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
  readonly after?: SortPosition | undefined;
}

/** A place in an order: what an object is placed by. */
export interface SortPosition {
  readonly name: string;
  /** For each field of the order, the encoded value that decides, see {@link keysInValues}; undefined without one. */
  readonly keys: readonly (string | undefined)[];
}

/** Ids of all objects of a table by name, by code point. A chunk is empty where nothing of it is wanted. */
export async function* walkNames(
  snapshot: Snapshot,
  table: Table,
  { direction, first, onRead, skips, after }: WalkOptions,
): AsyncGenerator<number[]> {
  let range = namesOf(table.modelId);
  if (after !== undefined) {
    range = afterKey(range, nameKey(table.modelId, after.name), direction);
  }
  for await (const pairs of chunksOf(snapshot, range, direction, first)) {
    onRead?.(pairs.length);
    const ids: number[] = [];
    for (const { value } of pairs) {
      const id = readU48(value);
      if (skips?.(id) !== true) ids.push(id);
    }
    yield ids;
  }
}

/**
 * Ids of all objects of a table by an index that is not sparse: each once, by its smallest value ascending or its
 * largest descending; objects without a value first ascending, last descending; ties by name ascending. A chunk is
 * empty where nothing of it is wanted, so that who {@link yieldBetween} the walk lets others run there too.
 */
export function walkIndex(
  snapshot: Snapshot,
  table: Table,
  index: TableIndex,
  options: WalkOptions,
): AsyncGenerator<number[]> {
  const walk = { snapshot, table, index, ...options };
  if (options.after !== undefined) return walkAfter(walk, options.after);
  const range = entriesOf(index.id);
  return options.direction === 'asc' ? ascending(walk, range) : descending(walk, range);
}

/** Ids of all objects of a table in an order that can be walked. */
export function walkInOrder(
  view: ReadView,
  table: Table,
  { index, direction }: WalkOrder,
): AsyncGenerator<number[]> {
  return index === undefined
    ? walkNames(view.snapshot, table, { direction })
    : walkIndex(view.snapshot, table, index, { direction });
}

/** What is left of the run that the place is in, then everything beyond that run. */
async function* walkAfter(walk: Walk, after: SortPosition): AsyncGenerator<number[]> {
  const { index, direction } = walk;
  const value = leadOf(after);
  const prefix = entryPrefix(index.id, index.keyType, value);
  const run = runOf(prefix, index.keyType);
  if (isCut(prefix, index.keyType)) {
    const order = [{ indexId: index.id, direction }];
    const compare = compareSortPositions(order);
    const entries = await sortEntriesOfCutRun(walk, rangeOfRun(run), order);
    yield idsInOrder(entries.filter((entry) => compare(entry, after) > 0).sort(compare));
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

function idsInOrder(entries: readonly SortEntry[]): number[] {
  return entries.map(({ id }) => id);
}

async function* ascending(walk: Walk, whole: KeyRange): AsyncGenerator<number[]> {
  const { snapshot, index, first = CHUNK, onRead } = walk;
  let range = whole;
  for (let limit = Math.min(first, CHUNK); ; limit = CHUNK) {
    const pairs = await snapshot.scan(range, { limit });
    onRead?.(pairs.length);
    const ids: number[] = [];
    let run: Buffer | undefined;
    for (const pair of pairs) {
      if (isCut(pair.key, index.keyType)) {
        run = runOf(pair.key, index.keyType);
        break;
      }
      if (isWanted(walk, pair.value)) ids.push(idInEntry(pair.value));
    }
    yield ids;
    if (run !== undefined) {
      const { start, end } = rangeOfRun(run);
      yield await idsOfCutRun(walk, { start, end });
      range = { start: end, end: range.end };
      continue;
    }
    const last = pairs.at(-1);
    if (last === undefined || pairs.length < limit) return;
    range = following(range, last.key);
  }
}

/** Entries come in descending order, but within a run of one value names must ascend: runs are turned around. */
async function* descending(walk: Walk, whole: KeyRange): AsyncGenerator<number[]> {
  const { snapshot, index, first = CHUNK, onRead } = walk;
  let range = whole;
  // One more than wanted, so that the last wanted run is mostly seen to end.
  for (let limit = Math.min(first + 1, CHUNK); ; limit = CHUNK) {
    const pairs = await snapshot.scan(range, { reverse: true, limit });
    onRead?.(pairs.length);
    const out: number[] = [];
    let run: Buffer | undefined;
    let ids: number[] = [];
    for (const pair of pairs) {
      const next = runOf(pair.key, index.keyType);
      if (run !== undefined && !next.equals(run)) {
        const inOrder = turned(walk, run, ids);
        for (const id of inOrder instanceof Promise ? await inOrder : inOrder) out.push(id);
        ids = [];
      }
      run = next;
      if (isWanted(walk, pair.value)) ids.push(idInEntry(pair.value));
    }
    const isEnd = pairs.length < limit;
    if (isEnd && run !== undefined) for (const id of await turned(walk, run, ids)) out.push(id);
    yield out;
    if (isEnd || run === undefined) return;
    // Where the last run ends is not known: it is walked from its beginning instead.
    yield* wholeRun(walk, run);
    range = preceding(range, run);
  }
}

function turned(walk: Walk, run: Buffer, ids: number[]): MaybePromise<number[]> {
  if (run.length < CUT_RUN_BYTES) return ids.length < 2 ? ids : ids.reverse();
  return isCutRun(walk, run).then((isCutOne) =>
    isCutOne ? idsOfCutRun(walk, rangeOfRun(run)) : ids.reverse(),
  );
}

/** Runs of cut values are at least so long; shorter ones need no look. */
const CUT_RUN_BYTES = 1_000;

async function isCutRun(walk: Walk, run: Buffer): Promise<boolean> {
  if (run.length < CUT_RUN_BYTES) return false;
  const [pair] = await walk.snapshot.scan(rangeOfRun(run), { limit: 1 });
  return pair !== undefined && isCut(pair.key, walk.index.keyType);
}

async function* wholeRun(walk: Walk, run: Buffer): AsyncGenerator<number[]> {
  const range = rangeOfRun(run);
  if (await isCutRun(walk, run)) {
    yield await idsOfCutRun(walk, range);
    return;
  }
  yield* wantedIn(walk, range, walk.first);
}

/** Wanted entries in the order of their keys. */
async function* wantedIn(walk: Walk, range: KeyRange, first?: number): AsyncGenerator<number[]> {
  for await (const pairs of chunksOf(walk.snapshot, range, 'asc', first)) {
    walk.onRead?.(pairs.length);
    yield pairs.filter((pair) => isWanted(walk, pair.value)).map((pair) => idInEntry(pair.value));
  }
}

/** Values that were cut at the same bytes are put in order by the whole values in the index records. */
async function idsOfCutRun(walk: Walk, range: KeyRange): Promise<number[]> {
  const order = [{ indexId: walk.index.id, direction: walk.direction }];
  return idsInOrder((await sortEntriesOfCutRun(walk, range, order)).sort(compareSortPositions(order)));
}

/** The wanted objects of a run of cut values, with the whole values. */
export async function sortEntriesOfCutRun(
  walk: Walk,
  range: KeyRange,
  order: readonly SortField[],
): Promise<SortEntry[]> {
  const ids: number[] = [];
  for await (const chunk of wantedIn(walk, range)) ids.push(...chunk);
  return readSortEntries(walk.snapshot, walk.table, ids, order);
}

/** An object with what it is ordered by. */
export interface SortEntry extends SortPosition {
  readonly id: number;
}

/** What the objects are ordered by, in the order of their ids; those that are gone are left out. */
export async function readSortEntries(
  snapshot: Snapshot,
  table: Table,
  ids: readonly number[],
  order: readonly SortField[],
): Promise<SortEntry[]> {
  const entries: SortEntry[] = [];
  const keys = ids.map((id) => objectKey(table.modelId, id));
  let at = 0;
  await snapshot.visitMany(keys, (record) => {
    const id = ids[at++] ?? 0;
    if (record !== undefined) entries.push(sortEntryIn(id, record, order));
  });
  return entries;
}

/** @param record the object's, as it is stored */
export function sortEntryIn(id: number, record: Buffer, order: readonly SortField[]): SortEntry {
  return { id, name: nameIn(record), keys: order.length === 0 ? [] : keysInValues(valuesIn(record), order) };
}

/** The value of the first field, as it was encoded. */
export function leadOf({ keys: [key] }: SortPosition): Buffer | undefined {
  return key === undefined ? undefined : Buffer.from(key, 'latin1');
}

/** The order of {@link walkIndex}, by several indexes; names decide last. */
export function compareSortPositions(
  order: readonly SortField[],
  nameDirection: Direction = 'asc',
): (a: SortPosition, b: SortPosition) => number {
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
