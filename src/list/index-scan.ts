import { readU48 } from '../lib/bytes.js';
import type { MaybePromise } from '../lib/maybe-promise.js';
import type { KeyRange, KeyValue, Snapshot } from '../store/engine.js';
import { idInEntry, isLargest, isSmallest } from '../store/entries.js';
import { keysInRecord, type SortField } from '../store/index-record.js';
import {
  entriesOf,
  entryKey,
  entryPrefix,
  following,
  indexRecordKey,
  indexRecordsOf,
  isCut,
  nameInEntry,
  nameInKey,
  preceding,
  rangeOfRun,
  runOf,
} from '../store/keys.js';
import { afterKey, beyondRun, CHUNK, chunksOf, type Direction } from '../store/scan.js';
import type { ReadView } from '../store/store.js';
import type { Table, TableIndex } from '../store/table.js';

/** An object as a walk comes by it. */
export interface ObjectRef {
  readonly name: string;
  readonly id: number;
}

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
  /** For each field of the order, the encoded value that decides, see {@link keysInRecord}; undefined without one. */
  readonly keys: readonly (string | undefined)[];
}

/** All objects of a table by name, by code point. A chunk is empty where nothing of it is wanted. */
export async function* walkNames(
  snapshot: Snapshot,
  table: Table,
  { direction, first, onRead, skips, after }: WalkOptions,
): AsyncGenerator<ObjectRef[]> {
  let range = indexRecordsOf(table.modelId);
  if (after !== undefined) {
    range = afterKey(range, indexRecordKey(table.modelId, after.name), direction);
  }
  for await (const pairs of chunksOf(snapshot, range, direction, first)) {
    onRead?.(pairs.length);
    const refs: ObjectRef[] = [];
    for (const { key, value } of pairs) {
      const id = readU48(value);
      if (skips?.(id) !== true) refs.push({ id, name: nameInKey(key) });
    }
    yield refs;
  }
}

/**
 * All objects of a table by an index that is not sparse: each once, by its smallest value ascending or its
 * largest descending; objects without a value first ascending, last descending; ties by name ascending. A chunk is
 * empty where nothing of it is wanted, so that who {@link yieldBetween} the walk lets others run there too.
 */
export function walkIndex(
  snapshot: Snapshot,
  table: Table,
  index: TableIndex,
  options: WalkOptions,
): AsyncGenerator<ObjectRef[]> {
  const walk = { snapshot, table, index, ...options };
  if (options.after !== undefined) return walkAfter(walk, options.after);
  const range = entriesOf(index.id);
  return options.direction === 'asc' ? ascending(walk, range) : descending(walk, range);
}

/** All objects of a table in an order that can be walked. */
export function walkInOrder(
  view: ReadView,
  table: Table,
  { index, direction }: WalkOrder,
): AsyncGenerator<ObjectRef[]> {
  return index === undefined
    ? walkNames(view.snapshot, table, { direction })
    : walkIndex(view.snapshot, table, index, { direction });
}

