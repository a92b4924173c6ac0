import {
  SYSTEM_METADATA,
  type ExtensionObject,
  type Json,
  type JsonObject,
  type ObjectDraft,
} from '../../model/object.js';
import { LAST_APPLIED } from '../../model/applied-manifests.js';

/** Annotations without the record of `apply`, which repeats the object; undefined without others. */
export function withoutLastApplied(
  annotations: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> | undefined {
  const kept = Object.entries(annotations).filter(([key]) => key !== LAST_APPLIED);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

const SET_BY_SERVICE: ReadonlySet<string> = new Set(SYSTEM_METADATA);

/** Metadata without the fields that the service sets. */
export function statedMetadata(metadata: NonNullable<ObjectDraft['metadata']>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metadata).filter(([field]) => !SET_BY_SERVICE.has(field)));
}

/** An object as a manifest for another store, without the fields that the service sets. */
export function getManifest({ apiVersion, kind, metadata, ...rest }: ExtensionObject): JsonObject {
  // Stored objects are JSON.
  return {
    apiVersion,
    kind,
    metadata: statedMetadata(metadata) as JsonObject,
    ...(rest as Record<string, Json>),
  };
}
