import { conflict, getMessage, listCauses, notFound } from '../errors.js';
import { deepEqual } from '../lib/json/json.js';
import { didYouMean, suggest } from '../lib/suggest.js';
import type { Scheme } from '../model/declare/scheme.js';
import type { Migration } from '../model/evolve/conversion.js';
import { NO_MIGRATION } from '../model/evolve/migration-stamp.js';
import type { ExtensionObject } from '../model/object.js';
import { compileModel, type ObjectCheck } from '../model/validate/validator.js';
import type { ModelRecord } from '../store/catalog.js';
import { parseObject } from '../store/object-record.js';
import { shapesOf, versionAfter, versionOfMigration } from '../store/shapes.js';
import { toVersion } from '../store/stored-version.js';
import type { Store } from '../store/store.js';
import { readProgress, type MigrationProgress } from './migration-progress.js';
import {
  InvalidObjects,
  scanObjects,
  unconvertible,
  type CheckedObject,
  type CheckJson,
  type InvalidObject,
} from './scan.js';

/** A reason why a rollback is refused. */
export interface RollbackProblem {
  /** The migration or version; empty for objects. */
  readonly path: string;
  readonly text: string;
  /** Number of objects; 0 for a problem of the declaration. */
  readonly count: number;
  /** The first of them. */
  readonly examples: readonly InvalidObject[];
}

/** The effect of a rollback of a model. */
export interface RollbackPlan {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  /** The declaring plugin. */
  readonly plugin: string;
  /** The last migration that stays applied, or `none`. */
  readonly to: string;
  /** The migrations to undo, newest first. */
  readonly migrations: readonly Pick<Migration, 'id' | 'description'>[];
  /** The version in which the objects will be stored. */
  readonly version: string;
  readonly objects: number;
  readonly changed: number;
  readonly problems: readonly RollbackProblem[];
}

/** Migrations that are undone together. */
export interface RollbackRound {
  /** In the order of application. */
  readonly ids: readonly string[];
  /** The migrations that stay applied. */
  readonly kept: readonly string[];
  /** Only objects with ids up to this one have gone through the migrations; undefined for all. */
  readonly until: number | undefined;
}

/**
 * The rounds of a rollback: an interrupted run, or rollback, is undone first, because its migrations were applied to
 * some objects only.
 * @throws ServiceError `NotFound`, or `Conflict` for a migration that is not applied to all objects
 */
export function getRounds(
  record: ModelRecord,
  scheme: Scheme,
  { to, begun }: { readonly to: string; readonly begun: MigrationProgress | undefined },
): readonly RollbackRound[] {
  const applied = record.migrations;
  const last = applied.indexOf(to);
  if (last < 0 && to !== NO_MIGRATION) throw notApplied(record, scheme, { to, begun });
  const kept = applied.slice(0, last + 1);
  const rounds: RollbackRound[] = [];
  if (begun !== undefined) rounds.push({ ids: begun.ids, kept: applied, until: begun.after });
  refuseLapsed(record, [...(begun?.ids ?? []), ...applied.slice(kept.length)]);
  if (kept.length < applied.length) rounds.push({ ids: applied.slice(kept.length), kept, until: undefined });
  return rounds;
}

/** Objects that an older release wrote are not in the shape that `down` needs. */
function refuseLapsed(
  { resource: { group, kind }, lapsed = [] }: ModelRecord,
  undone: readonly string[],
): void {
  const missed = lapsed.find(({ id }) => undone.includes(id));
  if (missed === undefined) return;
  throw conflict(
    `an older release without the migration "${missed.id}" of ${kind} was started after it; run \`xsvc model migrate ${kind}\` first, ` +
      'which migrates what that release wrote',
    { group, kind },
  );
}

function notApplied(
  { resource: { group, kind }, migrations, rollback }: ModelRecord,
  { versions }: Scheme,
  { to, begun }: { readonly to: string; readonly begun: MigrationProgress | undefined },
): Error {
  const details = { group, kind };
  if (begun?.ids.includes(to) === true) {
    const run = rollback === undefined ? 'a migration' : `the rollback to "${rollback.to}"`;
    return conflict(
      `${run} of ${kind} was interrupted, so "${to}" is applied to some objects only; run \`xsvc model migrate ${kind}\` first, ` +
        `or roll back to "${migrations.at(-1) ?? NO_MIGRATION}"`,
      details,
    );
  }
  const applied =
    migrations.length === 0 ? 'none is applied' : `applied: ${migrations.map((id) => `"${id}"`).join(', ')}`;
  if (versions.migrations.some(({ id }) => id === to))
    return conflict(`the migration "${to}" is not applied to ${kind}; ${applied}`, details);
  const near = didYouMean(suggest(to, [...migrations, NO_MIGRATION]));
  return notFound(`${kind} has no migration "${to}"${near}; ${applied}`, details);
}

export interface RollbackPlanOptions {
  readonly to: string;
  /** Called with the number of checked objects. */
  readonly progress?: (done: number, total: number) => void;
}

/** A model in the store, with its code. */
export interface RollbackModel {
  readonly store: Store;
  readonly record: ModelRecord;
  readonly scheme: Scheme;
}

/**
 * Determines the effect of a rollback on all objects of a model, without writing. Objects are not checked against a
 * schema: that of the older release is not known.
 * @throws ServiceError as {@link getRounds}
 */
