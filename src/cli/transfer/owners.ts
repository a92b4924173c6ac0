import type { ExtensionObject, Json, JsonObject, OwnerReference } from '../../model/object.js';
import { ownerModelKey, getOwners } from '../../model/owner-references.js';
import { modelKey, type Resource } from '../../model/resource.js';
import type { Verbs } from '../../service/verbs.js';
import type { Manifest } from '../input/manifests.js';

/** Manifests whose owners are objects of this store, and those with missing owners. */
export interface BoundManifests {
  readonly manifests: readonly Manifest[];
  /** The missing owners that were removed from manifests, by keys, see {@link objectKey}. */
  readonly missing: ReadonlyMap<Manifest, readonly string[]>;
}

/**
 * Binds the owners of manifests to the objects of the same names. In the store of the manifests these had other uids, and an object
 * with missing owners would be deleted.
 */
export async function bindOwners(
  verbs: Verbs,
  models: readonly Resource[],
  manifests: readonly Manifest[],
): Promise<BoundManifests> {
  const stated = new Map(manifests.map((manifest) => [manifest, ownersIn(manifest)] as const));
  const uids = await getUids(verbs, models, [...stated.values()].flat());
  const missing = new Map<Manifest, readonly string[]>();
  const bound = manifests.map((manifest) => {
    const owners = stated.get(manifest) ?? [];
    if (owners.length === 0) return manifest;
    const present = owners.flatMap((owner) => {
      const uid = uids.get(getKey(owner));
      return uid === undefined ? [] : [{ ...owner, uid }];
    });
    const absent = owners.map(getKey).filter((key) => !uids.has(key));
    if (absent.length > 0) missing.set(manifest, absent);
    return withOwners(manifest, present);
  });
  return { manifests: bound, missing };
}

/** The key of an object for sets. */
export function objectKey(model: string, name: string): string {
  return `${model} ${name}`;
}

/** Invalid references remain for the service to refuse. */
function ownersIn({ value: { metadata } }: Manifest): readonly OwnerReference[] {
  const object = { metadata: metadata ?? {} } as unknown as ExtensionObject;
  const owners = getOwners(object);
  const { ownerReferences } = object.metadata;
  return owners.length === ownerReferences?.length ? owners : [];
}

/** By {@link getKey}. */
async function getUids(
  verbs: Verbs,
  models: readonly Resource[],
  owners: readonly OwnerReference[],
): Promise<ReadonlyMap<string, string>> {
  const uids = new Map<string, string>();
  for (const model of new Set(owners.map(ownerModelKey))) {
    const resource = models.find((one) => modelKey(one) === model);
    if (resource === undefined) continue;
    const wanted = owners.filter((owner) => ownerModelKey(owner) === model);
    const names = [...new Set(wanted.map(({ name }) => name))];
    for (const object of await verbs.getMany(resource, names))
      if (object !== undefined) uids.set(objectKey(model, object.metadata.name), object.metadata.uid);
  }
  return uids;
}

function getKey(owner: OwnerReference): string {
  return objectKey(ownerModelKey(owner), owner.name);
}

function withOwners(manifest: Manifest, owners: readonly OwnerReference[]): Manifest {
  const { ownerReferences: _stated, ...metadata } = manifest.value.metadata as JsonObject;
  const references = owners.map((owner): Json => ({ ...owner }));
  const bound = owners.length === 0 ? metadata : { ...metadata, ownerReferences: references };
  return { ...manifest, value: { ...manifest.value, metadata: bound } };
}
