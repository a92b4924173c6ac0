import { hasCode, unavailable, type ServiceError } from '../errors.js';
import { BUILT_IN_INDEX_NAMES } from '../model/declare/index-spec.js';
import { RemoteConversionError } from '../model/evolve/conversion.js';
import { modelKey } from '../model/resource.js';
import type { Scheme } from '../model/declare/scheme.js';
import { getModelWork, WorkLease } from '../cluster/work-lease.js';
import type { Cluster } from '../cluster/cluster.js';
import {
  CatalogEditor,
  type CatalogIndex,
  isWorkedOn,
  type ModelRecord,
  NO_BUILDER,
} from '../store/catalog.js';
import type { Engine, Transaction } from '../store/engine.js';
import { refuseIfInUse } from '../cluster/served-models.js';
import { buildIndexes, sweepDropped } from './index-build.js';
import { countKey } from '../store/index/keys.js';
import { asStored, isDeclared, isReady, isUpToDate, otherVersions, schemaHash } from './declaration.js';
import { migrateObjects, getPendingMigrations, refuseMissingMigrations } from './migrate.js';
import { forgetProgress } from './migration-progress.js';
import { declaredVersions } from './stored-versions.js';
import { findLapsed, withLapsed } from '../store/lapsed-migrations.js';
import { shapesOf, withShape, type Shape } from '../store/shapes.js';
import type { Store } from '../store/store.js';
import { decodeCount } from '../store/transaction.js';

/** The progress of the work on a model's objects before it can be served. */
export interface AttachProgress {
  readonly kind: string;
  /** Check of the objects before migration, the migration, or the build of new indexes. */
  readonly task: 'check' | 'migrate' | 'index';
  /** Names of the indexes being built; empty when only old ones are removed. */
  readonly indexes: readonly string[];
  readonly done: number;
  readonly total: number;
}

/** The indexes to build: those that need it, or all. */
export type BuildScope = 'outdated' | 'all';

/**
 * The handling of outstanding migrations: run them; do not attach the model; or attach the model unmigrated, for
 * reads only.
 */
export type MigratePolicy = 'run' | 'refuse' | 'later';

export interface AttachOptions {
  /** Default: `outdated`. */
  readonly scope?: BuildScope;
  /** Default: `run`. */
  readonly migrate?: MigratePolicy;
  /** True when the declaration may change although another living process serves the model with another one. */
  readonly takeover?: boolean;
  readonly progress?: (progress: AttachProgress) => void;
}

/**
 * Updates the store's record of a model to its declaration, runs outstanding migrations, and builds its indexes. An
 * interrupted build starts again with new ids; the entries of the old ids are removed later. An interrupted migration
 * continues.
 * @throws ServiceError when objects do not match, are stored in undeclared versions, or share unique values; when
 * another process serves the model with another declaration
 */
export async function attachModel(
  store: Store,
  cluster: Cluster,
  scheme: Scheme,
  options: AttachOptions = {},
): Promise<void> {
  const { resource } = scheme;
  const lease = new WorkLease(cluster, getModelWork(resource));
  try {
    while (!(await attachOnce({ store, cluster, scheme, lease }, options))) await lease.acquire();
  } finally {
    await lease.release();
  }
}

/** The model to attach, and the lease for work on its objects. */
interface Attach {
  readonly store: Store;
  readonly cluster: Cluster;
  readonly scheme: Scheme;
  readonly lease: WorkLease;
}

/** @returns false when objects need work, which requires the lease */
async function attachOnce(attach: Attach, options: AttachOptions): Promise<boolean> {
  const { store, cluster, scheme, lease } = attach;
  const { engine } = store;
  const { scope = 'outdated', migrate = 'run', progress = () => undefined } = options;
  const known = (await store.readCatalog()).models.get(modelKey(scheme.resource));
  const hasObjects = known !== undefined && (await countObjects(engine, known.id)) > 0;
  if (hasObjects && getPendingMigrations(known, scheme).length > 0) {
    if (migrate === 'later') return true;
    if (migrate === 'refuse') throw notMigrated(known, scheme);
  }
  if (scope === 'outdated' && known !== undefined && isUpToDate(known, scheme)) return true;
  if (hasObjects) await refuseMissingMigrations(engine, known, scheme);
  if (hasObjects && options.takeover !== true && !isDeclared(known, scheme))
    await refuseIfInUse(engine, scheme.resource, cluster);
  const storedVersions = hasObjects ? await declaredVersions(engine, known, scheme) : [];
  const plan: AttachPlan = { modelId: known?.id, scheme, scope, storedVersions };
  const planned = await engine.commit((tx) => planAttach(tx, plan, cluster.owner, lease));
  if (planned === 'lease wanted') return false;
  if (planned.builder !== undefined) await build(attach, planned, progress);
  else if (scope === 'outdated') return true;
  await sweepDropped(engine);
  return true;
}

