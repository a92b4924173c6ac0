import { notFound } from '../errors.js';
import { endOwner } from '../lib/process/process-identity.js';
import type { Work } from '../lib/work/work.js';
import type { Scheme } from '../model/declare/scheme.js';
import type { ModelKind } from '../model/references/reference.js';
import { modelKey } from '../model/resource.js';
import { CatalogEditor } from '../store/catalog.js';
import type { Engine } from '../store/engine.js';
import { Cluster, type ClusterOptions } from '../cluster/cluster.js';
import { Store, type StoreOptions } from '../store/store.js';
import type { Table } from '../store/table.js';
import { attachModel, type AttachOptions, type AttachProgress } from './attach.js';
import { schemaHash } from './declaration.js';
import { dropObjects, type DropOptions, forgetModel } from './drop.js';
import { refuseDropReferred, type Dropped } from './drop-referrers.js';
import { sweepDropped } from './index-build.js';
import { scanModel } from './migrate.js';
import { rewriteObjects, type RewriteOptions, type Rewritten } from './rewrite.js';
import type { RollbackOptions } from './rollback.js';
import type { RollbackPlan, RollbackPlanOptions } from './rollback-plan.js';
import { NO_OBJECTS_SCANNED, type ObjectScan, type ObjectScanOptions } from './scan.js';
import { countVersions } from './stored-versions.js';
import { upgradeStore, type UpgradeOptions } from './upgrade/upgrade.js';

/** The models of a store: loading and unloading their code, and all work on their objects that this needs. */
export class ModelLifecycle {
  private constructor(
    readonly store: Store,
    readonly cluster: Cluster,
    /** The format of an older store, which is open for reading only; undefined for the present one. */
    readonly olderFormat: number | undefined,
  ) {}

  /**
   * Opens a store on an engine as a member of its cluster, after its upgrade when it has an older format; see
   * {@link Store.open}. Ends when the store closes.
   * @throws ServiceError as {@link upgradeStore}
   */
  static async open(
    engine: Engine,
    options: StoreOptions & ClusterOptions & UpgradeOptions,
  ): Promise<ModelLifecycle> {
    const upgraded = await upgradeStore(engine, options).catch(async (error: unknown) => {
      await engine.close();
      // Its lease may be taken at once, by another part of this process too.
      endOwner(options.owner);
      throw error;
    });
    const store = await Store.open(upgraded.engine, options);
    return new ModelLifecycle(store, await Cluster.join(store, options), upgraded.olderFormat);
  }

  /**
   * Connects a model's code with its stored data and updates its indexes. Nothing is done when the declarations equal
   * the stored ones. Otherwise outstanding migrations are applied, and the changed indexes are built, in small
   * commits.
   * @throws ServiceError when an index function fails, or a unique index would have a value twice
   */
  async attach(scheme: Scheme, options?: AttachOptions): Promise<Table> {
    try {
      await attachModel(this.store, this.cluster, scheme, options);
    } catch (error) {
      // The record of the model has the reason, for readers.
      await this.store.reload().catch(() => undefined);
      throw error;
    }
    const table = await this.store.attachCode(scheme);
    await this.cluster.publishServedModels();
    return table;
  }

  /**
   * Builds all indexes of a model again from its objects, in small commits, and ignores the old ones. Until that
   * is complete, every process refuses lists and writes of the model as unavailable.
   * @throws ServiceError when an index function fails, or a unique index would have a value twice
   */
  async reindex(scheme: Scheme, progress?: (progress: AttachProgress) => void): Promise<void> {
    await attachModel(this.store, this.cluster, scheme, { scope: 'all', ...(progress && { progress }) });
    await this.store.reload();
  }

  /** Detaches a model's code. Its objects remain. */
  detach(model: ModelKind): void {
    this.store.detachCode(model);
    // A record that cannot be updated now is removed when this process ends.
    void this.cluster.publishServedModels().catch(() => undefined);
  }

  /**
   * Checks all objects of a model as its code reads them, after their outstanding migrations; see
   * {@link scanModel}. The model need not be attached.
   */
  async scan(
    scheme: Scheme,
    options: Omit<ObjectScanOptions, 'migrations' | 'after' | 'until'> = {},
  ): Promise<ObjectScan> {
    const record = (await this.store.readCatalog()).models.get(modelKey(scheme.resource));
    if (record === undefined) return NO_OBJECTS_SCANNED;
    return scanModel(this.store.engine, record, scheme, options);
  }

