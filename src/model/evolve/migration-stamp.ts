import { setOwn } from '../../lib/json/json.js';
import type { ObjectDraft } from '../object.js';

/**
 * Annotation of an object that comes from a file: the id of the last migration of its model that it went through, or
 * {@link NO_MIGRATION}. It speaks of the storage version, and is never stored.
 */
export const LAST_MIGRATION = 'xsvc.platform.run/last-migration';

/** What the annotation says of an object from before all migrations. No migration is called so. */
export const NO_MIGRATION = 'none';

/** What an object says of its migrations; undefined when it says nothing. What is no text is left to validation. */
export function findLastMigration({ metadata }: Pick<ObjectDraft, 'metadata'>): string | undefined {
  const annotations: unknown = metadata?.annotations;
  if (typeof annotations !== 'object' || annotations === null || !Object.hasOwn(annotations, LAST_MIGRATION))
    return undefined;
  const stated = (annotations as Record<string, unknown>)[LAST_MIGRATION];
  return typeof stated === 'string' ? stated : undefined;
}

/** Metadata that says nothing of migrations. The given one is left as it is, and may be the answer. */
export function withoutLastMigration<M extends NonNullable<ObjectDraft['metadata']>>(metadata: M): M {
  if (findLastMigration({ metadata }) === undefined) return metadata;
  const { annotations, ...rest } = metadata;
  const { [LAST_MIGRATION]: _stated, ...others } = annotations ?? {};
  if (Object.keys(others).length === 0) return rest as M;
  return { ...metadata, annotations: others };
}

/** Metadata that says which migration was the last. The given one is left as it is. */
export function withLastMigration<M extends NonNullable<ObjectDraft['metadata']>>(
  metadata: M,
  id: string,
): M {
  const annotations: Record<string, string> = { ...metadata.annotations };
  setOwn(annotations, LAST_MIGRATION, id);
  return { ...metadata, annotations };
}

/** Those that an object has yet to go through; undefined when it names one that is not among them. */
export function migrationsAfter<M extends { readonly id: string }>(
  migrations: readonly M[],
  last: string,
): readonly M[] | undefined {
  if (last === NO_MIGRATION) return migrations;
  const position = migrations.findIndex(({ id }) => id === last);
  return position < 0 ? undefined : migrations.slice(position + 1);
}