type OnProgress = (progress: AttachProgress) => void;

async function build(attach: Attach, record: ModelRecord, progress: OnProgress): Promise<void> {
  const { engine } = attach.store;
  const { owner } = attach.cluster;
  try {
    await updateObjects(attach, record, progress);
    await engine.commit((tx) => finishAttach(tx, record.id, owner));
  } catch (error) {
    // When this write fails too, the build ends with the process.
    await engine.commit((tx) => abandonBuild(tx, record.id, owner, getFailure(error))).catch(() => undefined);
    throw error;
  }
}

async function updateObjects(
  { store, cluster, scheme, lease }: Attach,
  record: ModelRecord,
  progress: OnProgress,
): Promise<void> {
  const { engine } = store;
  const stillMine = (tx: Transaction): void => {
    lease.guard(tx);
    refuseLost(tx, record.id, cluster.owner);
  };
  const total = await countObjects(engine, record.id);
  const { kind } = record.resource;
  await migrateObjects(engine, record, scheme, {
    now: () => store.now(),
    stillMine,
    observer: store.observer,
    progress: (task, done) => progress({ kind, task, indexes: [], done, total }),
  });
  await buildIndexes(engine, record, scheme, {
    stillMine,
    progress: (indexes, done) => progress({ kind, task: 'index', indexes, done, total }),
  });
}

async function countObjects(engine: Engine, modelId: number): Promise<number> {
  return decodeCount(await engine.get(countKey(modelId))).objects;
}

function notMigrated(record: ModelRecord, scheme: Scheme): ServiceError {
  const { group, kind } = record.resource;
  const ids = getPendingMigrations(record, scheme).map(({ id }) => `"${id}"`);
  return unavailable(
    `${kind} has the outstanding ${ids.length === 1 ? 'migration' : 'migrations'} ${ids.join(', ')}; ` +
      `run \`xsvc model migrate ${kind}\`, or start with --migrate auto`,
    { group, kind },
  );
}

interface AttachPlan {
  /** Undefined for a model that is new to the store. */
  readonly modelId: number | undefined;
  readonly scheme: Scheme;
  readonly scope: BuildScope;
  readonly storedVersions: readonly string[];
}

/** Writes the planned work to the catalogue. From then on no other process writes objects of the model. */
function planAttach(
  tx: Transaction,
  { modelId, scheme, scope, storedVersions }: AttachPlan,
  owner: string,
  lease: WorkLease,
): ModelRecord | 'lease wanted' {
  const editor = new CatalogEditor(tx);
  // Two processes may find a new model at once; the second finds the record of the first.
  const known = modelId === undefined ? editor.findByKey(modelKey(scheme.resource)) : editor.find(modelId);
  const id = known?.id ?? editor.newId();
  const count = decodeCount(tx.get(countKey(id)));
  const empty = count.objects === 0;
  if (empty) forgetProgress(tx, id);
  const state = empty ? 'ready' : 'building';
  // An index function may read other values from another version of an object, even with the same text.
  const hasMoved = known !== undefined && known.resource.version !== scheme.resource.version;
  const indexes = scheme.indexes.map((index): CatalogIndex => {
    const isKept = scope !== 'all' && (!hasMoved || BUILT_IN_INDEX_NAMES.has(index.name));
    const kept = isKept ? known?.indexes.find((record) => isReady(record, index)) : undefined;
    return kept ?? { id: editor.newId(), name: index.name, fingerprint: index.fingerprint, state };
  });
  const keptIds = new Set(indexes.map((index) => index.id));
  const dropped = (known?.indexes ?? []).map((index) => index.id).filter((old) => !keptIds.has(old));
  const isDone =
    dropped.length === 0 &&
    indexes.every((index) => index.state === 'ready') &&
    (known === undefined || getPendingMigrations(known, scheme).length === 0) &&
    known?.builder === undefined;
  const migrations = empty ? allMigrations(known, scheme) : (known?.migrations ?? []);
  const shapes = known && nextShapes(known, scheme, { after: count.revision, ...(empty && { migrations }) });
  const record: ModelRecord = {
    id,
    resource: asStored(scheme.resource),
    otherVersions: otherVersions(scheme),
    storedVersions: [...new Set([...(empty ? [] : storedVersions), scheme.resource.version])],
    migrations,
    ...(known && !empty && withLapsed(known, scheme, count.revision)),
    ...(shapes !== undefined && { shapes }),
    ...(known?.dictionaries && { dictionaries: known.dictionaries }),
    ...getScan(known, scheme, empty),
    ...defaultsOf(known, scheme, empty),
    indexes,
    ...(empty || isDone ? {} : { builder: owner }),
  };
  const before = known?.builder ?? NO_BUILDER;
  if (record.builder !== undefined || (isWorkedOn(before) && before !== owner)) {
    if (!lease.isHeld) return 'lease wanted';
    lease.guard(tx);
  }
  editor.put(record);
  if (dropped.length > 0) editor.setDropped([...editor.dropped(), ...dropped]);
  return record;
}

