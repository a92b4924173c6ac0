import type { Snapshot, KeyRange, KeyValue } from './engine.js';
import { isLargest, isSmallest } from './entries.js';
import {
  entriesOf,
  following,
  isCut,
  nameInEntry,
  nameInKey,
  preceding,
  rangeOfRun,
  rowKey,
  rowsOf,
  runOf,
} from './keys.js';
import { decodeRow, type Row } from './row.js';
import type { Table, TableIndex } from './table.js';

/** Pairs that one scan takes at most: bounds what is in memory and how long the event loop is held. */
export const CHUNK = 1_000;

export type Direction = 'asc' | 'desc';

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
    rest = direction === 'asc' ? following(rest, last.key) : preceding(rest, last.key);
  }
}

/** Names of all objects of a table, by code point. */
export async function* walkNames(
  snapshot: Snapshot,
  table: Table,
  direction: Direction,
  first?: number,
): AsyncGenerator<string[]> {
  for await (const pairs of chunksOf(snapshot, rowsOf(table.modelId), direction, first)) {
    yield pairs.map((pair) => nameInKey(pair.key));
  }
}

/**
 * Names of all objects of a table by an index that is not sparse: each once, by its smallest value ascending
 * or its largest descending; objects without a value first ascending, last descending; ties by name ascending.
 * @param first how many names the caller wants to begin with
 */
export function walkIndex(
  snapshot: Snapshot,
  table: Table,
  index: TableIndex,
  direction: Direction,
  first = CHUNK,
): AsyncGenerator<string[]> {
  const walk = { snapshot, table, index, direction };
  return direction === 'asc' ? ascending(walk, first) : descending(walk, first);
}

interface Walk {
  readonly snapshot: Snapshot;
  readonly table: Table;
  readonly index: TableIndex;
  readonly direction: Direction;
}

/** Whether this entry is the one that an object is placed by. */
function places(walk: Walk, value: Uint8Array): boolean {
  return walk.direction === 'asc' ? isSmallest(value) : isLargest(value);
}

async function* ascending(walk: Walk, first: number): AsyncGenerator<string[]> {
  const { snapshot, index } = walk;
  let range: KeyRange = entriesOf(index.id);
  for (let limit = Math.min(first, CHUNK); ; limit = CHUNK) {
    const pairs = await snapshot.scan(range, { limit });
    const names: string[] = [];
    let run: Buffer | undefined;
    for (const { key, value } of pairs) {
      if (isCut(key, index.keyType)) {
        run = runOf(key, index.keyType);
        break;
      }
      if (places(walk, value)) names.push(nameInEntry(key, index.keyType));
    }
    if (names.length > 0) yield names;
    if (run !== undefined) {
      const { start, end } = rangeOfRun(run);
      yield await namesOfCutRun(walk, { start, end });
      range = { start: end, end: range.end };
      continue;
    }
    const last = pairs.at(-1);
    if (last === undefined || pairs.length < limit) return;
    range = following(range, last.key);
  }
}

/** Entries come in descending order, but within a run of one value names must ascend: runs are turned around. */
async function* descending(walk: Walk, first: number): AsyncGenerator<string[]> {
  const { snapshot, index } = walk;
  let range: KeyRange = entriesOf(index.id);
  let run: Buffer | undefined;
  let names: string[] = [];
  // One more than wanted, so that the last wanted run is seen to end.
  for (let limit = Math.min(first + 1, CHUNK); ; limit = CHUNK) {
    const pairs = await snapshot.scan(range, { reverse: true, limit });
    const out: string[] = [];
    let longRun: Buffer | undefined;
    for (const { key, value } of pairs) {
      const next = runOf(key, index.keyType);
      if (run !== undefined && !next.equals(run)) {
        for (const name of await turned(walk, run, names)) out.push(name);
        names = [];
      }
      run = next;
      if (places(walk, value)) names.push(nameInEntry(key, index.keyType));
      if (names.length >= CHUNK) {
        longRun = run;
        break;
      }
    }
    if (out.length > 0) yield out;
    const last = pairs.at(-1);
    if (longRun !== undefined) {
      yield* wholeRun(walk, longRun);
      range = preceding(range, longRun);
      run = undefined;
      names = [];
      continue;
    }
    if (last === undefined || pairs.length < limit) {
      if (run !== undefined) yield await turned(walk, run, names);
      return;
    }
    range = preceding(range, last.key);
  }
}

async function turned(walk: Walk, run: Buffer, names: string[]): Promise<string[]> {
  const first = rangeOfRun(run);
  return run.length >= CUT_RUN_BYTES && (await isCutRun(walk, first))
    ? namesOfCutRun(walk, first)
    : names.reverse();
}

/** Runs of cut values are at least so long; shorter ones need no look. */
const CUT_RUN_BYTES = 1_000;

async function isCutRun(walk: Walk, range: KeyRange): Promise<boolean> {
  const [pair] = await walk.snapshot.scan(range, { limit: 1 });
  return pair !== undefined && isCut(pair.key, walk.index.keyType);
}

async function* wholeRun(walk: Walk, run: Buffer): AsyncGenerator<string[]> {
  const range = rangeOfRun(run);
  if (await isCutRun(walk, range)) {
    yield await namesOfCutRun(walk, range);
    return;
  }
  for await (const pairs of chunksOf(walk.snapshot, range)) {
    yield pairs.filter((pair) => places(walk, pair.value)).map((p) => nameInEntry(p.key, walk.index.keyType));
  }
}

/** Values that were cut at the same bytes are put in order by the whole values in the rows. */
async function namesOfCutRun(walk: Walk, range: KeyRange): Promise<string[]> {
  const names: string[] = [];
  for await (const pairs of chunksOf(walk.snapshot, range)) {
    for (const { key, value } of pairs) {
      if (places(walk, value)) names.push(nameInEntry(key, walk.index.keyType));
    }
  }
  const rows = await readRows(walk.snapshot, walk.table, names);
  return sortNames(names, rows, [{ indexId: walk.index.id, direction: walk.direction }]);
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

export interface RowOrder {
  readonly indexId: number;
  readonly direction: Direction;
}

/** Orders names by what their rows hold, as {@link walkIndex} does, by several indexes. */
export function sortNames(
  names: readonly string[],
  rows: readonly (Row | undefined)[],
  order: readonly RowOrder[],
  nameDirection: Direction = 'asc',
): string[] {
  const keyed = names.map((name, i) => ({
    name,
    keys: order.map(({ indexId, direction }) =>
      rows[i]?.values.get(indexId)?.at(direction === 'asc' ? 0 : -1),
    ),
  }));
  keyed.sort((a, b) => {
    for (const [i, { direction }] of order.entries()) {
      const byValue = compareKeys(a.keys[i], b.keys[i]);
      if (byValue !== 0) return direction === 'asc' ? byValue : -byValue;
    }
    return nameDirection === 'asc' ? compareNames(a.name, b.name) : compareNames(b.name, a.name);
  });
  return keyed.map((entry) => entry.name);
}

function compareKeys(a: Buffer | undefined, b: Buffer | undefined): number {
  if (a === undefined || b === undefined) return (a === undefined ? 0 : 1) - (b === undefined ? 0 : 1);
  return a.compare(b);
}

/** Names are ASCII, so code units compare as code points. */
export function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
