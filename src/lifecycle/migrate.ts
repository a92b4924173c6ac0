import { ServiceError } from '../errors.js';
import { AdaptiveBatch } from '../lib/work/adaptive-batch.js';
import type { Migration } from '../model/evolve/conversion.js';
import { modelKey } from '../model/resource.js';
import type { Scheme } from '../model/declare/scheme.js';
import { CatalogEditor, type ModelRecord, readCatalog } from '../store/catalog.js';
import type { CommitObserver } from '../store/commit-observer.js';
import type { Engine, Transaction } from '../store/engine.js';
import { countKey, objectsAfter } from '../store/index/keys.js';
import { appliedToAll, type PendingMigration } from '../store/lapsed-migrations.js';
import { shapesOf, withShape } from '../store/shapes.js';
import { decodeCount } from '../store/transaction.js';
import { builtTable, ObjectChanger, writeChanged } from './changed-objects.js';
import { checkMigrations, type MigrationRound } from './migration-check.js';
import { forgetProgress, readProgress, saveProgress, type MigrationProgress } from './migration-progress.js';
import { migrationUser } from '../model/system-users.js';
import {
  addScans,
  iterateBatches,
  checkObject,
  NO_OBJECTS_SCANNED,
  scanObjects,
  type CheckJson,
  type ObjectScan,
  type ObjectScanOptions,
} from './scan.js';

/** The migrations still to be applied to the objects of a model, in order. */
export function getPendingMigrations(record: ModelRecord, { versions }: Scheme): readonly PendingMigration[] {
  const applied = appliedToAll(record);
  return versions.migrations
    .filter(({ id }) => !applied.has(id))
    .map((migration) => ({ ...migration, ...record.lapsed?.find(({ id }) => id === migration.id) }));
}

export interface MigrationRun {
  /** The current time in milliseconds since 1970. */
  readonly now: () => number;
  readonly progress: (task: 'check' | 'migrate', done: number) => void;
  /** Throws when another process took over. */
  readonly stillMine: (tx: Transaction) => void;
  /** Observes the commits of objects; undefined when nobody does. */
  readonly observer: CommitObserver | undefined;
}

/** Most objects of a commit, and target time for preparing its writes. Others write between two commits. */
const COMMIT_OBJECTS = 60;
const COMMIT_MS = 2;

/**
 * Applies the outstanding migrations to the objects of a model. First all objects are converted, migrated and checked
 * without writing; then they are written in small commits. The writes of an interrupted run are not repeated. No
 * other process writes objects of the model in the meantime.
 * @throws ServiceError `Invalid` when objects would not match, or would share values that must be unique; then
 * nothing was written
 */
export async function migrateObjects(
  engine: Engine,
  record: ModelRecord,
  scheme: Scheme,
  run: MigrationRun,
): Promise<void> {
  for (;;) {
    const begun = await readProgress(engine, record.id);
    const present = (await readCatalog(engine)).models.get(modelKey(record.resource));
    const outstanding = present === undefined ? [] : getPendingMigrations(present, scheme);
    const migrations = begun === undefined ? outstanding : getStartedMigrations(record, outstanding, begun);
    if (migrations.length === 0) return;
    const after = begun?.after ?? 0;
    await checkMigrations(engine, record, { scheme, migrations, after }, (done) =>
      run.progress('check', done),
    );
    await writeAll(engine, record, { scheme, migrations, after }, run);
  }
}

/**
 * An interrupted run is completed before others begin, because exactly its migrations were applied to some objects.
 */
function getStartedMigrations(
  record: ModelRecord,
  outstanding: readonly Migration[],
  { ids }: MigrationProgress,
): readonly Migration[] {
  return ids.map((id) => {
    const migration = outstanding.find((one) => one.id === id);
    if (migration !== undefined) return migration;
    const { group, kind } = record.resource;
    throw new ServiceError('Conflict', interruptedText(record, id), { group, kind });
  });
}

/** The message about an interrupted run, or rollback, of a migration that the loaded code does not have. */
export function interruptedText({ resource: { kind }, rollback }: ModelRecord, id: string): string {
  return rollback === undefined
    ? `the migration "${id}" of ${kind} was interrupted and is no longer declared; declare it again unchanged, so that it can finish`
    : `the rollback of ${kind} to "${rollback.to}" was interrupted before the migration "${id}" was undone; finish it with ` +
        `\`xsvc model rollback ${kind} --to ${rollback.to}\` and the plugins that declare the migration`;
}

