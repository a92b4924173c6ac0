import { CatalogEditor } from './catalog.js';
import type { Engine, Transaction } from './engine.js';
import { countKey, objectsOf } from './keys.js';
import { forgetProgress } from './migrate.js';
import { jsonIn, nameIn, parseObject } from './object-record.js';
import { ObjectText } from './ready-object.js';
import { batchesOf, type RecordOf } from './review.js';
import { storedVersionIn } from './stored-version.js';
import type { Table } from './table.js';
import { decodeCount, type StoreTransaction } from './transaction.js';

/** Which objects of a model are removed. */
export interface DropOptions {
  /** Only those that are stored in this version. Default: all. */
  readonly version?: string | undefined;
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
 */
export async function dropObjects(
  engine: Engine,
  commit: Commit,
  table: Table,
  { version, now, progress }: DropOptions,
): Promise<number> {
  let removed = 0;
  for await (const batch of batchesOf(engine, objectsOf(table.modelId), COMMIT_OBJECTS)) {
    removed += await commit((tx) => dropBatch(tx, table, batch, { version, now }));
    progress?.(removed);
  }
  return removed;
}

function dropBatch(
  tx: StoreTransaction,
  table: Table,
  batch: readonly RecordOf[],
  { version, now }: DropOptions,
): number {
  const present = tx.current(table);
  let removed = 0;
  for (const { record } of batch) {
    // Somebody may have written or removed it since.
    const stored = tx.find(present, nameIn(record));
    if (stored === undefined) continue;
    const json = jsonIn(stored.record);
    if (version !== undefined && storedVersionIn(table.resource, json) !== version) continue;
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
