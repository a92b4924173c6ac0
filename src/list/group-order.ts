import { decodeKey, entriesIn, entryId, IDS_CHUNK, type ValueGroup } from '../store/index/index-reader.js';
import { walkNames } from '../store/index/names.js';
import { CHUNK, visitChunks } from '../store/index/scan.js';
import { type IdSet, IdSetBuilder } from './filter/id-set.js';
import { SortedRuns } from '../lib/sorted-runs.js';
import { compareNames, idsInOrder, readSortEntries, type SortEntry } from './sort-position.js';
import { skipsTieOrder, isWanted, type Walk } from './walk.js';

/** The start of a walk in a group of objects with one value. */
export interface GroupStart {
  /** Only names after this one are wanted; empty for all. */
  readonly after: string;
  /** Number of objects before the group. */
  readonly given: number;
}

/** Most objects of one value that are kept in memory with their names. */
const GROUP_SORTED_MAX = 20_000;
/** Names that can be walked at the cost of one read by id. */
const NAMES_PER_RECORD = 4;

/** Sorts the group by names, or walks all names and selects those of the group; the cheaper way. */
export async function* groupInNameOrder(
  walk: Walk,
  group: ValueGroup,
  { after, given }: GroupStart,
): AsyncGenerator<number[]> {
  const ids = await idsOfGroup(walk, group);
  if (ids.size === 0) return;
  if (skipsTieOrder(walk, given + ids.size)) yield ids.toArray();
  else yield* inNameOrder(walk, ids, after);
}

/** A source of names, see {@link Walk}. */
export type NameSource = Pick<Walk, 'snapshot' | 'table' | 'objects' | 'first' | 'onRead'>;

/** Objects by name, in the cheaper of the two ways. @param after only names after this one; empty for all */
export async function* inNameOrder(source: NameSource, ids: IdSet, after: string): AsyncGenerator<number[]> {
  const { first = Infinity, objects = Infinity } = source;
  const walked = (Math.min(first, ids.size) * objects) / ids.size / NAMES_PER_RECORD;
  const isSmall = ids.size <= GROUP_SORTED_MAX && ids.size <= Math.max(walked, CHUNK);
  yield* isSmall ? sortedByName(source, ids.toArray(), after) : pickedFromNames(source, ids, after);
}

async function* sortedByName(
  { snapshot, table }: NameSource,
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
  { snapshot, table, onRead }: NameSource,
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

/** Ids of the wanted objects that a group places. */
async function idsOfGroup(walk: Walk, group: ValueGroup): Promise<IdSet> {
  const { snapshot, index, idsOfValue, onRead } = walk;
  const builder = new IdSetBuilder();
  let entries = 0;
  const sizes = { limit: IDS_CHUNK, first: CHUNK };
  const chunks = visitChunks(snapshot, entriesIn(group), sizes, (_value, place) => {
    entries++;
    const id = entryId(place);
    if (isWanted(walk, id, place)) builder.add(id);
    return true;
  });
  for await (const hasMore of chunks) {
    onRead?.(entries);
    if (hasMore && idsOfValue !== undefined) return idsOfValue(decodeKey(index, group));
    entries = 0;
  }
  return builder.done();
}
