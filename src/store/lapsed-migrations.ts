import type { Scheme } from '../model/declare/scheme.js';
import { ConversionError, type Migration } from '../model/evolve/conversion.js';
import { NO_MIGRATION } from '../model/evolve/migration-stamp.js';
import type { ExtensionObject } from '../model/object.js';
import type { ModelRecord } from './catalog.js';
import { applyMigrations, isClean } from './older-version.js';

/** A migration to be applied to all objects, or only to those written while it was not declared. */
export interface PendingMigration extends Migration {
  /** See `LapsedMigration`; undefined for all objects. */
  readonly after?: number;
}

/**
 * The latest applied migrations that a declaration does not have: it is that of an older release. Earlier migrations may
 * be left out: a declaration with the last one knows the shape of all objects, and so does one with a new migration.
 */
export function findLapsed(
  { migrations: applied }: Pick<ModelRecord, 'migrations'>,
  { versions }: Scheme,
): readonly string[] {
  const declared = new Set(versions.migrations.map(({ id }) => id));
  if ([...declared].some((id) => !applied.includes(id))) return [];
  return applied.slice(applied.findLastIndex((id) => declared.has(id)) + 1);
}

/** The message about the first of them. */
export function lapsedText({ resource: { kind }, migrations }: ModelRecord, id: string): string {
  const to = migrations[migrations.indexOf(id) - 1] ?? NO_MIGRATION;
  return (
    `the migration "${id}" was applied to ${kind} and is not declared: these plugins seem to be of an older release; ` +
    `use the newer one, or undo the migration with its plugins: \`xsvc model rollback ${kind} --to ${to}\``
  );
}

/** The lapsed migrations of a model from a revision on, when it gets a declaration. */
export function withLapsed(
  record: Pick<ModelRecord, 'migrations' | 'lapsed'>,
  scheme: Scheme,
  after: number,
): Pick<ModelRecord, 'lapsed'> {
  const known = record.lapsed ?? [];
  const more = findLapsed(record, scheme).filter((id) => !known.some((one) => one.id === id));
  const lapsed = [...known, ...more.map((id) => ({ id, after }))];
  return lapsed.length === 0 ? {} : { lapsed };
}

/** Ids of the migrations that all objects of a model have gone through. */
export function appliedToAll({
  migrations,
  lapsed = [],
}: Pick<ModelRecord, 'migrations' | 'lapsed'>): ReadonlySet<string> {
  return new Set(migrations.filter((id) => !lapsed.some((one) => one.id === id)));
}

/**
 * Applies outstanding migrations to an object in the storage version. Those that had lapsed are applied only to an
 * object that was written since, does not match without them, and matches with them: an older release may have changed
 * a label of an object that is migrated.
 * @throws ConversionError
 */
export function applyOutstanding(
  { versions: { storage } }: Scheme,
  migrations: readonly PendingMigration[],
  object: ExtensionObject,
): ExtensionObject {
  const revision = Number(object.metadata.resourceVersion);
  const always = migrations.filter(({ after }) => after === undefined);
  const missed = migrations.filter(({ after = -1 }) => after < revision);
  if (missed.length === always.length) return applyMigrations(always, object);
  const attempt = (some: readonly Migration[]): ExtensionObject | undefined => {
    try {
      const result = applyMigrations(some, object);
      return isClean(storage, result) ? result : undefined;
    } catch (error) {
      if (error instanceof ConversionError) return undefined;
      throw error;
    }
  };
  return attempt(always) ?? attempt(missed) ?? applyMigrations(always, object);
}
