import { conflict } from '../errors.js';
import { nextVersion } from '../model/object.js';
import { CatalogEditor } from '../store/catalog.js';
import type { Transaction } from '../store/engine.js';
import { countKey, getObjects } from '../store/index/keys.js';
import { forgetProgress } from './migration-progress.js';
import { nameIn, parseObject } from '../store/object-record.js';
import { ObjectText } from '../store/ready-object.js';
import { isDropped, refuseReferredNow, type Dropped } from './drop-referrers.js';
import { sweepDropped } from './index-build.js';
import type { Incoming } from '../store/index/referrers.js';
import { iterateBatches, type RecordOf } from './scan.js';
import type { Store } from '../store/store.js';
import type { Table } from '../store/table.js';
import { decodeCount, type StoreTransaction } from '../store/transaction.js';

/** Selects the objects of a model to remove. */
export interface DropOptions {
  /** Only objects stored in this version. Default: all. */
  readonly version?: string | undefined;
  /** Fields of other objects whose values protect the objects that they name. Default: none. */
  readonly keptBy?: readonly Incoming[];
  /** Called with the number of removed objects. */
  readonly progress?: ((removed: number) => void) | undefined;
}

/** Objects that a commit removes. Others write between two commits. */
const COMMIT_OBJECTS = 100;

/**
 * Removes the objects of a model, or those stored in one version, even those with finalizers. Watches report the
 * removals. The model itself remains, and its code is not needed. After an interruption, it can be called again.
 * @returns the number of removed objects
 * @throws ServiceError `Conflict` when a protected object is referred to; the objects before it are removed
 */
export async function dropObjects(
  store: Store,
  table: Table,
  { version, keptBy = [], progress }: DropOptions = {},
): Promise<number> {
  const dropped = { table, version, keptBy };
  let removed = 0;
  for await (const batch of iterateBatches(store.engine, getObjects(table.modelId), {
    limit: COMMIT_OBJECTS,
  })) {
    removed += await store.commit((tx) => dropBatch(tx, dropped, batch, store.now()));
    progress?.(removed);
  }
  if (version !== undefined) {
    await store.engine.commit((tx) => forgetVersion(tx, table.modelId, version));
    await store.reload();
  }
  return removed;
}

function dropBatch(
  tx: StoreTransaction,
  dropped: Dropped,
  batch: readonly RecordOf[],
  nowMs: number,
): number {
  const { table } = dropped;
  const present = tx.current(table);
  let removed = 0;
  for (const { record } of batch) {
    // It may have been written or removed since the read.
    const stored = tx.find(present, nameIn(record));
    if (stored === undefined) continue;
    if (!isDropped(dropped, stored.bytes)) continue;
    refuseReferredNow(tx, dropped, nameIn(record));
    const { metadata, ...rest } = parseObject(stored.bytes);
    const at = new Date(nowMs);
    const deletionTimestamp = metadata.deletionTimestamp ?? at.toISOString();
    const last = { ...rest, metadata: nextVersion({ ...metadata, deletionTimestamp }, { at }) };
    tx.remove(present, new ObjectText(last), stored);
    removed++;
  }
  return removed;
}

/** Removes a model without objects, with its indexes. @throws ServiceError `Conflict` when it has objects */
export async function forgetModel(store: Store, { modelId, resource }: Table): Promise<void> {
  const { group, kind } = resource;
  if (!(await store.engine.commit((tx) => removeModel(tx, modelId))))
    throw conflict(`objects of ${kind} are being written; stop the writers and try again`, { group, kind });
  await store.reload();
  await sweepDropped(store.engine);
}

/** @returns false when the model has objects */
function removeModel(tx: Transaction, modelId: number): boolean {
  const editor = new CatalogEditor(tx);
  const record = editor.find(modelId);
  if (record === undefined) return true;
  if (decodeCount(tx.get(countKey(modelId))).objects > 0) return false;
  editor.remove(record);
  editor.setDropped([...editor.dropped(), ...record.indexes.map(({ id }) => id)]);
  tx.remove(countKey(modelId));
  forgetProgress(tx, modelId);
  return true;
}

/** Records that no objects of a model are stored in a version any more. */
function forgetVersion(tx: Transaction, modelId: number, version: string): void {
  new CatalogEditor(tx).update(modelId, (record) => ({
    ...record,
    storedVersions: record.storedVersions.filter((stored) => stored !== version),
  }));
}
