import { formatExcerpt, type Cause } from '../../errors.js';
import type { Migration } from '../../model/evolve/conversion.js';
import {
  LAST_MIGRATION,
  findLastMigration,
  migrationsAfter,
  withoutLastMigration,
} from '../../model/evolve/migration-stamp.js';
import type { ExtensionObject, ObjectDraft } from '../../model/object.js';
import { migrateOlderVersion } from '../../store/older-version.js';
import { versionOfMigration } from '../../store/shapes.js';
import type { ModelView } from '../read/view.js';
import { invalidObject } from '../object-errors.js';

/**
 * Applies the migrations that a stated object has not had yet, by its annotation; without the annotation it is
 * unchanged.
 * @returns an object in the version of the view; in the storage version when migrations were applied
 * @throws ConversionError when a migration fails; ServiceError `Invalid` for an unknown migration, or when an object of
 * another version matches in no order of migrations and conversion
 */
export function applyPendingMigrations(model: ModelView, object: ExtensionObject): ExtensionObject {
  const migrations = findPendingMigrations(model, object);
  if (migrations === undefined) return object;
  const bare = { ...object, metadata: withoutLastMigration(object.metadata) };
  const { scheme, table } = model;
  if (migrations.length === 0 || scheme === undefined) return bare;
  return model.limited(object.metadata.name, () =>
    model.isStorage
      ? migrations.reduce((present, migration) => migration.up(present), bare)
      : migrateOlderVersion(scheme, bare, {
          migrations,
          versionOf: (id) => versionOfMigration(table.shapes, id),
        }),
  );
}

/** True when an object is in the storage version, although the view may be of another one. */
export function isStorageObject(model: ModelView, object: ExtensionObject): boolean {
  return model.isStorage || !model.isObjectOf(object);
}

/**
 * A patch applies to the present object: it cannot contain parts of an older shape.
 * @throws ServiceError `Invalid` when the result of a patch names outstanding migrations
 */
export function refuseOldStamp(model: ModelView, object: ObjectDraft): void {
  const migrations = findPendingMigrations(model, object) ?? [];
  if (migrations.length === 0) return;
  const ids = migrations.map(({ id }) => `"${id}"`).join(', ');
  const text = `a patch applies to the current object, after the migration ${ids}; send the whole object, or leave out the annotation`;
  throw refusal(model, object, getCause(text));
}

/** Undefined when an object has no annotation about migrations. */
function findPendingMigrations(model: ModelView, object: ObjectDraft): readonly Migration[] | undefined {
  const last = findLastMigration(object);
  if (last === undefined || model.scheme === undefined) return undefined;
  // An object without a name is refused later in any case.
  if (typeof object.metadata?.name !== 'string') return [];
  const migrations = migrationsAfter(model.scheme.versions.migrations, last);
  if (migrations !== undefined) return migrations;
  // Another version may be older than all migrations that the model still has.
  if (!model.isStorage) return [];
  throw refusal(model, object, unknownMigration(last));
}

/** The cause for an object that names an unknown migration. */
export function unknownMigration(last: string): Cause {
  return getCause(
    `the model has no migration "${formatExcerpt(last)}": the object comes from a newer release of the plugin, or the migration ` +
      'was removed from the list; write it with a release that has the migration, or without the annotation when it has the current schema',
  );
}

function getCause(message: string): Cause {
  return { field: `metadata.annotations["${LAST_MIGRATION}"]`, reason: 'FieldValueInvalid', message };
}

function refusal({ resource }: ModelView, object: ObjectDraft, cause: Cause): Error {
  return invalidObject(resource, object, [cause]);
}