/** @throws ServiceError `Conflict` when an interrupted run, or rollback, cannot be completed by this code */
export async function refuseMissingMigrations(
  engine: Engine,
  record: ModelRecord,
  scheme: Scheme,
): Promise<void> {
  const [id] = await findMissingMigrations(engine, record, scheme);
  if (id === undefined) return;
  const { group, kind } = record.resource;
  throw new ServiceError('Conflict', interruptedText(record, id), { group, kind });
}

async function writeAll(
  engine: Engine,
  record: ModelRecord,
  { scheme, migrations, after }: MigrationRound,
  run: MigrationRun,
): Promise<void> {
  const table = builtTable(record, scheme);
  const ids = migrations.map((migration) => migration.id);
  await engine.commit((tx) => {
    run.stillMine(tx);
    begin(tx, record.id, { ids, after });
  });
  const change: CheckJson = (json) => checkObject(scheme, migrations, json);
  const changer = new ObjectChanger({ table, change, name: 'the migration' });
  const commits = new AdaptiveBatch(COMMIT_MS, COMMIT_OBJECTS);
  const user = migrationUser(ids.at(-1) ?? '');
  let done = 0;
  const batches = iterateBatches(engine, objectsAfter(record.id, after), { limit: COMMIT_OBJECTS });
  for await (const batch of batches) {
    for (const some of commits.iterateParts(batch)) {
      const changed = await changer.apply(some);
      run.observer?.admit();
      const written = await engine.commit((tx) => {
        run.stillMine(tx);
        const stamp = { timeMs: run.now(), user };
        const changes = commits.go(some.length, () => writeChanged(tx, table, changed, stamp));
        saveProgress(tx, record.id, { ids, after: some.at(-1)?.id ?? after });
        return changes;
      });
      await run.observer?.committed(written, user);
      done += some.length;
    }
    run.progress('migrate', done);
  }
  await engine.commit((tx) => {
    run.stillMine(tx);
    new CatalogEditor(tx).update(record.id, (present) => migratedRecord(present, ids));
    forgetProgress(tx, record.id);
  });
}

/** From now on, changes of objects are those of the migrations. */
function begin(tx: Transaction, modelId: number, progress: MigrationProgress): void {
  const { ids } = progress;
  saveProgress(tx, modelId, progress);
  const { revision: after } = decodeCount(tx.get(countKey(modelId)));
  new CatalogEditor(tx).update(modelId, (record) => {
    const { resource, migrations } = record;
    const next = { after, version: resource.version, migrations: [...new Set([...migrations, ...ids])] };
    return { ...record, shapes: withShape(shapesOf(record), next) };
  });
}

/** The result of an earlier scan is dropped: migrated objects may refer to other targets. */
function migratedRecord(
  { review: _review, lapsed = [], ...present }: ModelRecord,
  ids: readonly string[],
): ModelRecord {
  const left = lapsed.filter(({ id }) => !ids.includes(id));
  const migrations = [...new Set([...present.migrations, ...ids])];
  return { ...present, migrations, ...(left.length > 0 && { lapsed: left }) };
}

/** Migrations of an interrupted run that are no longer declared. The run cannot end without them. */
export async function findMissingMigrations(
  engine: Engine,
  { id }: Pick<ModelRecord, 'id'>,
  { versions }: Scheme,
): Promise<readonly string[]> {
  const begun = await readProgress(engine, id);
  const declared = new Set(versions.migrations.map((migration) => migration.id));
  return begun === undefined ? [] : begun.ids.filter((migration) => !declared.has(migration));
}

/**
 * Checks all objects of a model as its code reads them, after their outstanding migrations; see
 * {@link scanObjects}.
 */
export async function scanModel(
  engine: Engine,
  record: ModelRecord,
  scheme: Scheme,
  { progress, ...options }: Omit<ObjectScanOptions, 'migrations' | 'after' | 'until'> = {},
): Promise<ObjectScan> {
  const outstanding = getPendingMigrations(record, scheme);
  const { ids, after } = (await readProgress(engine, record.id)) ?? { ids: [], after: 0 };
  const gone = new Set(ids);
  let done = NO_OBJECTS_SCANNED;
  if (after > 0) {
    const migrations = outstanding.filter(({ id }) => !gone.has(id));
    const first = { ...options, ...(progress && { progress }), migrations, until: after };
    done = await scanObjects(engine, record, scheme, first);
  }
  const rest = await scanObjects(engine, record, scheme, {
    ...options,
    ...(progress && { progress: (objects: number) => progress(done.objects + objects) }),
    migrations: outstanding,
    after,
  });
  return addScans(done, rest);
}
