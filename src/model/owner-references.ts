import { badRequest, formatExcerpt } from '../errors.js';
import type { ExtensionObject, OwnerReference } from './object.js';
import { modelKey } from './resource.js';

/** Limit for owners: each reference is an entry of an index. */
export const OWNERS_MAX = 256;
export const OWNERS_PATH = 'metadata.ownerReferences';
/** The index of every model that finds objects by the uid of an owner. */
export const OWNER_UIDS = 'metadata.ownerReferences.uid';

/**
 * The effect of a deletion on owned objects. `Background`: the service removes them afterwards. `Foreground`: those
 * that block the owner are removed first. `Orphan`: they remain, without the owner.
 */
export const PROPAGATION_POLICIES = ['Background', 'Foreground', 'Orphan'] as const;
export type PropagationPolicy = (typeof PROPAGATION_POLICIES)[number];

/** Keeps a deleted object until the owned objects that block it are gone. */
export const FOREGROUND_FINALIZER = 'foregroundDeletion';
/** Keeps a deleted object until no object names it as an owner. */
export const ORPHAN_FINALIZER = 'orphan';

/** The owners that an object names. Objects stored before references were checked may contain any value. */
export function getOwners({ metadata }: Pick<ExtensionObject, 'metadata'>): readonly OwnerReference[] {
  const { ownerReferences: references } = metadata as { readonly ownerReferences?: unknown };
  return Array.isArray(references) ? references.filter(isReference) : [];
}

function isReference(value: unknown): value is OwnerReference {
  if (typeof value !== 'object' || value === null) return false;
  const { apiVersion, kind, name, uid } = value as Partial<Record<keyof OwnerReference, unknown>>;
  return [apiVersion, kind, name, uid].every((text) => typeof text === 'string' && text !== '');
}

/** The model of an owner, for any version. */
export function ownerModelKey({ apiVersion, kind }: Pick<OwnerReference, 'apiVersion' | 'kind'>): string {
  const slash = apiVersion.indexOf('/');
  return modelKey({ group: slash < 0 ? '' : apiVersion.slice(0, slash), kind });
}

/** The known data of an owner. */
export interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly uid?: string };
}

/**
 * Creates a reference to a stored object, for `metadata.ownerReferences` of an object that it owns.
 * @throws ServiceError `BadRequest` for an object that is not stored yet, because it has no uid
 */
export function ownerReference(
  { apiVersion, kind, metadata: { name, uid } }: Owner,
  flags: Pick<OwnerReference, 'controller' | 'blockOwnerDeletion'> = {},
): OwnerReference {
  if (uid === undefined)
    throw badRequest(`${kind} "${formatExcerpt(name)}" is not stored yet: it has no metadata.uid`);
  return { apiVersion, kind, name, uid, ...flags };
}
