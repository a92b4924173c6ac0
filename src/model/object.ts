/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json | undefined;
}

/** Metadata that only the service sets. Values from a client are overwritten. */
export interface SystemMetadata {
  /** UUID assigned on creation; distinguishes a re-created object from an earlier one with the same name. */
  uid: string;
  /** 1 after create, +1 when anything except `metadata` and `status` changes. */
  generation: number;
  /** Optimistic lock: 0 after create, +1 for each stored change. */
  version: number;
  /** Store-wide revision of the object's last change, decimal. */
  resourceVersion: string;
  /** RFC 3339, UTC, milliseconds. */
  creationTimestamp: string;
  /**
   * Time of the last stored change, the creation and changes of the status included: RFC 3339, UTC, milliseconds.
   * Migrations leave it. It follows the clock of the writing process, so it may be earlier than the one before.
   */
  updateTimestamp: string;
}

/** Names an owner of this object. The object is removed when all its owners are gone. */
export interface OwnerReference {
  /** `<group>/<version>` of the owner. Any version of its model matches. */
  apiVersion: string;
  kind: string;
  name: string;
  /** The `metadata.uid` of the owner. An object that is re-created under the name is not the owner. */
  uid: string;
  /** True for the owner that manages the object; at most one owner does. */
  controller?: boolean;
  /** True when an owner that is deleted in the foreground waits until this object is gone. */
  blockOwnerDeletion?: boolean;
}

/**
 * Metadata as an author writes it. The service sets its members when the object is stored: all except `name`,
 * `generateName`, `labels`, `annotations`, `finalizers` and `ownerReferences`.
 */
export interface ExtensionMetadata extends Partial<SystemMetadata> {
  /** Unique within the model, or within the namespace. At most 253 characters: lowercase letters, digits and `-`. */
  name: string;
  /** The namespace of an object of a namespaced model. */
  namespace?: string;
  /** On create, replaces `name`: the name is this prefix followed by 5 or more random characters. */
  generateName?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  /** While the list is not empty, a deleted object remains, marked by `deletionTimestamp`. */
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
  updateTimestamp: string;
}

/** The time of the last change. A state in the log from before an upgrade has none: it is the creation then. */
export function getUpdateTime({
  creationTimestamp,
  updateTimestamp = creationTimestamp,
}: Pick<Metadata, 'creationTimestamp'> & { readonly updateTimestamp?: string }): string {
  return updateTimestamp;
}

/** Metadata that only the service sets. Values from a client are overwritten. */
export const SYSTEM_METADATA = [
  'uid',
  'generation',
  'version',
  'resourceVersion',
  'creationTimestamp',
  'updateTimestamp',
  'deletionTimestamp',
  // Clients may state it, but it is no part of what they state: see FieldManagers.
  'managedFields',
] as const satisfies readonly (keyof Metadata)[];

/** An object as it is stored and served, as JSON. */
export interface ExtensionObject {
  apiVersion: string;
  kind: string;
  metadata: Metadata;
  spec?: unknown;
  status?: unknown;
  [field: string]: unknown;
}

/** An object from a client: like {@link ExtensionObject}, but every member may be missing. */
export interface ObjectDraft {
  apiVersion?: string;
  kind?: string;
  metadata?: Partial<Metadata>;
  spec?: unknown;
  status?: unknown;
  [field: string]: unknown;
}

export interface StoredChange {
  /** Its time; undefined for a migration, which leaves the time of the last change. */
  readonly at: Date | undefined;
  /** True when anything except `metadata` and `status` changes. Default false. */
  readonly isSpecChanged?: boolean;
}

/**
 * Counts a stored change of an object, and sets its time.
 * @param metadata of the next state, with the numbers of the state before; it is changed
 */
export function nextVersion(metadata: Metadata, { at, isSpecChanged = false }: StoredChange): Metadata {
  // Models that follow Kubernetes' rules have none.
  if ('version' in metadata) metadata.version += 1;
  if (isSpecChanged) metadata.generation += 1;
  if (at !== undefined) metadata.updateTimestamp = at.toISOString();
  return metadata;
}
