import type { VisitPair } from '../store/engine.js';
import { afterKey, idInEntry, rangeOfRun, valueOfRun } from '../store/index/keys.js';
import { CHUNK } from '../store/index/scan.js';
import { type IdSet, IdSetBuilder } from './filter/id-set.js';
import { SortedRuns } from '../lib/sorted-runs.js';
import { compareNames, idsInOrder, readSortEntries, type SortEntry } from './sort-position.js';
import { skipsTieOrder, isWanted, type Walk, walkNames } from './walk.js';

/** The start of a walk in a run of objects with one value. */
export interface RunStart {
  /** Only names after this one are wanted; empty for all. */
  readonly after: string;
  /** Number of objects before the run. */
  readonly given: number;
}

/** Most objects of one value that are kept in memory with their names. */
const RUN_SORTED_MAX = 20_000;
/** Names that can be walked at the cost of one read by id. */
const NAMES_PER_RECORD = 4;

/** Sorts the run by names, or walks all names and selects those of the run; the cheaper way. */
export async function* runInNameOrder(
  walk: Walk,
  run: Buffer,
  { after, given }: RunStart,
): AsyncGenerator<number[]> {
  const { first = Infinity, objects = Infinity } = walk;
  const ids = await idsOfRun(walk, run);
  if (ids.size === 0) return;
  const walked = (Math.min(first, ids.size) * objects) / ids.size / NAMES_PER_RECORD;
  const isIdle = skipsTieOrder(walk, given + ids.size);
  if (isIdle || (ids.size <= RUN_SORTED_MAX && ids.size <= Math.max(walked, CHUNK))) {
    const list: number[] = [];
    ids.forEach((id) => list.push(id));
    if (isIdle) {
      yield list;
      return;
    }
    yield* sortedByName(walk, list, after);
  } else {
    yield* pickedFromNames(walk, ids, after);
  }
}

async function* sortedByName(
  { snapshot, table }: Walk,
  ids: readonly number[],
  after: string,
): AsyncGenerator<number[]> {
  const sorted = new SortedRuns<SortEntry>((one, other) => compareNames(one.name, other.name));
  for (let at = 0; at < ids.length; at += CHUNK) {
    const entries = await readSortEntries(snapshot, table, ids.slice(at, at + CHUNK), []);
    await sorted.add(entries.filter(({ name }) => name > after));
    yield [];
  }
  for await (const entries of sorted.inOrder()) yield idsInOrder(entries);
}

async function* pickedFromNames(
  { snapshot, table, onRead }: Walk,
  ids: IdSet,
  after: string,
): AsyncGenerator<number[]> {
  let left = ids.size;
  const place = after === '' ? undefined : { name: after, keys: [] };
  const skips = (id: number): boolean => !ids.has(id);
  for await (const some of walkNames(snapshot, table, {
    direction: 'asc',
    onRead,
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
  const visit: VisitPair = (_value, key) => {
    entries++;
    const id = idInEntry(key.bytes, key.end);
    if (isWanted(walk, id, key)) builder.add(id);
    return true;
  };
  let rest = range;
  for (let limit = CHUNK; ; limit = IDS_CHUNK) {
    const last = await snapshot.scanInPlace(rest, { limit }, visit);
    walk.onRead?.(entries);
    if (last === undefined) return builder.done();
    if (idsOfValue !== undefined) return idsOfValue(valueOfRun(run, index.keyType));
    entries = 0;
    rest = afterKey(rest, last);
  }
}

/** Ids in one read: they take less time than other entries. */
const IDS_CHUNK = 4_000;
