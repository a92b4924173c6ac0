import { conflict, formatExcerpt } from '../errors.js';
import { qualifiedPlural } from '../model/resource.js';
import { getObjects } from '../store/index/keys.js';
import { jsonIn, nameIn, type StoredObject } from '../store/object-record.js';
import type { ReadView } from '../store/read-view.js';
import { isMarked, type Incoming } from '../store/index/referrers.js';
import { referrerPages } from '../store/index/referrer-pages.js';
import { iterateBatches } from './scan.js';
import { storedVersionIn } from '../store/stored-version.js';
import type { Store } from '../store/store.js';
import type { Table } from '../store/table.js';
import type { StoreTransaction } from '../store/transaction.js';

/** The objects of a model to remove: all, or those stored in one version. */
export interface Dropped {
  readonly table: Table;
  readonly version: string | undefined;
  /** Fields whose values protect the objects. */
  readonly keptBy: readonly Incoming[];
}

export function isDropped({ table, version }: Dropped, json: Uint8Array): boolean {
  return version === undefined || storedVersionIn(table.resource, json) === version;
}

/**
 * Refuses to remove objects that others refer to. Objects that are being deleted, or removed too, do not count.
 * @throws ServiceError `Conflict` with their number, for the first field with such references
 */
export async function refuseDropReferred(store: Store, dropped: Dropped): Promise<void> {
  await store.within((view) => refuseReferredIn(view, store, dropped));
}

async function refuseReferredIn(view: ReadView, { engine }: Store, dropped: Dropped): Promise<void> {
  for (const incoming of dropped.keptBy) {
    let total = 0;
    let first: Reference | undefined;
    for await (const batch of iterateBatches(engine, getObjects(dropped.table.modelId))) {
      for (const { record } of batch) {
        if (!isDropped(dropped, jsonIn(dropped.table, record))) continue;
        const target = nameIn(record);
        for await (const ids of referrerPages(view, incoming, target)) {
          const found = await view.readMany(incoming.table, ids);
          const staying = found.filter((stored) => stored !== undefined && stays(dropped, incoming, stored));
          total += staying.length;
          const [one] = staying;
          if (one !== undefined) first ??= { from: nameIn(one.record), to: target };
        }
      }
    }
    if (first !== undefined) throw referred(dropped, incoming, first, total);
  }
}

/** {@link refuseDropReferred} for one object, in the commit that removes it. */
export function refuseReferredNow(tx: StoreTransaction, dropped: Dropped, target: string): void {
  for (const incoming of dropped.keptBy) {
    for (const id of tx.referrers(incoming, target)) {
      const stored = tx.findById(incoming.table, id);
      if (stored === undefined || !stays(dropped, incoming, stored)) continue;
      throw referred(dropped, incoming, { from: nameIn(stored.record), to: target });
    }
  }
}

interface Reference {
  readonly from: string;
  readonly to: string;
}

function stays(dropped: Dropped, { table }: Incoming, { bytes }: StoredObject): boolean {
  const goes = table.modelId === dropped.table.modelId && isDropped(dropped, bytes);
  return !goes && !isMarked(bytes);
}

function referred(
  { table: { resource } }: Dropped,
  { table, reference: { field } }: Incoming,
  first: Reference,
  total = 1,
): Error {
  const { group, kind } = resource;
  const who = `${total} ${total === 1 ? 'value' : 'values'} of ${field} in ${qualifiedPlural(table.resource)}`;
  return conflict(
    `${kind} is not removed: ${who} ${total === 1 ? 'refers' : 'refer'} to its objects, first of "${formatExcerpt(first.from)}" to "${formatExcerpt(first.to)}"; ` +
      'delete the referring objects, or change their references, and try again',
    { group, kind },
  );
}
