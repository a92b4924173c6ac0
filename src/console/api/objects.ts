import { arrayAt, objectAt, textAt, type JsonObject } from '../lib/json.js';
import { getJson, postJson, send } from './http.js';
import { getPath, objectPath, type ModelRef } from './models.js';

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
  /** The managers of fields, see `readFieldManagers`. */
  readonly managedFields?: unknown;
}

export interface StoredObject extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
}

export function getName(object: unknown): string {
  return textAt(objectAt(object, 'metadata'), 'name') ?? '';
}

/** The objects of a model at a revision. */
export interface ObjectList<T> {
  readonly revision: string | undefined;
  readonly items: readonly T[];
}

/** All objects of a model that has few. */
export async function readObjects<T>(
  model: ModelRef,
  read: (object: StoredObject) => T,
  signal: AbortSignal,
): Promise<ObjectList<T>> {
  const list = await getJson(getPath(model), signal);
  const items = arrayAt(list, 'items') as readonly StoredObject[];
  return { revision: textAt(objectAt(list, 'metadata'), 'resourceVersion'), items: items.map(read) };
}

/** Resolves with the name of the new object. */
export async function createObject(model: ModelRef, object: object): Promise<string> {
  return getName(await postJson(getPath(model), object));
}

/** Changes an object by a merge patch (RFC 7396). */
export function patchObject(model: ModelRef, name: string, patch: object): Promise<Response> {
  const headers = { 'Content-Type': MERGE_PATCH };
  return send(objectPath(model, name), { method: 'PATCH', body: patch, headers });
}