export async function planRollback(
  { store, record, scheme }: RollbackModel,
  { to, progress }: RollbackPlanOptions,
): Promise<RollbackPlan> {
  const { group, kind, plural } = record.resource;
  const begun = await readProgress(store.engine, record.id);
  const rounds = getRounds(record, scheme, { to, begun });
  const ids = rounds.flatMap((round) => round.ids.toReversed());
  const objects = await store.getCount(record.resource);
  const version = getVersion(record, rounds);
  const byId = new Map(scheme.versions.migrations.map((migration) => [migration.id, migration]));
  const plan = {
    ...{ group, kind, plural, plugin: scheme.owner, to, version, objects },
    migrations: ids.map((id) => ({ id, description: byId.get(id)?.description ?? '' })),
  };
  const undeclared = declarationProblems(scheme, ids, version);
  if (undeclared.length > 0 || ids.length === 0) return { ...plan, changed: 0, problems: undeclared };
  const found = { changed: 0, invalid: new InvalidObjects() };
  const scan = async (
    part: readonly RollbackRound[],
    range: { after?: number; until?: number },
  ): Promise<number> => {
    if (part.length === 0) return 0;
    const { objects: done } = await scanObjects(store.engine, record, scheme, {
      ...range,
      check: undoing({ record, scheme, objectBytesMax: store.objectBytesMax }, part),
      onObject: ({ checked }) => (found.changed += checked.isMigrated ? 1 : 0),
      onInvalid: (one) => found.invalid.add(one),
      progress: (count) => progress?.(count, objects),
    });
    return done;
  };
  if (begun === undefined) await scan(rounds, {});
  else {
    await scan(rounds, { until: begun.after });
    await scan(rounds.slice(1), { after: begun.after });
  }
  return { ...plan, changed: found.changed, problems: objectProblems(found.invalid) };
}

/** The version in which objects are stored after these rounds. */
function getVersion(record: ModelRecord, rounds: readonly RollbackRound[]): string {
  const kept = rounds.at(-1)?.kept ?? record.migrations;
  return versionAfter(shapesOf(record), kept) ?? record.resource.version;
}

function declarationProblems(
  { versions, resource: { kind } }: Scheme,
  ids: readonly string[],
  version: string,
): readonly RollbackProblem[] {
  const declared = new Map(versions.migrations.map((migration) => [migration.id, migration]));
  const problems = ids.flatMap((id): RollbackProblem[] => {
    const migration = declared.get(id);
    if (migration?.down !== undefined) return [];
    const text =
      migration === undefined
        ? `the loaded plugins do not declare the migration "${id}" of ${kind}, so it cannot be undone; use those of the newest release`
        : `the migration "${id}" has no down, so it cannot be undone; restore a backup instead`;
    return [{ path: id, text, count: 0, examples: [] }];
  });
  if (versions.byName.has(version)) return problems;
  const text = `objects would go back to version ${version}, which no class declares; declare it with up and down`;
  return [...problems, { path: version, text, count: 0, examples: [] }];
}

function objectProblems({ count, named }: InvalidObjects): readonly RollbackProblem[] {
  if (count === 0) return [];
  const text = `${count} ${count === 1 ? 'object' : 'objects'} cannot be rolled back`;
  return [{ path: '', text, count, examples: named }];
}

/** A model whose objects are rolled back. */
export interface UndoneModel {
  readonly record: ModelRecord;
  readonly scheme: Scheme;
  /** Limit for the size of an object; larger ones may stay as large as they are. */
  readonly objectBytesMax: number;
}

/** A function that undoes the migrations of the rounds for an object. They must have a `down`. */
export function undoing(model: UndoneModel, rounds: readonly RollbackRound[]): CheckJson {
  const { record, scheme } = model;
  const shapes = shapesOf(record);
  const storage = scheme.resource.version;
  const steps = rounds
    .flatMap(({ ids }) => ids.toReversed())
    .map((id) => ({
      down: scheme.versions.migrations.find((migration) => migration.id === id)?.down,
      version: versionOfMigration(shapes, id) ?? storage,
    }));
  const version = getVersion(record, rounds);
  return (json) => {
    const before = parseObject(json);
    let object = before;
    try {
      for (const step of steps) object = step.down?.(toVersion(scheme, object, step.version)) ?? object;
      object = toVersion(scheme, object, version);
    } catch (error) {
      return unconvertible(getMessage(error));
    }
    return checkUndone(model, { before, object, bytes: json.length });
  };
}

/** The rules of metadata and names apply to objects of every schema. */
let metadataCheck: ObjectCheck | undefined;

function checkUndone(
  { objectBytesMax }: UndoneModel,
  undone: { readonly before: ExtensionObject; readonly object: ExtensionObject; readonly bytes: number },
): CheckedObject {
  const { before, object, bytes } = undone;
  metadataCheck ??= compileModel({ type: 'object' });
  const { causes } = metadataCheck(object, undefined, { isStored: true });
  const size = Buffer.byteLength(JSON.stringify(object));
  const problem =
    causes.length > 0
      ? listCauses(causes)
      : size > Math.max(objectBytesMax, bytes)
        ? `would have ${size} bytes, and may have ${objectBytesMax}`
        : undefined;
  return { object, isMigrated: !deepEqual(before, object), problem };
}