/** What is left of the run that the place is in, then everything beyond that run. */
async function* walkAfter(walk: Walk, after: SortPosition): AsyncGenerator<ObjectRef[]> {
  const { index, direction } = walk;
  const value = leadOf(after);
  const prefix = entryPrefix(index.id, index.keyType, value);
  const run = runOf(prefix, index.keyType);
  if (isCut(prefix, index.keyType)) {
    const order = [{ indexId: index.id, direction }];
    const compare = compareSortPositions(order);
    const refs = await sortEntriesOfCutRun(walk, rangeOfRun(run), order);
    yield refs.sort(compare).filter((ref) => compare(ref, after) > 0);
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

function refOf({ index }: Walk, { key, value }: KeyValue): ObjectRef {
  return { id: idInEntry(value), name: nameInEntry(key, index.keyType) };
}

async function* ascending(walk: Walk, whole: KeyRange): AsyncGenerator<ObjectRef[]> {
  const { snapshot, index, first = CHUNK, onRead } = walk;
  let range = whole;
  for (let limit = Math.min(first, CHUNK); ; limit = CHUNK) {
    const pairs = await snapshot.scan(range, { limit });
    onRead?.(pairs.length);
    const refs: ObjectRef[] = [];
    let run: Buffer | undefined;
    for (const pair of pairs) {
      if (isCut(pair.key, index.keyType)) {
        run = runOf(pair.key, index.keyType);
        break;
      }
      if (isWanted(walk, pair.value)) refs.push(refOf(walk, pair));
    }
    yield refs;
    if (run !== undefined) {
      const { start, end } = rangeOfRun(run);
      yield await refsOfCutRun(walk, { start, end });
      range = { start: end, end: range.end };
      continue;
    }
    const last = pairs.at(-1);
    if (last === undefined || pairs.length < limit) return;
    range = following(range, last.key);
  }
}

/** Entries come in descending order, but within a run of one value names must ascend: runs are turned around. */
async function* descending(walk: Walk, whole: KeyRange): AsyncGenerator<ObjectRef[]> {
  const { snapshot, index, first = CHUNK, onRead } = walk;
  let range = whole;
  // One more than wanted, so that the last wanted run is mostly seen to end.
  for (let limit = Math.min(first + 1, CHUNK); ; limit = CHUNK) {
    const pairs = await snapshot.scan(range, { reverse: true, limit });
    onRead?.(pairs.length);
    const out: ObjectRef[] = [];
    let run: Buffer | undefined;
    let refs: ObjectRef[] = [];
    for (const pair of pairs) {
      const next = runOf(pair.key, index.keyType);
      if (run !== undefined && !next.equals(run)) {
        const inOrder = turned(walk, run, refs);
        for (const ref of inOrder instanceof Promise ? await inOrder : inOrder) out.push(ref);
        refs = [];
      }
      run = next;
      if (isWanted(walk, pair.value)) refs.push(refOf(walk, pair));
    }
    const isEnd = pairs.length < limit;
    if (isEnd && run !== undefined) for (const ref of await turned(walk, run, refs)) out.push(ref);
    yield out;
    if (isEnd || run === undefined) return;
    // Where the last run ends is not known: it is walked from its beginning instead.
    yield* wholeRun(walk, run);
    range = preceding(range, run);
  }
}

function turned(walk: Walk, run: Buffer, refs: ObjectRef[]): MaybePromise<ObjectRef[]> {
  if (run.length < CUT_RUN_BYTES) return refs.length < 2 ? refs : refs.reverse();
  return isCutRun(walk, run).then((isCutOne) =>
    isCutOne ? refsOfCutRun(walk, rangeOfRun(run)) : refs.reverse(),
  );
}

/** Runs of cut values are at least so long; shorter ones need no look. */
const CUT_RUN_BYTES = 1_000;

async function isCutRun(walk: Walk, run: Buffer): Promise<boolean> {
  if (run.length < CUT_RUN_BYTES) return false;
  const [pair] = await walk.snapshot.scan(rangeOfRun(run), { limit: 1 });
  return pair !== undefined && isCut(pair.key, walk.index.keyType);
}

async function* wholeRun(walk: Walk, run: Buffer): AsyncGenerator<ObjectRef[]> {
  const range = rangeOfRun(run);
  if (await isCutRun(walk, run)) {
    yield await refsOfCutRun(walk, range);
    return;
  }
  yield* wantedIn(walk, range, walk.first);
}

/** Wanted entries in the order of their keys. */
async function* wantedIn(walk: Walk, range: KeyRange, first?: number): AsyncGenerator<ObjectRef[]> {
  for await (const pairs of chunksOf(walk.snapshot, range, 'asc', first)) {
    walk.onRead?.(pairs.length);
    yield pairs.filter((pair) => isWanted(walk, pair.value)).map((pair) => refOf(walk, pair));
  }
}

/** Values that were cut at the same bytes are put in order by the whole values in the index records. */
async function refsOfCutRun(walk: Walk, range: KeyRange): Promise<ObjectRef[]> {
  const order = [{ indexId: walk.index.id, direction: walk.direction }];
  return (await sortEntriesOfCutRun(walk, range, order)).sort(compareSortPositions(order));
}

/** The wanted objects of a run of cut values, with the whole values. */
export async function sortEntriesOfCutRun(
  walk: Walk,
  range: KeyRange,
  order: readonly SortField[],
): Promise<SortEntry[]> {
  const refs: ObjectRef[] = [];
  for await (const chunk of wantedIn(walk, range)) refs.push(...chunk);
  return readSortEntries(walk.snapshot, walk.table, refs, order);
}

/** A ref with what it is ordered by. */
export interface SortEntry extends ObjectRef, SortPosition {}

/** The refs with what they are ordered by. */
export async function readSortEntries(
  snapshot: Snapshot,
  table: Table,
  refs: readonly ObjectRef[],
  order: readonly SortField[],
): Promise<SortEntry[]> {
  const keys = order.length === 0 ? [] : refs.map(({ name }) => indexRecordKey(table.modelId, name));
  const rows = await snapshot.getMany(keys);
  return refs.map((ref, i) => sortEntryOf(ref, rows[i], order));
}

/** @param index record as it is stored; an object that is gone has none */
export function sortEntryOf(
  { id, name }: ObjectRef,
  row: Buffer | undefined,
  order: readonly SortField[],
): SortEntry {
  return { id, name, keys: row === undefined ? [] : keysInRecord(row, order) };
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
