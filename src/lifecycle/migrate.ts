import { ServiceError } from '../errors.js';
import { deepEqual } from '../lib/json/json.js';
import { AdaptiveBatch } from '../lib/work/adaptive-batch.js';
import { TimeoutError, runWithTimeout } from '../lib/time/time-limit.js';
import { Yielder } from '../lib/work/yield.js';
import type { Migration } from '../model/evolve/conversion.js';
import { nextVersion, type ExtensionObject } from '../model/object.js';
import { modelKey } from '../model/resource.js';
import { migrationUser } from '../model/system-users.js';
import type { Scheme } from '../model/declare/scheme.js';
import { CatalogEditor, type ModelRecord, readCatalog } from '../store/catalog.js';
import type { Engine, Transaction } from '../store/engine.js';
import { metaKey, objectKey, objectsAfter } from '../store/index/keys.js';
import type { CommitStamp } from '../store/log/log.js';
import { decodeRecord, nameForPeople } from '../store/object-record.js';
import { ReadyObject } from '../store/ready-object.js';
import { checkMigrations, type MigrationRound } from './migration-check.js';
import {
  addScans,
  iterateBatches,
  checkObject,
  NO_OBJECTS_SCANNED,
  scanObjects,
  type RecordOf,
  type ObjectScan,
  type ObjectScanOptions,
} from './scan.js';
import { Table } from '../store/table.js';
import { StoreTransaction } from '../store/transaction.js';

/** The migrations still to be applied to the objects of a model, in order. */
export function getPendingMigrations(record: ModelRecord, { versions }: Scheme): readonly Migration[] {
  const applied = new Set(record.migrations);
  return versions.migrations.filter(({ id }) => !applied.has(id));
}

export interface MigrationRun {
  /** The current time in milliseconds since 1970. */
  readonly now: () => number;
  /** Called with the progress. */
  readonly progress: (task: 'check' | 'migrate', done: number) => void;
  /** Throws when another process took over. */
  readonly stillMine: (tx: Transaction) => void;
}

/** The progress of a run. Stored in the commits of the run, so that no object is migrated twice. */
interface Progress {
  /** The migrations of the run. */
  readonly ids: readonly string[];
  /** Objects up to this id are migrated. */
  readonly after: number;
}

/** Most objects of a commit, and target time for preparing its writes. Others write between two commits. */
const COMMIT_OBJECTS = 60;
const COMMIT_MS = 2;
/** Most objects migrated without a break, and target time for that. Other requests are answered in between. */
const OBJECTS_AT_ONCE = 30;
const AT_ONCE_MS = 3;
/** Longest time for the plugin's code, for the objects of one batch. */
const SOME_MS_MAX = 5_000;

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
  { resource: { group, kind } }: ModelRecord,
  outstanding: readonly Migration[],
  { ids }: Progress,
): readonly Migration[] {
  return ids.map((id) => {
    const migration = outstanding.find((one) => one.id === id);
    if (migration !== undefined) return migration;
    throw new ServiceError(
      'Conflict',
      `the migration "${id}" of ${kind} was interrupted and is no longer declared; declare it again unchanged, so that it can finish`,
      { group, kind },
    );
  });
}

async function writeAll(
  engine: Engine,
  record: ModelRecord,
  { scheme, migrations, after }: MigrationRound,
  run: MigrationRun,
): Promise<void> {
  const table = builtTable(record, scheme);
  const ids = migrations.map((migration) => migration.id);
  const user = migrationUser(ids.at(-1) ?? '');
  const migrator = new Migrator({ table, scheme, migrations });
  const commits = new AdaptiveBatch(COMMIT_MS, COMMIT_OBJECTS);
  let done = 0;
  for await (const batch of iterateBatches(engine, objectsAfter(record.id, after), COMMIT_OBJECTS)) {
    for (const some of commits.iterateParts(batch)) {
      const migrated = await migrator.migrate(some);
      await engine.commit((tx) => {
        run.stillMine(tx);
        commits.go(some.length, () => writeMigrated(tx, table, migrated, { timeMs: run.now(), user }));
        const last = some.at(-1)?.id ?? after;
        tx.put(progressKey(record.id), Buffer.from(JSON.stringify({ ids, after: last } satisfies Progress)));
      });
      done += some.length;
    }
    run.progress('migrate', done);
  }
  await engine.commit((tx) => {
    run.stillMine(tx);
    new CatalogEditor(tx).update(record.id, (present) => migratedRecord(present, ids));
    tx.remove(progressKey(record.id));
  });
}

