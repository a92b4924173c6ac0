import type { JsonObject } from '../lib/json.js';

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

export interface Metadata {
  readonly name: string;
  readonly uid?: string;
  readonly generation?: number;
  readonly resourceVersion: string;
  readonly version?: number;
  readonly creationTimestamp?: string;
  readonly updateTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
}

/** An object of any model. */
export interface StoredObject extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
}
