import { ServiceError } from '../errors.js';
import { deepEqual } from '../lib/json.js';
import { TimeLimitPassed, withinTime } from '../lib/time-limit.js';
import type { Migration } from '../model/conversion.js';
import type { ExtensionObject } from '../model/object.js';
import { modelKey } from '../model/resource.js';
import type { Scheme } from '../model/scheme.js';
import { CatalogEditor, type ModelRecord, readCatalog } from './catalog.js';
import type { Engine, Transaction } from './engine.js';
import { metaKey, objectKey, objectsAfter } from './keys.js';
import { decodeRecord } from './object-record.js';
import { ReadyObject } from './ready-object.js';
import { batchesOf, reviewObject, reviewObjects, type Misfit, type RecordOf } from './review.js';
import { Table } from './table.js';
import { StoreTransaction } from './transaction.js';

/** Migrations that the objects of a model have yet to go through, in their order. */
export function outstandingOf(record: ModelRecord, { versions }: Scheme): readonly Migration[] {
  const applied = new Set(record.migrations);
  return versions.migrations.filter(({ id }) => !applied.has(id));
}

export interface MigrationRun {
  /** Now, in milliseconds since 1970. */
  readonly now: () => number;
  /** Told of how far it is. */
  readonly progress: (task: 'check' | 'migrate', done: number) => void;
  /** Throws when another process took over. */
  readonly stillMine: (tx: Transaction) => void;
}

/** Where a run stands. Kept in the commits of the run, so that none of its objects is written twice. */
interface Progress {
  /** The migrations of the run. */
  readonly ids: readonly string[];
  /** Objects up to this id have gone through them. */
  readonly after: number;
}

/** Objects that a commit writes: others write in between. */
const COMMIT_OBJECTS = 50;
/** Longest time for the plugin's code in a commit. */
const COMMIT_MS_MAX = 5_000;
/** Objects that do not fit which an error names. */
const NAMED_MAX = 10;

/**
 * Takes the objects of a model through its outstanding migrations: first all are converted, migrated and checked
 * without writing; then they are written in small commits. What a killed run wrote is not done again. Nobody else
 * writes objects of the model meanwhile.
 * @throws ServiceError `Invalid` when objects would not fit: then nothing was written
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
    const outstanding = present === undefined ? [] : outstandingOf(present, scheme);
    const migrations = begun === undefined ? outstanding : begunOf(record, outstanding, begun);
    if (migrations.length === 0) return;
    const after = begun?.after ?? 0;
    await checkAll(engine, record, { scheme, migrations, after }, run);
    await writeAll(engine, record, { scheme, migrations, after }, run);
  }
}

interface Round {
  readonly scheme: Scheme;
  readonly migrations: readonly Migration[];
  readonly after: number;
}

/** A run that was interrupted is ended before others begin: some objects have gone through just its migrations. */
function begunOf(
  { resource: { group, kind } }: ModelRecord,
  outstanding: readonly Migration[],
  { ids }: Progress,
): readonly Migration[] {
  return ids.map((id) => {
    const migration = outstanding.find((one) => one.id === id);
    if (migration !== undefined) return migration;
    throw new ServiceError(
      'Conflict',
      `the migration "${id}" of ${kind} was interrupted and is no longer declared; declare it as it was, so that it can end`,
      { group, kind },
    );
  });
}

async function checkAll(
  engine: Engine,
  { id, resource: { group, kind } }: ModelRecord,
  { scheme, migrations, after }: Round,
  { progress }: MigrationRun,
): Promise<void> {
  const named: Misfit[] = [];
  const { unfit } = await reviewObjects(engine, id, scheme, {
    migrations,
    after,
    onMisfit: (misfit) => {
      if (named.length < NAMED_MAX) named.push(misfit);
    },
    progress: (done) => progress('check', done),
  });
  if (unfit === 0) return;
  const ids = migrations.map((migration) => `"${migration.id}"`).join(', ');
  const list = named.map(({ name, problem }) => `${name}: ${problem}`).join('; ');
  const more = unfit > named.length ? `; and ${unfit - named.length} more` : '';
  throw new ServiceError(
    'Invalid',
    `after the migration ${ids} ${unfit} ${unfit === 1 ? 'object' : 'objects'} of ${kind} would not fit, so nothing was written: ${list}${more}`,
    { group, kind },
  );
}

