import { CatalogEditor } from '../catalog.js';
import type { Engine, Transaction } from '../engine.js';
import { countKey, getObjects } from '../index/keys.js';
import { forgetProgress } from './migrate.js';
import { jsonIn, nameIn, parseObject } from '../object-record.js';
import { ObjectText } from '../ready-object.js';
import { isDropped, refuseReferredNow, type Dropped } from './drop-referrers.js';
import type { Incoming } from '../index/referrers.js';
import { iterateBatches, type RecordOf } from './scan.js';
import type { Table } from '../table.js';
import { decodeCount, type StoreTransaction } from '../transaction.js';

/** Which objects of a model are removed. */
export interface DropOptions {
  /** Only those that are stored in this version. Default: all. */
  readonly version?: string | undefined;
  /** Fields of other objects whose values keep those that they name. Default: none. */
  readonly keptBy?: readonly Incoming[];
  /** Now, in milliseconds since 1970. */
  readonly now: () => number;
  /** Told how many objects were removed. */
  readonly progress?: ((removed: number) => void) | undefined;
}

/** Objects that a commit removes: others write in between. */
const COMMIT_OBJECTS = 100;

/** Runs a body as one commit, like `Store.commit`. */
type Commit = (body: (tx: StoreTransaction) => number) => Promise<number>;

/**
 * Removes objects of a model, whatever finalizers they have. Whoever watches is told. Nothing of the model's code is
 * needed. When it is interrupted, it can be done again.
 * @returns how many objects were removed
 * @throws ServiceError `Conflict` when one is referred to that must not be; those before it are gone
 */
export async function dropObjects(
  engine: Engine,
  commit: Commit,
  table: Table,
  { version, keptBy = [], now, progress }: DropOptions,
): Promise<number> {
  const dropped = { table, version, keptBy };
  let removed = 0;
  for await (const batch of iterateBatches(engine, getObjects(table.modelId), COMMIT_OBJECTS)) {
    removed += await commit((tx) => dropBatch(tx, dropped, batch, now));
    progress?.(removed);
  }
  return removed;
}

function dropBatch(
  tx: StoreTransaction,
  dropped: Dropped,
  batch: readonly RecordOf[],
  now: () => number,
): number {
  const { table } = dropped;
  const present = tx.current(table);
  let removed = 0;
  for (const { record } of batch) {
    // Somebody may have written or removed it since.
    const stored = tx.find(present, nameIn(record));
    if (stored === undefined) continue;
    const json = jsonIn(stored.record);
    if (!isDropped(dropped, json)) continue;
    refuseReferredNow(tx, dropped, nameIn(record));
    const { metadata, ...rest } = parseObject(json);
    const deletionTimestamp = metadata.deletionTimestamp ?? new Date(now()).toISOString();
    const last = { ...rest, metadata: { ...metadata, version: metadata.version + 1, deletionTimestamp } };
    tx.remove(present, new ObjectText(last), stored);
    removed++;
  }
  return removed;
}

/** Forgets a model that has no objects. @returns whether it had none */
export function forgetModel(tx: Transaction, modelId: number): boolean {
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

/** Notes that no objects of a model are stored in a version any more. */
export function forgetVersion(tx: Transaction, modelId: number, version: string): void {
  const editor = new CatalogEditor(tx);
  const record = editor.find(modelId);
  if (record === undefined) return;
  editor.put({ ...record, storedVersions: record.storedVersions.filter((stored) => stored !== version) });
}
