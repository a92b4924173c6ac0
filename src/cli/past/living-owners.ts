import { isRecord } from '../../lib/json/json.js';
import { fullName } from '../../model/full-name.js';
import type { OwnerReference } from '../../model/object.js';
import { ownerModelKey } from '../../model/owner-references.js';
import { inOneVersion } from '../../model/resolve-resource.js';
import { modelKey } from '../../model/resource.js';
import type { Verbs } from '../../service/verbs.js';
import type { UndoStep } from './undo-step.js';

/**
 * Gives objects that come again those of their owners that still exist: the service would remove an object whose owners are gone.
 */
export async function withLivingOwners(
  verbs: Verbs,
  steps: readonly UndoStep[],
): Promise<readonly UndoStep[]> {
  if (steps.every(({ owners }) => owners.length === 0)) return steps;
  const uids = await livingUids(verbs, steps);
  return steps.map((step) => {
    const kept = step.owners.filter(({ uid }) => uids.has(uid));
    return kept.length === 0 ? step : withOwners(step, kept);
  });
}

async function livingUids(verbs: Verbs, steps: readonly UndoStep[]): Promise<ReadonlySet<string>> {
  const uids = new Set<string>();
  for (const resource of inOneVersion(await verbs.resources())) {
    const names = steps.flatMap(({ owners, namespace }) =>
      owners
        .filter((owner) => ownerModelKey(owner) === modelKey(resource))
        .map(({ name }) => fullName(resource, { namespace, name })),
    );
    if (names.length === 0) continue;
    for (const found of await verbs.getMany(resource, [...new Set(names)]))
      if (found !== undefined) uids.add(found.metadata.uid);
  }
  return uids;
}

function withOwners(step: UndoStep, ownerReferences: readonly OwnerReference[]): UndoStep {
  const { item, owners } = step;
  if (item.verb !== 'create' || !isRecord(item.object)) return step;
  const metadata = isRecord(item.object.metadata) ? item.object.metadata : {};
  const object = { ...item.object, metadata: { ...metadata, ownerReferences } };
  return {
    ...step,
    owners: owners.filter((owner) => !ownerReferences.includes(owner)),
    item: { ...item, object },
  };
}
