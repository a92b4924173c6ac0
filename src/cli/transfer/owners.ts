import { fullName, splitFullName } from '../../model/full-name.js';
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
  const stated = new Map(manifests.map((manifest) => [manifest, ownersIn(manifest, models)] as const));
  const uids = await getUids(verbs, models, [...stated.values()].flat());
  const missing = new Map<Manifest, readonly string[]>();
  const bound = manifests.map((manifest) => {
    const owners = stated.get(manifest) ?? [];
    if (owners.length === 0) return manifest;
    const present = owners.flatMap((owner) => {
      const uid = uids.get(getKey(owner));
      return uid === undefined ? [] : [{ ...owner.reference, uid }];
    });
    const absent = owners.map(getKey).filter((key) => !uids.has(key));
    if (absent.length > 0) missing.set(manifest, absent);
    return withOwners(manifest, present);
  });
  return { manifests: bound, missing };
}

export function objectKey(model: string, name: string): string {
  return `${model} ${name}`;
}

interface StatedOwner {
  readonly reference: OwnerReference;
  readonly model: string;
  /** The full name: an owner in a namespace is in that of what it owns. */
  readonly name: string;
}

/** Invalid references remain for the service to refuse. */
function ownersIn(
  { name, value: { metadata } }: Manifest,
  models: readonly Resource[],
): readonly StatedOwner[] {
  const object = { metadata: metadata ?? {} } as unknown as ExtensionObject;
  const owners = getOwners(object);
  const { ownerReferences } = object.metadata;
  if (owners.length !== ownerReferences?.length) return [];
  return owners.map((reference) => {
    const model = ownerModelKey(reference);
    const resource = models.find((one) => modelKey(one) === model) ?? {};
    return { reference, model, name: fullName(resource, { ...splitFullName(name), name: reference.name }) };
  });
}

/** By {@link getKey}. */
async function getUids(
  verbs: Verbs,
  models: readonly Resource[],
  owners: readonly StatedOwner[],
): Promise<ReadonlyMap<string, string>> {
  const uids = new Map<string, string>();
  for (const model of new Set(owners.map((owner) => owner.model))) {
    const resource = models.find((one) => modelKey(one) === model);
    if (resource === undefined) continue;
    const wanted = owners.filter((owner) => owner.model === model);
    const names = [...new Set(wanted.map(({ name }) => name))];
    for (const object of await verbs.getMany(resource, names))
      if (object !== undefined)
        uids.set(objectKey(model, fullName(resource, object.metadata)), object.metadata.uid);
  }
  return uids;
}

function getKey({ model, name }: StatedOwner): string {
  return objectKey(model, name);
}

function withOwners(manifest: Manifest, owners: readonly OwnerReference[]): Manifest {
  const { ownerReferences: _stated, ...metadata } = manifest.value.metadata as JsonObject;
  const references = owners.map((owner): Json => ({ ...owner }));
  const bound = owners.length === 0 ? metadata : { ...metadata, ownerReferences: references };
  return { ...manifest, value: { ...manifest.value, metadata: bound } };
}
