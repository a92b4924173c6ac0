import { isDeepStrictEqual } from 'node:util';
import { BUILT_IN_INDEX_NAMES } from '../model/declare/index-spec.js';
import { compareResources } from '../model/evolve/compare-schemas.js';
import type { Work } from '../lib/work/work.js';
import type { Scheme } from '../model/declare/scheme.js';
import type { JsonObject } from '../model/object.js';
import { versionName } from '../model/resource.js';
import type { SchemaChange, SchemaChangeKind } from '../model/evolve/schema-change.js';
import { isReady, otherVersions, getDeclaredVersions, getServedVersions } from './declaration.js';
import type { ModelRecord } from '../store/catalog.js';
import { findMissingMigrations, getPendingMigrations, interruptedText } from './migrate.js';
import { findLapsed, lapsedText } from '../store/lapsed-migrations.js';
import { findPlanProblems, type PlanProblem } from './plan-objects.js';
import type { ModelLifecycle } from './model-lifecycle.js';

export type PlanChangeKind =
  | SchemaChangeKind
  | 'model-added'
  | 'described-otherwise'
  | 'index-added'
  | 'index-removed'
  | 'index-changed'
  | 'version-added'
  | 'version-removed'
  | 'storage-version-moved'
  | 'objects-rewritten'
  | 'reference-added'
  | 'reference-removed'
  | 'reference-changed'
  | 'migration-added'
  | 'migration-removed';

/** A change that a start would make, or a difference that it finds. The path of a change of the model as a whole is empty. */
export interface PlanChange extends Omit<SchemaChange, 'kind'> {
  readonly kind: PlanChangeKind;
}

/** The effect of a start with a model, as it is declared now, on its objects. */
export interface ModelPlan {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  /** The storage version. */
  readonly version: string;
  /** The declaring plugin. */
  readonly plugin: string;
  readonly objects: number;
  /** Safe changes first. */
  readonly changes: readonly PlanChange[];
  /** Facts to know that do not prevent the plugin from starting. */
  readonly warnings: readonly string[];
  /** Problems that prevent the plugin from starting, or that make objects invalid. */
  readonly problems: readonly PlanProblem[];
}

export interface ModelPlanOptions {
  /** Called with the number of checked objects. */
  readonly progress?: (done: number, total: number) => void;
  /** Ends the planning early. */
  readonly work?: Work | undefined;
  /** The schema before, for models whose stored records have none. Default: that of the record. */
  readonly schemaBefore?: JsonObject | undefined;
  /** Objects checked without a break, see `scanObjects`. Default: many, for a process without other work. */
  readonly batch?: number;
}

/** True when a start would change anything. An applied migration that is no longer declared needs no work. */
export function hasWork({ changes }: ModelPlan): boolean {
  return changes.some(({ kind }) => kind !== 'migration-removed');
}

/**
 * Determines the effect of a start with a model on the store, without writing. Objects are only read when the model
 * changed, or when some did not match before.
 */
export async function planModel(
  lifecycle: ModelLifecycle,
  scheme: Scheme,
  options: ModelPlanOptions = {},
): Promise<ModelPlan> {
  const { group, kind, plural, version } = scheme.resource;
  const { store } = lifecycle;
  const stored = store.findRecord(scheme.resource);
  const { schemaBefore: schema } = options;
  const record = stored && schema ? { ...stored, resource: { ...stored.resource, schema } } : stored;
  const objects = await store.getCount(scheme.resource);
  const of = { group, kind, plural, version, plugin: scheme.owner, objects };
  if (record === undefined) {
    return { ...of, changes: [change('model-added', '', 'new model')], warnings: [], problems: [] };
  }
  const changes = getChanges(record, scheme, objects > 0);
  const missing = await findMissingMigrations(store.engine, record, scheme);
  const interrupted = missing.map((id): PlanProblem => ({
    kind: 'interrupted-migration',
    path: id,
    count: objects,
    text: interruptedText(record, id),
    examples: [],
  }));
  const certain = [...lapsedProblems(record, scheme, objects), ...interrupted];
  if (objects === 0 || !needsScan(lifecycle, record, scheme, changes))
    return { ...of, changes, warnings: [], problems: certain };
  const { warnings, problems } = await findPlanProblems(lifecycle, scheme, {
    indexes: indexesToCompare(record, scheme),
    progress: (done) => options.progress?.(done, objects),
    work: options.work,
    ...(options.batch !== undefined && { batch: options.batch }),
  });
  return { ...of, changes, warnings, problems: [...problems, ...certain] };
}

function lapsedProblems(record: ModelRecord, scheme: Scheme, count: number): readonly PlanProblem[] {
  const [id] = count === 0 ? [] : findLapsed(record, scheme);
  if (id === undefined) return [];
  return [{ kind: 'undeclared-migration', path: id, count, text: lapsedText(record, id), examples: [] }];
}

function change(kind: PlanChangeKind, path: string, text: string, isTighter = false): PlanChange {
  return { kind, path, text, isTighter };
}

function getChanges(record: ModelRecord, scheme: Scheme, hasObjects: boolean): readonly PlanChange[] {
  const changes: PlanChange[] = [
    ...compareResources(record.resource, scheme.resource),
    ...otherSchemaChanges(record, scheme),
    ...indexChanges(record, scheme),
    ...referenceChanges(record, scheme),
    ...versionChanges(record, scheme, hasObjects),
    ...migrationChanges(record, scheme, hasObjects),
  ];
  if (changes.length === 0 && !isDescribedSame(record, scheme)) {
    const text = 'names, columns or descriptions changed';
    changes.push(change('described-otherwise', '', text));
  }
  return [...changes.filter(({ isTighter }) => !isTighter), ...changes.filter(({ isTighter }) => isTighter)];
}