async function writeAll(
  engine: Engine,
  record: ModelRecord,
  { scheme, migrations, after }: Round,
  run: MigrationRun,
): Promise<void> {
  const table = builtTable(record, scheme);
  const ids = migrations.map((migration) => migration.id);
  let done = 0;
  for await (const batch of batchesOf(engine, objectsAfter(record.id, after), COMMIT_OBJECTS)) {
    await engine.commit((tx) => {
      run.stillMine(tx);
      writeBatch(tx, { table, scheme, migrations }, batch, run.now());
      const last = batch.at(-1)?.id ?? after;
      tx.put(progressKey(record.id), Buffer.from(JSON.stringify({ ids, after: last } satisfies Progress)));
    });
    done += batch.length;
    run.progress('migrate', done);
  }
  await engine.commit((tx) => {
    run.stillMine(tx);
    const editor = new CatalogEditor(tx);
    const present = editor.find(record.id);
    if (present !== undefined) editor.put({ ...present, migrations: [...present.migrations, ...ids] });
    tx.remove(progressKey(record.id));
  });
}

/** What is being built is filled afterwards. */
function builtTable(record: ModelRecord, scheme: Scheme): Table {
  const isBuilt = record.indexes.map(({ state }) => state === 'ready');
  const resource = { ...record.resource, indexes: record.resource.indexes.filter((_, i) => isBuilt[i]) };
  return new Table({ ...record, resource, indexes: record.indexes.filter((_, i) => isBuilt[i]) }, scheme);
}

interface Target {
  readonly table: Table;
  readonly scheme: Scheme;
  readonly migrations: readonly Migration[];
}

function writeBatch(tx: Transaction, target: Target, batch: readonly RecordOf[], timeMs: number): void {
  const { table } = target;
  const transaction = new StoreTransaction(tx, {
    stamp: { timeMs, user: '' },
    objectBytesMax: Infinity,
    current: () => table,
    problem: () => undefined,
  });
  const { kind } = table.resource;
  try {
    withinTime(COMMIT_MS_MAX, () => {
      for (const { id } of batch) writeOne(transaction, tx, target, id);
    });
  } catch (error) {
    if (!(error instanceof TimeLimitPassed)) throw error;
    throw new ServiceError(
      'Timeout',
      `the migration of ${kind} ${error.message} for ${batch.length} objects`,
    );
  }
  transaction.finish();
}

function writeOne(
  transaction: StoreTransaction,
  tx: Transaction,
  { table, scheme, migrations }: Target,
  id: number,
): void {
  const record = tx.get(objectKey(table.modelId, id));
  if (record === undefined) return;
  const stored = decodeRecord(table, id, record);
  const { object, isMigrated, problem } = reviewObject(scheme, migrations, stored.bytes);
  if (object === undefined || problem !== undefined)
    throw new Error(`${problem ?? ''}: the migration is not pure`);
  if (!isMigrated) return;
  const { metadata } = object;
  const generation = isOtherSpec(table.parse(stored.bytes), object) ? 1 : 0;
  const next = {
    ...object,
    metadata: {
      ...metadata,
      generation: metadata.generation + generation,
      version: metadata.version + 1,
    },
  };
  transaction.replace(new ReadyObject(table, next), stored);
}

/** Whether anything but metadata and status is another. */
function isOtherSpec(
  { metadata: _m, status: _s, ...before }: ExtensionObject,
  { metadata: _n, status: _t, ...after }: ExtensionObject,
): boolean {
  return !deepEqual(before, after);
}

function progressKey(modelId: number): Buffer {
  return metaKey(`migration/${modelId}`);
}

async function readProgress(engine: Engine, modelId: number): Promise<Progress | undefined> {
  const bytes = await engine.get(progressKey(modelId));
  return bytes === undefined ? undefined : (JSON.parse(bytes.toString()) as Progress);
}
