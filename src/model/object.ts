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

/** Names an object that this one belongs to: without any of its owners it is removed. */
export interface OwnerReference {
  /** `<group>/<version>` of the owner; which version does not matter. */
  apiVersion: string;
  kind: string;
  name: string;
  /** The owner's `metadata.uid`: an object that is created again under the name is not the owner. */
  uid: string;
  /** Whether it is the owner that looks after the object; at most one is. */
  controller?: boolean;
  /** Whether an owner that is deleted in the foreground waits until this object is gone. */
  blockOwnerDeletion?: boolean;
}

/**
 * Metadata as an author writes it; what the service sets is there once the object is stored. All members
 * but `name`, `generateName`, `labels`, `annotations`, `finalizers` and `ownerReferences` are the service's.
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
  /** When the last of these objects is gone, a running service removes this one. */
  ownerReferences?: OwnerReference[];
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
