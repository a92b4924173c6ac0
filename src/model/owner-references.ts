import { badRequest, formatExcerpt } from '../errors.js';
import type { ExtensionObject, OwnerReference } from './object.js';
import { modelKey } from './resource.js';

/** Each reference is an entry of an index. */
export const OWNERS_MAX = 256;
/** Where an object says who owns it. */
export const OWNERS_PATH = 'metadata.ownerReferences';
/** The index of every model that finds the objects which say that they are owned by one of this uid. */
export const OWNER_UIDS = 'metadata.ownerReferences.uid';

/**
 * What becomes of the objects that a deleted one owns. `Background`: the service removes them afterwards. `Foreground`:
 * those that block the owner go first. `Orphan`: they stay, without the owner.
 */
export const PROPAGATION_POLICIES = ['Background', 'Foreground', 'Orphan'] as const;
export type PropagationPolicy = (typeof PROPAGATION_POLICIES)[number];

/** Holds a deleted object until those that it owns, and that block it, are gone. */
export const FOREGROUND_FINALIZER = 'foregroundDeletion';
/** Holds a deleted object until it is no longer named as an owner. */
export const ORPHAN_FINALIZER = 'orphan';

/** The owners that an object names. What was stored before references were checked may be anything. */
export function getOwners({ metadata }: Pick<ExtensionObject, 'metadata'>): readonly OwnerReference[] {
  const { ownerReferences: references } = metadata as { readonly ownerReferences?: unknown };
  return Array.isArray(references) ? references.filter(isReference) : [];
}

function isReference(value: unknown): value is OwnerReference {
  if (typeof value !== 'object' || value === null) return false;
  const { apiVersion, kind, name, uid } = value as Partial<Record<keyof OwnerReference, unknown>>;
  return [apiVersion, kind, name, uid].every((text) => typeof text === 'string' && text !== '');
}

/** The model of an owner; its version does not matter. */
export function ownerModelKey({ apiVersion, kind }: Pick<OwnerReference, 'apiVersion' | 'kind'>): string {
  const slash = apiVersion.indexOf('/');
  return modelKey({ group: slash < 0 ? '' : apiVersion.slice(0, slash), kind });
}

/** What is known of an owner. */
export interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly uid?: string };
}

/**
 * Names a stored object as the owner of another one, for that one's `metadata.ownerReferences`.
 * @throws ServiceError `BadRequest` for an object that is not stored yet: it has no uid
 */
export function ownerReference(
  { apiVersion, kind, metadata: { name, uid } }: Owner,
  flags: Pick<OwnerReference, 'controller' | 'blockOwnerDeletion'> = {},
): OwnerReference {
  if (uid === undefined)
    throw badRequest(`${kind} "${formatExcerpt(name)}" is not stored yet: it has no metadata.uid`);
  return { apiVersion, kind, name, uid, ...flags };
}
