import { unavailable } from '../errors.js';
import { deepEqual } from '../lib/json/json.js';
import { AdaptiveBatch } from '../lib/work/adaptive-batch.js';
import { getModelWork, WorkLease } from '../cluster/work-lease.js';
import type { Cluster } from '../cluster/cluster.js';
import type { Scheme } from '../model/declare/scheme.js';
import { BUILT_IN_INDEX_NAMES } from '../model/declare/index-spec.js';
import { modelKey } from '../model/resource.js';
import { CatalogEditor, NO_BUILDER, type CatalogIndex, type ModelRecord } from '../store/catalog.js';
import type { Engine, KeyRange, Transaction } from '../store/engine.js';
import { countKey, getObjects, objectKey } from '../store/index/keys.js';
import { shapesOf, versionAfter, withShape } from '../store/shapes.js';
import type { Store } from '../store/store.js';
import { decodeCount, type ModelCount } from '../store/transaction.js';
import { builtTable, ObjectChanger, writeChanged } from './changed-objects.js';
import { sweepDropped } from './index-build.js';
import { forgetProgress, readProgress, saveProgress } from './migration-progress.js';
import { migrationUser } from '../model/system-users.js';
import { getRounds, planRollback, undoing, type RollbackPlan, type RollbackRound } from './rollback-plan.js';
import { iterateBatches } from './scan.js';

/** Most objects of a commit, and target time for preparing its writes. */
const COMMIT_OBJECTS = 60;
const COMMIT_MS = 2;

export interface RollbackOptions {
  /** The last migration that stays applied, or `none`. */
  readonly to: string;
  readonly progress?: (task: 'check' | 'rollback', done: number, total: number) => void;
  /** Called with the plan before anything is written. */
  readonly onPlan?: (plan: RollbackPlan) => void;
}

interface RollbackWork {
  readonly store: Store;
  readonly scheme: Scheme;
  readonly options: RollbackOptions;
  /** The name of this process. */
  readonly owner: string;
  readonly lease: WorkLease;
}

/**
 * Undoes the migrations of a model after one of them, newest first. First all objects are checked without writing; with
 * a problem, nothing is written. Then they are written in small commits, from the largest id down. After an
 * interruption it can be called again, or the migrations can be applied again. At the end the model waits for the code
 * of the older release. No process may serve the model.
 * @returns the plan; with problems, nothing was written
 * @throws ServiceError as `planRollback`
 */
export async function rollBackModel(
  store: Store,
  cluster: Cluster,
  scheme: Scheme,
  options: RollbackOptions,
): Promise<RollbackPlan> {
  const lease = new WorkLease(cluster, getModelWork(scheme.resource));
  try {
    await lease.acquire();
    return await rollBack({ store, scheme, options, owner: cluster.owner, lease });
  } finally {
    await lease.release();
    await store.reload();
  }
}

async function rollBack(work: RollbackWork): Promise<RollbackPlan> {
  const { store, scheme, options } = work;
  const { to, onPlan, progress } = options;
  const { engine } = store;
  for (;;) {
    const count = await readCount(store, scheme);
    const record = (await store.readCatalog()).models.get(modelKey(scheme.resource));
    if (record === undefined) throw new Error(`${scheme.resource.kind} is not in the store`);
    const plan = await planRollback(
      { store, record, scheme },
      { to, progress: (done, total) => progress?.('check', done, total) },
    );
    const rounds = getRounds(record, scheme, { to, begun: await readProgress(engine, record.id) });
    const isOver = rounds.length === 0 && record.rollback?.isDone !== false;
    if (plan.problems.length > 0 || isOver) {
      onPlan?.(plan);
      return plan;
    }
    const first = rounds[0] ?? { ids: [], kept: record.migrations, until: undefined };
    // The check did not keep others from writing.
    const isBegun = await engine.commit((tx) => {
      work.lease.guard(tx);
      const present = new CatalogEditor(tx).find(record.id);
      if (!deepEqual(present, record) || !deepEqual(countIn(tx, record.id), count)) return false;
      beginRound(tx, record, first, work);
      return true;
    });
    if (!isBegun) continue;
    onPlan?.(plan);
    await writeRounds(work, record.id, rounds, plan.objects);
    await sweepDropped(engine);
    return plan;
  }
}

async function readCount(store: Store, { resource }: Scheme): Promise<ModelCount> {
  const record = (await store.readCatalog()).models.get(modelKey(resource));
  return decodeCount(record && (await store.engine.get(countKey(record.id))));
}

function countIn(tx: Transaction, modelId: number): ModelCount {
  return decodeCount(tx.get(countKey(modelId)));
}

/**
 * From this commit on no process writes objects of the model, and objects may be in the older shape. Its indexes read
 * the newer shape: they are built again by the next code that is attached.
 */