  /** True when objects of a model may not match: its schema has changed since the scan, or some did not match. */
  needsScan(scheme: Scheme): boolean {
    const scan = this.store.findRecord(scheme.resource)?.review;
    if (scan === undefined || scan.unfit > 0 || scan.dangling !== undefined) return true;
    return scan.schema !== schemaHash(scheme);
  }

  /** Stores the number of objects that did not match, and of names without a target. */
  async saveScan(
    scheme: Scheme,
    { invalid: unfit, dangling }: { invalid: number; dangling: number },
  ): Promise<void> {
    const key = modelKey(scheme.resource);
    const review = { schema: schemaHash(scheme), unfit, ...(dangling > 0 && { dangling }) };
    await this.store.engine.commit((tx) => {
      const editor = new CatalogEditor(tx);
      const record = editor.findByKey(key);
      if (record !== undefined) editor.put({ ...record, review });
    });
    await this.store.reload();
  }

  /** The number of objects that did not match their model in the latest scan. */
  invalidCount(model: ModelKind): number {
    return this.store.findRecord(model)?.review?.unfit ?? 0;
  }

  /** The number of names without a target in the latest scan of a model's objects. */
  danglingCount(model: ModelKind): number {
    return this.store.findRecord(model)?.review?.dangling ?? 0;
  }

  /** {@link invalidCount} for the current declaration of a model; undefined when there was no scan since it changed. */
  knownInvalidCount(scheme: Scheme): number | undefined {
    const scan = this.store.findRecord(scheme.resource)?.review;
    return scan?.schema === schemaHash(scheme) ? scan.unfit : undefined;
  }

  /** The number of objects of a model in each version. Omits versions without objects. */
  countVersions(model: ModelKind, work?: Work): Promise<ReadonlyMap<string, number>> {
    return countVersions(this.store, model, work);
  }

  /** See `planRollback`. @throws ServiceError `NotFound` when the store does not have the model */
  async planRollback(scheme: Scheme, options: RollbackPlanOptions): Promise<RollbackPlan> {
    const record = this.store.findRecord(scheme.resource);
    if (record === undefined) throw notStored(scheme);
    // It loads the validator, which most commands do not need.
    const { planRollback } = await import('./rollback-plan.js');
    return planRollback({ store: this.store, record, scheme }, options);
  }

  /** See `rollBackModel`. @throws ServiceError `NotFound` when the store does not have the model */
  async rollBack(scheme: Scheme, options: RollbackOptions): Promise<RollbackPlan> {
    if (this.store.findRecord(scheme.resource) === undefined) throw notStored(scheme);
    const { rollBackModel } = await import('./rollback.js');
    return rollBackModel(this.store, this.cluster, scheme, options);
  }

  /** See {@link refuseDropReferred}. */
  refuseDropReferred(dropped: Dropped): Promise<void> {
    return refuseDropReferred(this.store, dropped);
  }

  /** See {@link dropObjects}. */
  dropObjects(table: Table, options?: DropOptions): Promise<number> {
    return dropObjects(this.store, table, options);
  }

  /** See {@link forgetModel}. */
  forget(table: Table): Promise<void> {
    return forgetModel(this.store, table);
  }

  /**
   * Models with loaded code whose objects are partly stored in another form than they are shown in the storage version;
   * without those that programs would have to convert.
   */
  mixedTables(): Table[] {
    return this.store
      .allTables()
      .filter(
        ({ isMixed, isRemote, scheme, record: { storedVersions } }) =>
          isMixed && scheme !== undefined && !(isRemote && storedVersions.length > 1),
      );
  }

  /** See {@link rewriteObjects}. */
  rewrite(table: Table, options?: RewriteOptions): Promise<Rewritten> {
    return rewriteObjects(this.store, table, options);
  }

  /** Removes the entries of indexes that are no longer declared, in small commits. */
  sweep(): Promise<void> {
    return sweepDropped(this.store.engine);
  }
}

function notStored({ resource: { group, kind } }: Scheme): Error {
  return notFound(`the store has no objects of ${kind} and never had any`, { group, kind });
}