/** Migrations of existing objects add their shape when they begin. */
function nextShapes(
  known: ModelRecord,
  scheme: Scheme,
  next: Omit<Partial<Shape>, 'version'>,
): ModelRecord['shapes'] {
  const shapes = shapesOf(known);
  const { after = 0, migrations = shapes.at(-1)?.migrations ?? [] } = next;
  return withShape(shapes, { after, version: scheme.resource.version, migrations });
}

/** Without objects, all objects match. */
function getScan(
  known: ModelRecord | undefined,
  scheme: Scheme,
  empty: boolean,
): Pick<ModelRecord, 'review'> {
  if (empty) return { review: { schema: schemaHash(scheme), unfit: 0 } };
  return known?.review === undefined ? {} : { review: known.review };
}

/** Objects of a store that knew no defaults may lack those of today. */
function defaultsOf(
  known: ModelRecord | undefined,
  { shownDefaults }: Scheme,
  empty: boolean,
): Pick<ModelRecord, 'defaults' | 'lacksDefaults'> {
  const digest = shownDefaults?.digest;
  if (digest === undefined) return {};
  const isLacking = !empty && (known?.lacksDefaults === true || known?.defaults !== digest);
  return { defaults: digest, ...(isLacking && { lacksDefaults: true }) };
}

/** Without objects, all declared migrations count as applied, and those of newer releases do not. */
function allMigrations(known: ModelRecord | undefined, scheme: Scheme): readonly string[] {
  const lapsed = known === undefined ? [] : findLapsed(known, scheme);
  const before = known?.migrations.filter((id) => !lapsed.includes(id)) ?? [];
  return [...new Set([...before, ...scheme.versions.migrations.map(({ id }) => id)])];
}

function finishAttach(tx: Transaction, modelId: number, owner: string): void {
  refuseLost(tx, modelId, owner);
  new CatalogEditor(tx).update(modelId, ({ builder: _done, ...record }) => ({
    ...record,
    indexes: record.indexes.map((index) => ({ ...index, state: 'ready' })),
  }));
}

/** Leaves the failed work on a model to the next process that attaches it. */
function abandonBuild(
  tx: Transaction,
  modelId: number,
  owner: string,
  failure: Pick<ModelRecord, 'failure'>,
): void {
  new CatalogEditor(tx).update(modelId, (record) =>
    record.builder === owner ? { ...record, builder: NO_BUILDER, ...failure } : undefined,
  );
}

/** The error for every process that reads the model: duplicates remain until somebody changes them. */
function getFailure(error: unknown): Pick<ModelRecord, 'failure'> {
  return isSharedValues(error) || error instanceof RemoteConversionError ? { failure: error.message } : {};
}

/** True when a model could not be attached because its objects share values that must be unique. */
function isSharedValues(error: unknown): error is ServiceError {
  return hasCode(error, 'AlreadyExists');
}

/** Another process assumed that this one was dead, and builds itself. */
function refuseLost(tx: Transaction, modelId: number, owner: string): void {
  const now = new CatalogEditor(tx).find(modelId);
  if (now?.builder !== owner) {
    throw unavailable(`another process took over the work on ${now?.resource.kind ?? 'a model'}`);
  }
}
