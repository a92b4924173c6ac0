import type { Engine, Transaction } from '../store/engine.js';
import { metaKey } from '../store/index/keys.js';

/**
 * The progress of a run of migrations, or of their rollback. It is stored in the commits of the run, so that no object
 * is changed twice. A run goes up from the smallest id, a rollback comes down from the largest. So each can be
 * interrupted, and either of them can continue.
 */
export interface MigrationProgress {
  /** The migrations of the run, in the order of application. */
  readonly ids: readonly string[];
  /** Objects up to this id have gone through the migrations; objects with a larger one have not. */
  readonly after: number;
}

function progressKey(modelId: number): Buffer {
  return metaKey(`migration/${modelId}`);
}

export async function readProgress(engine: Engine, modelId: number): Promise<MigrationProgress | undefined> {
  return parse(await engine.get(progressKey(modelId)));
}

export function progressIn(tx: Transaction, modelId: number): MigrationProgress | undefined {
  return parse(tx.get(progressKey(modelId)));
}

/** Undefined also when no object has gone through the migrations. */
function parse(bytes: Buffer | undefined): MigrationProgress | undefined {
  const progress = bytes === undefined ? undefined : (JSON.parse(bytes.toString()) as MigrationProgress);
  return progress?.after === 0 ? undefined : progress;
}

/** True when a run of migrations, or their rollback, was interrupted. */
export function isMigrationBegun(tx: Transaction, modelId: number): boolean {
  return tx.get(progressKey(modelId)) !== undefined;
}

export function saveProgress(tx: Transaction, modelId: number, progress: MigrationProgress): void {
  tx.put(progressKey(modelId), Buffer.from(JSON.stringify(progress)));
}

/** Removes the record of a run that is complete, or whose objects are gone. */
export function forgetProgress(tx: Transaction, modelId: number): void {
  tx.remove(progressKey(modelId));
}
