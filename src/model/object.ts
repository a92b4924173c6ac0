/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json | undefined;
}

/** Metadata that only the service sets; what a client sends there is overwritten. */
export interface SystemMetadata {
  /** UUID given on creation; tells a re-created object of the same name from the first. */
  uid: string;
  /** 1 after create, +1 when anything but `metadata` and `status` changes. */
  generation: number;
  /** Optimistic lock: 0 after create, +1 for each stored change. */
  version: number;
  /** Store-wide revision of the object's last change, decimal. */
  resourceVersion: string;
  /** RFC 3339, UTC, milliseconds. */
  creationTimestamp: string;
}

/**
 * Metadata as an author writes it; what the service sets is there once the object is stored. All members
 * but `name`, `generateName`, `labels`, `annotations` and `finalizers` are the service's.
 */
export interface ExtensionMetadata extends Partial<SystemMetadata> {
  /** Unique within the model. At most 253 characters: lowercase letters, digits and `-`. */
  name: string;
  /** On create, instead of `name`: the name becomes this prefix and 5 or more random characters. */
  generateName?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  /** While any is left, a deleted object stays, marked by `deletionTimestamp`. */
  finalizers?: string[];
  deletionTimestamp?: string;
  [field: string]: unknown;
}

/** Metadata of a stored object. */
export interface Metadata extends ExtensionMetadata, SystemMetadata {
  uid: string;
  generation: number;
  version: number;
  resourceVersion: string;
  creationTimestamp: string;
}

/** Metadata that only the service sets; what a client sends there is overwritten. */
export const SYSTEM_METADATA = [
  'uid',
  'generation',
  'version',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
] as const satisfies readonly (keyof Metadata)[];

/** An object as it is stored and served: what JSON holds. */
export interface ExtensionObject {
  apiVersion: string;
  kind: string;
  metadata: Metadata;
  spec?: unknown;
  status?: unknown;
  [field: string]: unknown;
}

/** What a client sends: like {@link ExtensionObject}, but nothing is sure to be there yet. */
export interface ObjectDraft {
  apiVersion?: string;
  kind?: string;
  metadata?: Partial<Metadata>;
  spec?: unknown;
  status?: unknown;
  [field: string]: unknown;
}
