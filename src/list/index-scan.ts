import { readU48 } from '../lib/bytes.js';
import type { KeyRange, KeyValue, Snapshot, VisitPair } from '../store/engine.js';
import { isLargest, isSmallest } from '../store/entries.js';
import { keysInValues, type SortField } from '../store/index-record.js';
import {
  entriesOf,
  entryPrefix,
  following,
  idInEntry,
  isCut,
  isInRun,
  nameKey,
  namesOf,
  objectKey,
  rangeOfRun,
  runOf,
  runOfPrefix,
  valueOfRun,
} from '../store/keys.js';
import { nameIn, valuesIn } from '../store/object-record.js';
import { afterKey, beyondRun, CHUNK, chunksOf, type Direction } from '../store/scan.js';
import type { ReadView } from '../store/store.js';
import type { Table, TableIndex } from '../store/table.js';
import { type IdSet, IdSetBuilder } from './filter/id-set.js';

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
  readonly onRead?: ((pairs: number) => void) | undefined;
  /** So many of the first objects are only counted: where they are tied, they may come in any order. Default: none. */
  readonly offset?: number;
  /** How many objects the table has. */
  readonly objects?: number;
  /** The wanted objects of a value, or of none, when they may be at hand; for indexes with one value an object. */
  readonly idsOfValue?: ((value: Buffer | undefined) => Promise<IdSet>) | undefined;
  /** Whether objects of the same value may come in any order. Default: names ascend. */
  readonly isAnyTieRight?: boolean;
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
  { direction, first = CHUNK, onRead, skips, after }: WalkOptions,
): AsyncGenerator<number[]> {
  let range = namesOf(table.modelId);
  if (after !== undefined) {
    range = afterKey(range, nameKey(table.modelId, after.name), direction);
  }
  for (let limit = Math.min(first, CHUNK); ; limit = CHUNK) {
    const ids: number[] = [];
    let pairs = 0;
    const last = await snapshot.scanInPlace(range, { limit, reverse: direction === 'desc' }, (value) => {
      pairs++;
      const id = readU48(value);
      if (skips?.(id) !== true) ids.push(id);
      return true;
    });
    onRead?.(pairs);
    yield ids;
    if (last === undefined) return;
    range = afterKey(range, last, direction);
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
  return byRuns(walk, entriesOf(index.id));
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
  const prefix = entryPrefix(index.id, index.keyType, leadOf(after));
  const run = runOfPrefix(prefix, index.keyType);
  if (isCut(prefix, index.keyType)) {
    const order = [{ indexId: index.id, direction }];
    const compare = compareSortPositions(order);
    const entries = await sortEntriesOfCutRun(walk, rangeOfRun(run), order);
    yield idsInOrder(entries.filter((entry) => compare(entry, after) > 0).sort(compare));
  } else {
    yield* wholeRun(walk, run, { after: after.name, given: 0 });
  }
  yield* byRuns(walk, beyondRun(entriesOf(index.id), run, direction));
}

/** A walk by an index. */
export interface Walk extends WalkOptions {
  readonly snapshot: Snapshot;
  readonly table: Table;
  readonly index: TableIndex;
}

/** Whether an entry of an object is the one that the object is placed by, and wanted. */
export function isWanted({ direction, skips }: Walk, value: Uint8Array, id: number): boolean {
  if (!(direction === 'asc' ? isSmallest(value) : isLargest(value))) return false;
  return skips?.(id) !== true;
}

function idsInOrder(entries: readonly SortEntry[]): number[] {
  return entries.map(({ id }) => id);
}

/** Objects of the same value, as far as entries were read. */
interface Run {
  /** What their entries share. */
  readonly run: Buffer;
  readonly isCut: boolean;
  /** Of those that are wanted. */
  readonly ids: number[];
}

/** Run by run in the walk's direction. The entries of a run are in the order of the ids, and names must ascend. */
async function* byRuns(walk: Walk, whole: KeyRange): AsyncGenerator<number[]> {
  const { snapshot, direction, first = CHUNK, onRead } = walk;
  let range = whole;
  let given = 0;
  // One more than wanted, so that the last wanted run is mostly seen to end.
  for (let limit = Math.min(first + 1, CHUNK); ; limit = CHUNK) {
    const pairs = await snapshot.scan(range, { reverse: direction === 'desc', limit });
    onRead?.(pairs.length);
    const runs = runsOf(walk, pairs);
    // Where the last run ends is not known: it is read from its beginning instead.
    const last = pairs.length < limit ? undefined : runs.pop();
    const ids = await inOrder(walk, runs, given);
    yield ids;
    given += ids.length;
    if (last === undefined) return;
    for await (const some of wholeRun(walk, last.run, { after: '', given })) {
      yield some;
      given += some.length;
    }
    range = beyondRun(range, last.run, direction);
  }
}

function runsOf(walk: Walk, pairs: readonly KeyValue[]): Run[] {
  const { keyType } = walk.index;
  const runs: Run[] = [];
  let current: Run | undefined;
  for (const { key, value } of pairs) {
    if (current === undefined || !isInRun({ bytes: key, start: 0, end: key.length }, current.run, keyType)) {
      current = { run: runOf(key, keyType), isCut: isCut(key, keyType), ids: [] };
      runs.push(current);
    }
    const id = idInEntry(key);
    if (isWanted(walk, value, id)) current.ids.push(id);
  }
  return runs;
}

/** Ids of whole runs. @param given how many objects came before them */
async function inOrder(walk: Walk, runs: readonly Run[], given: number): Promise<number[]> {
  let end = given;
  const tied = runs.filter((run) => {
    end += run.ids.length;
    return !run.isCut && run.ids.length > 1 && !isTieIdle(walk, end);
  });
  const entries = await readSortEntries(
    walk.snapshot,
    walk.table,
    tied.flatMap(({ ids }) => ids),
    [],
  );
  const names = new Map(entries.map(({ id, name }) => [id, name]));
  const nameOf = (id: number): string => names.get(id) ?? '';
  for (const { ids } of tied) ids.sort((a, b) => compareNames(nameOf(a), nameOf(b)));
  const all: number[] = [];
  for (const { run, ids, isCut: isCutOne } of runs) {
    for (const id of isCutOne ? await idsOfCutRun(walk, rangeOfRun(run)) : ids) all.push(id);
  }
  return all;
}

/** Runs of cut values are at least so long; shorter ones need no look. */
const CUT_RUN_BYTES = 1_000;

async function isCutRun(walk: Walk, run: Buffer): Promise<boolean> {
  if (run.length < CUT_RUN_BYTES) return false;
  const [pair] = await walk.snapshot.scan(rangeOfRun(run), { limit: 1 });
  return pair !== undefined && isCut(pair.key, walk.index.keyType);
}

/** Whether it does not matter in which order objects come that are tied, up to a place. */
function isTieIdle({ isAnyTieRight = false, offset = 0 }: Walk, end: number): boolean {
  return isAnyTieRight || end <= offset;
}

interface RunStart {
  /** Only what comes after this name is wanted; empty for all. */
  readonly after: string;
  /** How many objects came before. */
  readonly given: number;
}

async function* wholeRun(walk: Walk, run: Buffer, start: RunStart): AsyncGenerator<number[]> {
  const range = rangeOfRun(run);
  if (await isCutRun(walk, run)) yield await idsOfCutRun(walk, range);
  else if (walk.isAnyTieRight === true) yield* wantedIn(walk, range);
  else yield* runInNameOrder(walk, run, start);
}

/** Wanted entries in the order of their keys. */
async function* wantedIn(walk: Walk, range: KeyRange): AsyncGenerator<number[]> {
  for await (const pairs of chunksOf(walk.snapshot, range, 'asc')) {
    walk.onRead?.(pairs.length);
    const ids: number[] = [];
    for (const { key, value } of pairs) {
      const id = idInEntry(key);
      if (isWanted(walk, value, id)) ids.push(id);
    }
    yield ids;
  }
}

/** More objects of one value are not held with their names. */
const RUN_SORTED_MAX = 20_000;
/** Walking past so many names costs as much as reading one by its id. */
const NAMES_PER_RECORD = 4;

/** Sorts by names, or walks all names and takes those that are of the run, whichever costs less. */
async function* runInNameOrder(
  walk: Walk,
  run: Buffer,
  { after, given }: RunStart,
): AsyncGenerator<number[]> {
  const { snapshot, table, first = Infinity, objects = Infinity } = walk;
  const ids = await idsOfRun(walk, run);
  if (ids.size === 0) return;
  const walked = (Math.min(first, ids.size) * objects) / ids.size / NAMES_PER_RECORD;
  const isIdle = isTieIdle(walk, given + ids.size);
  if (isIdle || (ids.size <= RUN_SORTED_MAX && ids.size <= Math.max(walked, CHUNK))) {
    const list: number[] = [];
    ids.forEach((id) => list.push(id));
    if (isIdle) {
      yield list;
      return;
    }
    const entries = await readSortEntries(snapshot, table, list, []);
    yield idsInOrder(entries.filter(({ name }) => name > after).sort((a, b) => compareNames(a.name, b.name)));
    return;
  }
  let left = ids.size;
  const place = after === '' ? undefined : { name: after, keys: [] };
  const skips = (id: number): boolean => !ids.has(id);
  for await (const some of walkNames(snapshot, table, {
    direction: 'asc',
    onRead: walk.onRead,
    skips,
    after: place,
  })) {
    yield some;
    left -= some.length;
    if (left <= 0) return;
  }
}

/** Ids of the wanted objects that a run places. */
async function idsOfRun(walk: Walk, run: Buffer): Promise<IdSet> {
  const { snapshot, index, idsOfValue } = walk;
  const range = rangeOfRun(run);
  const builder = new IdSetBuilder();
  let entries = 0;
  const visit: VisitPair = (value, { bytes, end }) => {
    entries++;
    const id = idInEntry(bytes, end);
    if (isWanted(walk, value, id)) builder.add(id);
    return true;
  };
  let rest = range;
  for (let limit = CHUNK; ; limit = IDS_CHUNK) {
    const last = await snapshot.scanInPlace(rest, { limit }, visit);
    walk.onRead?.(entries);
    if (last === undefined) return builder.done();
    if (idsOfValue !== undefined) return idsOfValue(valueOfRun(run, index.keyType));
    entries = 0;
    rest = following(rest, last);
  }
}

/** Ids that are read in one go: they take less time than other entries. */
const IDS_CHUNK = 4_000;

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
