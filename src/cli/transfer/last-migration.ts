import { isRecord } from '../../lib/json/json.js';
import {
  findLastMigration,
  migrationsAfter,
  NO_MIGRATION,
  withLastMigration,
  withoutLastMigration,
} from '../../model/evolve/migration-stamp.js';
import type { ExtensionObject, JsonObject, ObjectDraft } from '../../model/object.js';
import { isStorageVersion, type Resource } from '../../model/resource.js';
import type { BatchItem, Verbs } from '../../service/verbs.js';
import { settledInOrder } from '../concurrent.js';
import type { Manifest } from '../input/manifests.js';
import { getManifest } from '../output/manifest.js';
import { isLost } from '../results.js';

/** An object in an export, in any version: it states the last migration of its model, if any. */
export function exported({ migrations = [] }: Resource, object: ExtensionObject): ExtensionObject {
  const last = migrations.at(-1);
  if (last === undefined) return object;
  return { ...object, metadata: withLastMigration(object.metadata, last) };
}

/** The meaning of a manifest that does not state its migrations. */
export type Unsaid = 'of now' | 'from before all';

/** A manifest, and its outstanding migrations to the current shape. */
export interface DatedManifest {
  /** States the last migration when others are outstanding. */
  readonly value: JsonObject;
  /** Ids of outstanding migrations; undefined in the current shape; empty when the stated one is unknown. */
  readonly outstanding: readonly string[] | undefined;
}

/** Determines the outstanding migrations of a manifest. */
export function dated({ resource, value }: Manifest, unsaid: Unsaid): DatedManifest {
  const metadata = isRecord(value.metadata) ? (value.metadata as NonNullable<ObjectDraft['metadata']>) : {};
  const said = findLastMigration({ metadata });
  const known = resource.migrations ?? [];
  const last = said ?? (unsaid === 'from before all' && known.length > 0 ? NO_MIGRATION : undefined);
  if (last === undefined) return { value, outstanding: undefined };
  const outstanding = migrationsAfter(
    known.map((id) => ({ id })),
    last,
  )?.map(({ id }) => id);
  // Another version may be older than all migrations that the model still has.
  const isOther = !isStorageVersion(resource);
  if (outstanding?.length === 0 || (outstanding === undefined && isOther))
    return { value: { ...value, metadata: asJson(withoutLastMigration(metadata)) }, outstanding: undefined };
  const stated = isRecord(metadata.annotations ?? {}) ? withLastMigration(metadata, last) : metadata;
  return { value: { ...value, metadata: asJson(stated) }, outstanding: outstanding ?? [] };
}

/** Treats a manifest as being in the current shape, whatever it states. */
export function asItStands({ value }: Manifest): DatedManifest {
  const metadata = isRecord(value.metadata) ? (value.metadata as NonNullable<ObjectDraft['metadata']>) : {};
  return { value: { ...value, metadata: asJson(withoutLastMigration(metadata)) }, outstanding: undefined };
}

/** Manifests contain JSON. */
function asJson(metadata: NonNullable<ObjectDraft['metadata']>): JsonObject {
  return metadata as JsonObject;
}

/** A write that would migrate a manifest. */
export type BringingItem = Extract<BatchItem, { verb: 'create' | 'update' }> & {
  readonly object: ObjectDraft;
};

/**
 * Asks the service for the stored form of older manifests, without storing it: only the service can run migrations.
 * @returns manifests in the current shape, in the order of the items; undefined for a write that would be refused
 * @throws ServiceError when the service is gone
 */
export async function applyPendingMigrations(
  verbs: Verbs,
  items: readonly BringingItem[],
): Promise<readonly (JsonObject | undefined)[]> {
  if (items.length === 0) return [];
  const options = { dryRun: true, fieldValidation: 'Ignore' } as const;
  try {
    const { items: results } = await verbs.batch(items, options);
    return items.map((item, i) => shapeOfNow(item, results[i]?.object));
  } catch (error) {
    if (isLost(error)) throw error;
  }
  const shapes: (JsonObject | undefined)[] = [];
  const results = settledInOrder(items, (item) => verbs.batch([item], options));
  for await (const [item, result] of results) {
    if (result.status === 'fulfilled') shapes.push(shapeOfNow(item, result.value.items[0]?.object));
    else if (isLost(result.reason)) throw result.reason;
    else shapes.push(undefined);
  }
  return shapes;
}

/** Removes the fields that the service would set, and a status that the manifest does not state. Keeps its locks. */
function shapeOfNow(
  { object: { status, metadata } }: BringingItem,
  answer: ExtensionObject | undefined,
): JsonObject | undefined {
  if (answer === undefined) return undefined;
  const { status: found, ...rest } = getManifest(answer);
  const { version, resourceVersion } = metadata ?? {};
  const locks = {
    ...(version !== undefined && { version }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  return {
    ...rest,
    metadata: { ...(rest.metadata as JsonObject), ...locks },
    ...(status !== undefined && found !== undefined && { status: found }),
  };
}
