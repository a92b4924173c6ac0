import type { ExtensionObject, Json, JsonObject, ObjectDraft } from '../../model/object.js';

/** What the service sets; a manifest that states it would be about one object in one store. */
const SET_BY_SERVICE = [
  'uid',
  'generation',
  'version',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
];

/** Metadata without what the service sets. */
export function statedMetadata(metadata: NonNullable<ObjectDraft['metadata']>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metadata).filter(([field]) => !SET_BY_SERVICE.includes(field)));
}

/** An object as a manifest that can be applied to another store: without what the service sets. */
export function manifestOf({ apiVersion, kind, metadata, ...rest }: ExtensionObject): JsonObject {
  // What is stored is JSON.
  return {
    apiVersion,
    kind,
    metadata: statedMetadata(metadata) as JsonObject,
    ...(rest as Record<string, Json>),
  };
}
