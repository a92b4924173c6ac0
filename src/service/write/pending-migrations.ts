import { formatExcerpt, invalid, type Cause } from '../../errors.js';
import type { Migration } from '../../model/evolve/conversion.js';
import {
  LAST_MIGRATION,
  findLastMigration,
  migrationsAfter,
  withoutLastMigration,
} from '../../model/evolve/migration-stamp.js';
import type { ExtensionObject, ObjectDraft } from '../../model/object.js';
import type { ModelView } from '../read/view.js';
import { getDetails, getSubject } from '../object-errors.js';

/**
 * Applies the migrations that a stated object has not had yet, by its annotation; without the annotation it is
 * unchanged. In a version other than the storage version, an object always has the present shape of that version.
 * @throws ConversionError when a migration fails; ServiceError `Invalid` for an unknown migration
 */
export function applyPendingMigrations(model: ModelView, object: ExtensionObject): ExtensionObject {
  const migrations = findPendingMigrations(model, object);
  if (migrations === undefined) return object;
  const bare = { ...object, metadata: withoutLastMigration(object.metadata) };
  if (migrations.length === 0) return bare;
  return model.limited(object.metadata.name, () =>
    migrations.reduce((present, migration) => migration.up(present), bare),
  );
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
  if (!model.isStorage || typeof object.metadata?.name !== 'string') return [];
  const migrations = migrationsAfter(model.scheme.versions.migrations, last);
  if (migrations !== undefined) return migrations;
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

function refusal({ resource }: ModelView, { metadata }: ObjectDraft, cause: Cause): Error {
  return invalid(getSubject(resource, metadata?.name), [cause], getDetails(resource, metadata?.name));
}
