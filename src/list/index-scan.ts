import type { KeyRange, Snapshot } from '../store/engine.js';
import type { SortField } from '../store/index/index-record.js';
import {
  allEntries,
  beyondGroup,
  entriesIn,
  entryId,
  getValueGroup,
  groupAt,
  isCutValue,
  type ValueGroup,
} from '../store/index/index-reader.js';
import { walkNames } from '../store/index/names.js';
import { CHUNK, type Direction, visitChunks } from '../store/index/scan.js';
import type { ReadView } from '../store/read-view.js';
import type { Table, TableIndex } from '../store/table.js';
import { groupInNameOrder, type GroupStart } from './group-order.js';
import {
  compareNames,
  compareSortPositions,
  idsInOrder,
  getLeadingValue,
  readSortEntries,
  type SortEntry,
  type SortPosition,
} from './sort-position.js';
import { skipsTieOrder, isWanted, type Walk, type WalkOptions } from './walk.js';

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
  return byGroups(walk, allEntries(index));
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

/** The rest of the group that contains the position, then everything after that group. */
async function* walkAfter(walk: Walk, after: SortPosition): AsyncGenerator<number[]> {
  const { index, direction } = walk;
  const group = getValueGroup(index, getLeadingValue(after));
  if (isCutValue(index, group)) {
    const order = [{ indexId: index.id, direction }];
    const compare = compareSortPositions(order);
    const entries = await sortEntriesOfCutGroup(walk, group, order);
    yield idsInOrder(entries.filter((entry) => compare(entry, after) > 0).sort(compare));
  } else {
    yield* wholeGroup(walk, group, { after: after.name, given: 0 });
  }
  yield* byGroups(walk, beyondGroup(allEntries(index), group, direction));
}

/** Objects of one group, as far as entries were read. */
interface Group {
  readonly group: ValueGroup;
  /** Ids of the wanted objects. */
  readonly ids: number[];
}

/** Walks group by group in the walk's direction. The entries of a group are sorted by id, but names must ascend. */
async function* byGroups(walk: Walk, whole: KeyRange): AsyncGenerator<number[]> {
  const { first = CHUNK, direction } = walk;
  let range = whole;
  let given = 0;
  // One entry more than wanted, so that the end of the last wanted group is usually known.
  for (let limit = Math.min(first + 1, CHUNK); ; limit = CHUNK) {
    const { groups, isEnd } = await readGroups(walk, range, limit);
    // The end of the last group is not known, so that group is read from its start.
    const last = isEnd ? undefined : groups.pop();
    const ids = await inOrder(walk, groups, given);
    yield ids;
    given += ids.length;
    if (last === undefined) return;
    for await (const some of wholeGroup(walk, last.group, { after: '', given })) {
      yield some;
      given += some.length;
    }
    range = beyondGroup(range, last.group, direction);
  }
}

async function readGroups(
  walk: Walk,
  range: KeyRange,
  limit: number,
): Promise<{ readonly groups: Group[]; readonly isEnd: boolean }> {
  const groups: Group[] = [];
  let current: Group | undefined;
  let entries = 0;
  const reverse = walk.direction === 'desc';
  const last = await walk.snapshot.scanInPlace(range, { reverse, limit }, (_value, place) => {
    entries++;
    const group = groupAt(walk.index, place, current?.group);
    if (group !== current?.group) groups.push((current = { group, ids: [] }));
    const id = entryId(place);
    if (isWanted(walk, id, place)) current.ids.push(id);
    return true;
  });
  walk.onRead?.(entries);
  return { groups, isEnd: last === undefined };
}

/**
 * The ids of whole groups, in order.
 * @param given number of objects before them
 */
async function inOrder(walk: Walk, groups: readonly Group[], given: number): Promise<number[]> {
  let end = given;
  const tied = groups.filter(({ group, ids }) => {
    end += ids.length;
    return ids.length > 1 && !isCutValue(walk.index, group) && !skipsTieOrder(walk, end);
  });
  if (tied.length > 0) await sortByName(walk, tied);
  const all: number[] = [];
  for (const { group, ids } of groups) {
    for (const id of isCutValue(walk.index, group) ? await idsOfCutGroup(walk, group) : ids) all.push(id);
  }
  return all;
}

async function sortByName({ snapshot, table }: Walk, groups: readonly Group[]): Promise<void> {
  const all = groups.flatMap(({ ids }) => ids);
  const names = new Map<number, string>();
  for (const { id, name } of await readSortEntries(snapshot, table, all, [])) names.set(id, name);
  const getName = (id: number): string => names.get(id) ?? '';
  for (const { ids } of groups) ids.sort((a, b) => compareNames(getName(a), getName(b)));
}

async function* wholeGroup(walk: Walk, group: ValueGroup, start: GroupStart): AsyncGenerator<number[]> {
  if (isCutValue(walk.index, group)) yield await idsOfCutGroup(walk, group);
  else if (walk.anyTieOrder === true) yield* wantedIn(walk, group);
  else yield* groupInNameOrder(walk, group, start);
}

/** Ids of the wanted entries, in key order. */
async function* wantedIn(walk: Walk, group: ValueGroup): AsyncGenerator<number[]> {
  let ids: number[] = [];
  let entries = 0;
  const chunks = visitChunks(walk.snapshot, entriesIn(group), { limit: CHUNK }, (_value, place) => {
    entries++;
    const id = entryId(place);
    if (isWanted(walk, id, place)) ids.push(id);
    return true;
  });
  for await (const _ of chunks) {
    walk.onRead?.(entries);
    yield ids;
    ids = [];
    entries = 0;
  }
}

/** Values that are cut at the same bytes are sorted by the whole values in the index records. */
async function idsOfCutGroup(walk: Walk, group: ValueGroup): Promise<number[]> {
  const order = [{ indexId: walk.index.id, direction: walk.direction }];
  return idsInOrder((await sortEntriesOfCutGroup(walk, group, order)).sort(compareSortPositions(order)));
}

/** The wanted objects of a group of cut values, with the whole values. */
export async function sortEntriesOfCutGroup(
  walk: Walk,
  group: ValueGroup,
  order: readonly SortField[],
): Promise<SortEntry[]> {
  const ids: number[] = [];
  for await (const chunk of wantedIn(walk, group)) ids.push(...chunk);
  return readSortEntries(walk.snapshot, walk.table, ids, order);
}
