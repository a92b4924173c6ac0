import type { ExtensionObject } from '../../model/object.js';
import { inOneVersion } from '../../model/resolve-resource.js';
import { modelKey } from '../../model/resource.js';
import { LAST_APPLIED } from '../../service/write/three-way.js';
import type { Verbs } from '../../service/verbs.js';
import type { Manifest } from '../input/manifests.js';
import type { Target } from '../targets.js';

/** Annotation with the name of the set of files from which an object was applied. */
export const OWNER = 'xsvc.platform.run/owner';

export interface PruneOptions {
  readonly labelSelector: readonly string[];
  /** Selects objects of this set; undefined: only those of no named set. */
  readonly owner: string | undefined;
}

/**
 * Finds the objects that earlier applies created and that the manifests no longer state: of every model, matching the selector,
 * with the record of apply, and of the same owner. Objects that are being deleted are left out.
 */
export async function findPrunable(
  verbs: Verbs,
  manifests: readonly Manifest[],
  { labelSelector, owner }: PruneOptions,
): Promise<Target[]> {
  const stated = new Set(manifests.map(({ resource, name }) => `${modelKey(resource)}/${name}`));
  const found: Target[] = [];
  for (const resource of inOneVersion(await verbs.resources())) {
    for await (const object of verbs.listAll(resource, { labelSelector })) {
      const { name } = object.metadata;
      if (stated.has(`${modelKey(resource)}/${name}`) || !wasApplied(object, owner)) continue;
      found.push({ resource, name });
    }
  }
  return found;
}

/** Returns the manifest with the annotation that names its set. */
export function withOwner(manifest: Manifest, owner: string): Manifest {
  const { metadata, ...rest } = manifest.value;
  const members = typeof metadata === 'object' && !Array.isArray(metadata) ? metadata : {};
  const stated = members?.annotations;
  const annotations = typeof stated === 'object' && !Array.isArray(stated) ? stated : {};
  return {
    ...manifest,
    value: { ...rest, metadata: { ...members, annotations: { ...annotations, [OWNER]: owner } } },
  };
}

function wasApplied({ metadata }: ExtensionObject, owner: string | undefined): boolean {
  const { annotations = {}, deletionTimestamp } = metadata;
  return (
    deletionTimestamp === undefined && annotations[LAST_APPLIED] !== undefined && annotations[OWNER] === owner
  );
}
