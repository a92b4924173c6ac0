import type { JsonObject } from '../lib/json.js';
import { send } from './http.js';
import { objectPath, type ModelRef } from './models.js';

export const MERGE_PATCH = 'application/merge-patch+json';

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

/** Changes an object by a merge patch (RFC 7396). @throws ApiError, Unreachable */
export function patchObject(model: ModelRef, name: string, patch: object): Promise<Response> {
  const headers = { 'Content-Type': MERGE_PATCH };
  return send(objectPath(model, name), { method: 'PATCH', body: patch, headers });
}
