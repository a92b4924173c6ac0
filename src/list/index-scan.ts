import type { KeyRange, KeyValue, Snapshot } from '../store/engine.js';
import type { SortField } from '../store/index/index-record.js';
import {
  getEntries,
  entryPrefix,
  idInEntry,
  isCut,
  isInRun,
  rangeOfRun,
  valueGroup,
  runOfPrefix,
  VALUE_BYTES_MAX,
} from '../store/index/keys.js';
import { beyondRun, CHUNK, scanChunks, type Direction } from '../store/index/scan.js';
import type { ReadView } from '../store/read-view.js';
import type { Table, TableIndex } from '../store/table.js';
import { runInNameOrder, type RunStart } from './run-order.js';
import {
  compareNames,
  compareSortPositions,
  idsInOrder,
  getLeadingValue,
  readSortEntries,
  type SortEntry,
  type SortPosition,
} from './sort-position.js';
import { skipsTieOrder, isWanted, type Walk, walkNames, type WalkOptions } from './walk.js';

/** An order that an index provides; or the order by name when `index` is undefined. */
export interface WalkOrder {
  readonly index: TableIndex | undefined;
  readonly direction: Direction;
}

/**
 * Walks the ids of all objects of a table by an index that is not sparse. Each object comes once, by its smallest
 * value ascending or its largest descending. Objects without a value come first ascending, last descending; ties are
 * by name ascending. A chunk may be empty, so that a caller that uses {@link yieldBetween} lets other work run there
 * too.
 */
export function walkIndex(
  snapshot: Snapshot,
  table: Table,
  index: TableIndex,
  options: WalkOptions,
): AsyncGenerator<number[]> {
  const walk = { snapshot, table, index, ...options };
  if (options.after !== undefined) return walkAfter(walk, options.after);
  return byRuns(walk, getEntries(index.id));
}

/** Walks the ids of all objects of a table in an order that can be walked. */
export function walkInOrder(
  view: ReadView,
  table: Table,
  { index, direction }: WalkOrder,
): AsyncGenerator<number[]> {
  return index === undefined
    ? walkNames(view.snapshot, table, { direction })
    : walkIndex(view.snapshot, table, index, { direction });
}

/** The rest of the run that contains the position, then everything after that run. */
async function* walkAfter(walk: Walk, after: SortPosition): AsyncGenerator<number[]> {
  const { index, direction } = walk;
  const prefix = entryPrefix(index.id, index.keyType, getLeadingValue(after));
  const run = runOfPrefix(prefix, index.keyType);
  if (isCut(prefix, index.keyType)) {
    const order = [{ indexId: index.id, direction }];
    const compare = compareSortPositions(order);
    const entries = await sortEntriesOfCutRun(walk, rangeOfRun(run), order);
    yield idsInOrder(entries.filter((entry) => compare(entry, after) > 0).sort(compare));
  } else {
    yield* wholeRun(walk, run, { after: after.name, given: 0 });
  }
  yield* byRuns(walk, beyondRun(getEntries(index.id), run, direction));
}

/** Objects with the same value, as far as entries were read. */
interface Run {
  /** The common prefix of their entries. */
  readonly run: Buffer;
  readonly isCut: boolean;
  /** Ids of the wanted objects. */
  readonly ids: number[];
}

/** Walks run by run in the walk's direction. The entries of a run are sorted by id, but names must ascend. */
async function* byRuns(walk: Walk, whole: KeyRange): AsyncGenerator<number[]> {
  const { snapshot, direction, first = CHUNK, onRead } = walk;
  let range = whole;
  let given = 0;
  // One entry more than wanted, so that the end of the last wanted run is usually known.
  for (let limit = Math.min(first + 1, CHUNK); ; limit = CHUNK) {
    const pairs = await snapshot.scan(range, { reverse: direction === 'desc', limit });
    onRead?.(pairs.length);
    const runs = groupByValue(walk, pairs);
    // The end of the last run is not known, so that run is read from its start.
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

function groupByValue(walk: Walk, pairs: readonly KeyValue[]): Run[] {
  const { keyType } = walk.index;
  const runs: Run[] = [];
  let current: Run | undefined;
  for (const { key } of pairs) {
    const place = { bytes: key, start: 0, end: key.length };
    if (current === undefined || !isInRun(place, current.run, keyType)) {
      current = { run: valueGroup(key, keyType), isCut: isCut(key, keyType), ids: [] };
      runs.push(current);
    }
    const id = idInEntry(key);
    if (isWanted(walk, id, place)) current.ids.push(id);
  }
  return runs;
}

/**
 * The ids of whole runs, in order.
 * @param given number of objects before them
 */
async function inOrder(walk: Walk, runs: readonly Run[], given: number): Promise<number[]> {
  let end = given;
  const tied = runs.filter((run) => {
    end += run.ids.length;
    return !run.isCut && run.ids.length > 1 && !skipsTieOrder(walk, end);
  });
  const entries = await readSortEntries(
    walk.snapshot,
    walk.table,
    tied.flatMap(({ ids }) => ids),
    [],
  );
  const names = new Map(entries.map(({ id, name }) => [id, name]));
  const getName = (id: number): string => names.get(id) ?? '';
  for (const { ids } of tied) ids.sort((a, b) => compareNames(getName(a), getName(b)));
  const all: number[] = [];
  for (const { run, ids, isCut: isCutOne } of runs) {
    for (const id of isCutOne ? await idsOfCutRun(walk, rangeOfRun(run)) : ids) all.push(id);
  }
  return all;
}

async function isCutRun(walk: Walk, run: Buffer): Promise<boolean> {
  if (run.length < VALUE_BYTES_MAX) return false;
  const [pair] = await walk.snapshot.scan(rangeOfRun(run), { limit: 1 });
  return pair !== undefined && isCut(pair.key, walk.index.keyType);
}

async function* wholeRun(walk: Walk, run: Buffer, start: RunStart): AsyncGenerator<number[]> {
  const range = rangeOfRun(run);
  if (await isCutRun(walk, run)) yield await idsOfCutRun(walk, range);
  else if (walk.anyTieOrder === true) yield* wantedIn(walk, range);
  else yield* runInNameOrder(walk, run, start);
}

/** Ids of the wanted entries, in key order. */
async function* wantedIn(walk: Walk, range: KeyRange): AsyncGenerator<number[]> {
  for await (const pairs of scanChunks(walk.snapshot, range, 'asc')) {
    walk.onRead?.(pairs.length);
    const ids: number[] = [];
    for (const { key } of pairs) {
      const id = idInEntry(key);
      if (isWanted(walk, id, { bytes: key, start: 0, end: key.length })) ids.push(id);
    }
    yield ids;
  }
}

/** Values that are cut at the same bytes are sorted by the whole values in the index records. */
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
