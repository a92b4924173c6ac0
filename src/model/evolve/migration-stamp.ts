import { setOwn } from '../../lib/json/json.js';
import type { ObjectDraft } from '../object.js';

/**
 * Annotation of an object from a file: the id of the last migration of its model that was applied to it, or
 * {@link NO_MIGRATION}. It refers to the storage version, and is never stored.
 */
export const LAST_MIGRATION = 'xsvc.platform.run/last-migration';

/** The value of the annotation for an object older than all migrations. No migration has this id. */
export const NO_MIGRATION = 'none';

/**
 * The last migration according to the object; undefined without the annotation. A value that is not a text is left to
 * validation.
 */
export function findLastMigration({ metadata }: Pick<ObjectDraft, 'metadata'>): string | undefined {
  const annotations: unknown = metadata?.annotations;
  if (typeof annotations !== 'object' || annotations === null || !Object.hasOwn(annotations, LAST_MIGRATION))
    return undefined;
  const stated = (annotations as Record<string, unknown>)[LAST_MIGRATION];
  return typeof stated === 'string' ? stated : undefined;
}

/** The metadata without the annotation. The argument is not changed, and may be returned. */
export function withoutLastMigration<M extends NonNullable<ObjectDraft['metadata']>>(metadata: M): M {
  if (findLastMigration({ metadata }) === undefined) return metadata;
  const { annotations, ...rest } = metadata;
  const { [LAST_MIGRATION]: _stated, ...others } = annotations ?? {};
  if (Object.keys(others).length === 0) return rest as M;
  return { ...metadata, annotations: others };
}

/** The metadata with the annotation for the last migration. The argument is not changed. */
export function withLastMigration<M extends NonNullable<ObjectDraft['metadata']>>(
  metadata: M,
  id: string,
): M {
  const annotations: Record<string, string> = { ...metadata.annotations };
  setOwn(annotations, LAST_MIGRATION, id);
  return { ...metadata, annotations };
}

/** The migrations still to be applied; undefined when the last one is unknown. */
export function migrationsAfter<M extends { readonly id: string }>(
  migrations: readonly M[],
  last: string,
): readonly M[] | undefined {
  if (last === NO_MIGRATION) return migrations;
  const position = migrations.findIndex(({ id }) => id === last);
  return position < 0 ? undefined : migrations.slice(position + 1);
}
