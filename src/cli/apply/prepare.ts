import type { Manifest } from '../input/manifests.js';
import { withoutLock } from './plan.js';

/** Annotation with the name of the set of files from which an object was applied. */
export const OWNER = 'xsvc.platform.run/owner';

interface PrepareFlags {
  readonly owner?: string | undefined;
  readonly forceConflicts?: boolean | undefined;
}

export function prepare({ owner, forceConflicts = false }: PrepareFlags): (manifest: Manifest) => Manifest {
  return (manifest) => {
    const owned = owner === undefined ? manifest : withOwner(manifest, owner);
    return forceConflicts ? withoutLock(owned) : owned;
  };
}

/** Returns the manifest with the annotation that names its set. */
function withOwner(manifest: Manifest, owner: string): Manifest {
  const { metadata, ...rest } = manifest.value;
  const members = typeof metadata === 'object' && !Array.isArray(metadata) ? metadata : {};
  const stated = members?.annotations;
  const annotations = typeof stated === 'object' && !Array.isArray(stated) ? stated : {};
  return {
    ...manifest,
    value: { ...rest, metadata: { ...members, annotations: { ...annotations, [OWNER]: owner } } },
  };
}