/** The result of an earlier scan is dropped: migrated objects may refer to other targets. */
function migratedRecord({ review: _review, ...present }: ModelRecord, ids: readonly string[]): ModelRecord {
  return { ...present, migrations: [...present.migrations, ...ids] };
}

/**
 * Indexes being built are filled later. Unique values were compared before the first write. During the run, two
 * objects may share a value that one of them is about to lose.
 */
function builtTable(record: ModelRecord, scheme: Scheme): Table {
  const isBuilt = record.indexes.map(({ state }) => state === 'ready');
  const indexes = record.resource.indexes.filter((_, i) => isBuilt[i]);
  const resource = { ...record.resource, indexes: indexes.map((index) => ({ ...index, unique: false })) };
  return new Table({ ...record, resource, indexes: record.indexes.filter((_, i) => isBuilt[i]) }, scheme);
}

interface Target {
  readonly table: Table;
  readonly scheme: Scheme;
  readonly migrations: readonly Migration[];
}

/** An object as read, and its new form. */
interface Migrated extends RecordOf {
  readonly next: ReadyObject;
}

/** Migrates objects before their commit, so that the commit is short. */
class Migrator {
  readonly #yielder = new Yielder();
  readonly #pace = new AdaptiveBatch(AT_ONCE_MS, OBJECTS_AT_ONCE);

  constructor(private readonly target: Target) {}

  /** @returns the objects that change */
  async migrate(objects: readonly RecordOf[]): Promise<readonly Migrated[]> {
    const migrated: Migrated[] = [];
    for (const some of this.#pace.iterateParts(objects)) {
      migrated.push(...this.#pace.go(some.length, () => migrateSome(this.target, some)));
      if (this.#yielder.isDue) await this.#yielder.take();
    }
    return migrated;
  }
}

function migrateSome(target: Target, some: readonly RecordOf[]): readonly Migrated[] {
  const { kind } = target.table.resource;
  try {
    return runWithTimeout(SOME_MS_MAX, () =>
      some.flatMap((one) => {
        const next = migrateObject(target, one);
        return next === undefined ? [] : [{ ...one, next }];
      }),
    );
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error;
    throw new ServiceError('Timeout', `the migration of ${kind} ${error.message} for ${some.length} objects`);
  }
}

/** Undefined when the object does not change. */
function migrateObject(
  { table, scheme, migrations }: Target,
  { id, record }: RecordOf,
): ReadyObject | undefined {
  const { bytes } = decodeRecord(table, id, record);
  const { object, isMigrated, problem } = checkObject(scheme, migrations, bytes);
  if (object === undefined || problem !== undefined)
    throw new Error(`${problem ?? ''}: the migration is not pure`);
  if (!isMigrated) return undefined;
  const metadata = nextVersion({ ...object.metadata }, isOtherSpec(table.parse(bytes), object));
  const next = new ReadyObject(table, { ...object, metadata });
  next.prepare();
  return next;
}

function writeMigrated(
  tx: Transaction,
  table: Table,
  migrated: readonly Migrated[],
  stamp: CommitStamp,
): void {
  const transaction = new StoreTransaction(tx, {
    stamp,
    objectBytesMax: Infinity,
    current: () => table,
    findTable: () => undefined,
    incoming: () => [],
    problem: () => undefined,
  });
  for (const { id, record, next } of migrated) {
    const present = tx.get(objectKey(table.modelId, id));
    // It may have been deleted.
    if (present === undefined) continue;
    const stored = decodeRecord(table, id, present);
    if (!present.equals(record))
      throw new Error(`${nameForPeople(id, present)} was written while it was migrated`);
    transaction.replace(next, stored);
  }
  transaction.finish();
}

/** True when anything except metadata and status differs. */
function isOtherSpec(
  { metadata: _m, status: _s, ...before }: ExtensionObject,
  { metadata: _n, status: _t, ...after }: ExtensionObject,
): boolean {
  return !deepEqual(before, after);
}

function progressKey(modelId: number): Buffer {
  return metaKey(`migration/${modelId}`);
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
    done = await scanObjects(engine, record.id, scheme, first);
  }
  const rest = await scanObjects(engine, record.id, scheme, {
    ...options,
    ...(progress && { progress: (objects: number) => progress(done.objects + objects) }),
    migrations: outstanding,
    after,
  });
  return addScans(done, rest);
}

/** Removes the record of a started run, together with the model. */
export function forgetProgress(tx: Transaction, modelId: number): void {
  tx.remove(progressKey(modelId));
}

async function readProgress(engine: Engine, modelId: number): Promise<Progress | undefined> {
  const bytes = await engine.get(progressKey(modelId));
  return bytes === undefined ? undefined : (JSON.parse(bytes.toString()) as Progress);
}
