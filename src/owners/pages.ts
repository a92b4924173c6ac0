import type { MaybePromise } from '../lib/work/maybe-promise.js';
import type { KeyRange, Snapshot } from '../store/engine.js';
import { afterKey, getEntries, idInEntry } from '../store/index/keys.js';
import { entriesOfUid, ownerIndex } from '../store/index/owner-index.js';
import type { CurrentView } from '../store/store.js';
import type { Table, TableIndex } from '../store/table.js';

/** Objects in one batch: all their writes are in memory at once. */
const PAGE = 256;

/** Reads from one snapshot after another. */
export interface Snapshots {
  now<T>(read: (current: CurrentView) => MaybePromise<T>): Promise<T>;
}

/** True when objects of the model can be written now. */
export function isWritable(table: Table): boolean {
  return table.problem() === undefined;
}

/** Ids of the objects with an entry in an index, page by page; each page is from its own snapshot. */
export function idsIn(snapshots: Snapshots, index: TableIndex): AsyncGenerator<number[]> {
  return idPages(snapshots, getEntries(index.id));
}

/** Ids of the objects that name an owner with this uid, likewise. */
export function dependentIds(snapshots: Snapshots, table: Table, uid: string): AsyncGenerator<number[]> {
  const index = ownerIndex(table);
  return index === undefined ? none() : idPages(snapshots, entriesOfUid(index, uid));
}

/** True when an object of the models names an owner with this uid. */
export async function hasDependents(
  snapshot: Snapshot,
  tables: Iterable<Table>,
  uid: string,
): Promise<boolean> {
  for (const table of tables) {
    const index = ownerIndex(table);
    if (index !== undefined && (await hasAny(snapshot, entriesOfUid(index, uid)))) return true;
  }
  return false;
}

/** True when an object has an entry in an index. */
export function isUsed(snapshot: Snapshot, index: TableIndex | undefined): Promise<boolean> {
  return index === undefined ? Promise.resolve(false) : hasAny(snapshot, getEntries(index.id));
}

async function hasAny(snapshot: Snapshot, range: KeyRange): Promise<boolean> {
  let found = false;
  await snapshot.scanInPlace(range, { limit: 1 }, () => (found = true));
  return found;
}

async function* none(): AsyncGenerator<number[]> {}

async function* idPages(snapshots: Snapshots, whole: KeyRange): AsyncGenerator<number[]> {
  let range = whole;
  for (;;) {
    const ids: number[] = [];
    const last = await snapshots.now(({ view }) =>
      view.snapshot.scanInPlace(range, { limit: PAGE }, (_value, { bytes, end }) => {
        ids.push(idInEntry(bytes, end));
        return true;
      }),
    );
    if (ids.length > 0) yield ids;
    if (last === undefined) return;
    range = afterKey(range, last);
  }
}
