import type { ExtensionObject, Json, JsonObject } from '../../model/object.js';

/** What the service sets; a manifest that states it would be about one object in one store. */
const SET_BY_SERVICE = [
  'uid',
  'generation',
  'version',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
];

/** An object as a manifest that can be applied to another store: without what the service sets. */
export function manifestOf({ apiVersion, kind, metadata, ...rest }: ExtensionObject): JsonObject {
  const stated = Object.entries(metadata).filter(([field]) => !SET_BY_SERVICE.includes(field));
  // What is stored is JSON.
  return {
    apiVersion,
    kind,
    metadata: Object.fromEntries(stated) as JsonObject,
    ...(rest as Record<string, Json>),
  };
}