/** Compares in the stored form, after a round trip through JSON. */
function isDescribedSame({ resource, otherVersions: others = [] }: ModelRecord, scheme: Scheme): boolean {
  return (
    isDeepStrictEqual(resource, JSON.parse(JSON.stringify(scheme.resource))) &&
    isDeepStrictEqual(others, otherVersions(scheme))
  );
}

/** Changes of versions in which no objects are stored, but which are still served. */
function otherSchemaChanges(
  { otherVersions: others = [] }: ModelRecord,
  scheme: Scheme,
): readonly PlanChange[] {
  return others.flatMap((before) => {
    const now = otherVersions(scheme).find((one) => versionName(one) === versionName(before));
    if (now === undefined) return [];
    const changes = compareResources(before, now);
    return changes.map((one) => ({ ...one, path: `${versionName(before)} ${one.path}` }));
  });
}

function indexChanges({ indexes }: ModelRecord, scheme: Scheme): readonly PlanChange[] {
  const found: PlanChange[] = [];
  for (const index of scheme.indexes) {
    const known = indexes.find(({ name }) => name === index.name);
    const unique = index.unique ? 'unique ' : '';
    if (known === undefined)
      found.push(change('index-added', index.name, `${unique}index added`, index.unique));
    else if (known.fingerprint !== index.fingerprint) {
      const text = `${unique}index changed, it is rebuilt`;
      found.push(change('index-changed', index.name, text, index.unique));
    }
  }
  for (const { name } of indexes) {
    if (scheme.indexes.some((index) => index.name === name)) continue;
    found.push(change('index-removed', name, 'index removed'));
  }
  return found;
}

function referenceChanges({ resource }: ModelRecord, scheme: Scheme): readonly PlanChange[] {
  const [before, now] = [resource.references ?? [], scheme.resource.references ?? []];
  const found: PlanChange[] = [];
  for (const { field, group, kind, onDelete } of now) {
    const known = before.find((reference) => reference.field === field);
    const target = `${kind}${group === '' ? '' : ` of ${group}`}, on delete ${onDelete}`;
    if (known === undefined)
      found.push(change('reference-added', field, `reference added to ${target}`, true));
    else if (known.group !== group || known.kind !== kind || known.onDelete !== onDelete) {
      const isTighter = known.group !== group || known.kind !== kind;
      found.push(change('reference-changed', field, `reference changed, now to ${target}`, isTighter));
    }
  }
  for (const { field } of before) {
    if (now.some((reference) => reference.field === field)) continue;
    found.push(change('reference-removed', field, 'reference removed'));
  }
  return found;
}

function versionChanges(record: ModelRecord, scheme: Scheme, hasObjects: boolean): readonly PlanChange[] {
  const found: PlanChange[] = [];
  const [before, now] = [getServedVersions(record), getDeclaredVersions(scheme)];
  const { version } = scheme.resource;
  for (const name of now)
    if (!before.includes(name)) found.push(change('version-added', name, 'version added'));
  for (const name of before) {
    if (now.includes(name)) continue;
    const text = scheme.versions.byName.has(name) ? 'version no longer served' : 'version removed';
    found.push(change('version-removed', name, text));
  }
  if (record.resource.version !== version) {
    const text = `storage version changes from ${record.resource.version}`;
    found.push(change('storage-version-moved', version, text));
  }
  const others = record.storedVersions.filter((name) => name !== version && scheme.versions.byName.has(name));
  if (hasObjects && others.length > 0) {
    const text = `objects stored in ${others.join(', ')} are rewritten to ${version} in the background`;
    found.push(change('objects-rewritten', version, text));
  }
  return found;
}

function migrationChanges(record: ModelRecord, scheme: Scheme, hasObjects: boolean): readonly PlanChange[] {
  const found: PlanChange[] = [];
  for (const { id, description } of getPendingMigrations(record, scheme)) {
    const why = description === '' ? '' : ` (${description})`;
    const text = hasObjects ? `migration to run${why}` : `migration without objects to migrate${why}`;
    found.push(change('migration-added', id, text));
  }
  const declared = new Set(scheme.versions.migrations.map(({ id }) => id));
  for (const id of record.migrations) {
    if (declared.has(id)) continue;
    const text = 'migration no longer declared; it was applied to the objects';
    found.push(change('migration-removed', id, text));
  }
  return found;
}

const SCANNED_FOR: ReadonlySet<PlanChangeKind> = new Set([
  'index-added',
  'index-changed',
  'storage-version-moved',
  'objects-rewritten',
  'migration-added',
]);

function needsScan(
  lifecycle: ModelLifecycle,
  { storedVersions }: ModelRecord,
  scheme: Scheme,
  changes: readonly PlanChange[],
): boolean {
  return (
    lifecycle.needsScan(scheme) ||
    changes.some(({ kind }) => SCANNED_FOR.has(kind)) ||
    storedVersions.some((version) => !scheme.versions.byName.has(version))
  );
}

/** Indexes whose values may change with a start. */
export function indexesToCompare(record: ModelRecord, scheme: Scheme): Scheme['indexes'] {
  const isMoved = record.resource.version !== scheme.resource.version;
  if (isMoved || getPendingMigrations(record, scheme).length > 0) return scheme.indexes;
  return scheme.indexes.filter(
    (index) =>
      !BUILT_IN_INDEX_NAMES.has(index.name) && !record.indexes.some((known) => isReady(known, index)),
  );
}