function beginRound(tx: Transaction, record: ModelRecord, round: RollbackRound, work: RollbackWork): void {
  const { ids, kept, until } = round;
  const editor = new CatalogEditor(tx);
  const { nextId, revision: after } = countIn(tx, record.id);
  const shapes = shapesOf(record);
  const version = versionAfter(shapes, kept) ?? record.resource.version;
  const isKept = (index: CatalogIndex): boolean =>
    index.state !== 'ready' || BUILT_IN_INDEX_NAMES.has(index.name);
  const indexes = record.indexes.map((index): CatalogIndex =>
    isKept(index) ? index : { ...index, id: editor.newId(), state: 'building' },
  );
  const dropped = record.indexes.filter((index) => !isKept(index)).map(({ id }) => id);
  const { review: _review, failure: _failure, ...rest } = record;
  editor.put({
    ...rest,
    migrations: kept,
    storedVersions: [...new Set([...record.storedVersions, version])],
    shapes: withShape(shapes, { after, version, migrations: kept }),
    indexes,
    builder: work.owner,
    rollback: { to: work.options.to, isDone: false },
  });
  if (dropped.length > 0) editor.setDropped([...editor.dropped(), ...dropped]);
  if (ids.length > 0) saveProgress(tx, record.id, { ids, after: until ?? nextId - 1 });
}

async function writeRounds(
  work: RollbackWork,
  modelId: number,
  rounds: readonly RollbackRound[],
  total: number,
): Promise<void> {
  const { engine } = work.store;
  const stillMine = (tx: Transaction): ModelRecord => {
    work.lease.guard(tx);
    const record = new CatalogEditor(tx).find(modelId);
    if (record?.builder === work.owner) return record;
    throw unavailable(`another process took over the work on ${work.scheme.resource.kind}`);
  };
  try {
    for (const [i, round] of rounds.entries()) {
      if (i > 0) await engine.commit((tx) => beginRound(tx, stillMine(tx), round, work));
      await writeRound({ ...work, stillMine, total }, modelId, round);
    }
    await engine.commit((tx) => {
      const record = stillMine(tx);
      const { to } = work.options;
      new CatalogEditor(tx).put({ ...record, builder: NO_BUILDER, rollback: { to, isDone: true } });
    });
  } catch (error) {
    await engine.commit((tx) => abandon(tx, modelId, work.owner)).catch(() => undefined);
    throw error;
  }
}

interface RoundWork extends RollbackWork {
  /** The record. @throws when another process took over */
  readonly stillMine: (tx: Transaction) => ModelRecord;
  readonly total: number;
}

async function writeRound(work: RoundWork, modelId: number, round: RollbackRound): Promise<void> {
  const { store, scheme, stillMine, total, options } = work;
  const { engine } = store;
  const record = await engine.commit(stillMine);
  const { ids } = round;
  const model = { record, scheme, objectBytesMax: store.objectBytesMax };
  const table = builtTable(record, scheme);
  const changer = new ObjectChanger({ table, change: undoing(model, [round]), name: 'the rollback' });
  const commits = new AdaptiveBatch(COMMIT_MS, COMMIT_OBJECTS);
  const user = migrationUser(ids[0] ?? '');
  let done = 0;
  for await (const batch of downwards(engine, modelId, round)) {
    for (const some of commits.iterateParts(batch)) {
      const changed = await changer.apply(some);
      await engine.commit((tx) => {
        stillMine(tx);
        commits.go(some.length, () => writeChanged(tx, table, changed, { timeMs: store.now(), user }));
        saveProgress(tx, modelId, { ids, after: (some.at(-1)?.id ?? 1) - 1 });
      });
      done += some.length;
    }
    options.progress?.('rollback', done, total);
  }
  await engine.commit((tx) => {
    const present = stillMine(tx);
    const version = versionAfter(shapesOf(present), round.kept) ?? present.resource.version;
    if (round.until === undefined) new CatalogEditor(tx).put({ ...present, storedVersions: [version] });
    forgetProgress(tx, modelId);
  });
}

function downwards(
  engine: Engine,
  modelId: number,
  { until }: RollbackRound,
): ReturnType<typeof iterateBatches> {
  const all = getObjects(modelId);
  const range: KeyRange = until === undefined ? all : { ...all, end: objectKey(modelId, until + 1) };
  return iterateBatches(engine, range, { limit: COMMIT_OBJECTS, reverse: true });
}

/** Leaves an interrupted rollback to the next call. */
function abandon(tx: Transaction, modelId: number, owner: string): void {
  new CatalogEditor(tx).update(modelId, (record) =>
    record.builder === owner ? { ...record, builder: NO_BUILDER } : undefined,
  );
}
