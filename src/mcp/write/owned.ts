import { hasCode } from '../../errors.js';
import { qualifiedPlural } from '../../model/resource.js';
import type { Service } from '../../service/service.js';
import type { ModelDependents, ResourceRef } from '../../service/verbs.js';
import type { AgentWrites, CallerRights } from '../caller.js';
import type { ItemOutcome } from './planned-writes.js';

/** Most deletions of a plan whose owned objects are counted. */
const COUNTED_MAX = 50;

/**
 * Warnings about objects that the service deletes after a commit, because their owner is deleted in it.
 * @returns by the position of the item
 */
export async function ownedWarnings(
  { service }: AgentWrites,
  rights: CallerRights | undefined,
  outcomes: readonly ItemOutcome[],
): Promise<ReadonlyMap<number, string>> {
  const warnings = new Map<number, string>();
  const deletions = outcomes.filter(({ item, effect }) => item.verb === 'delete' && effect !== undefined);
  for (const { item, name, position } of deletions.slice(0, COUNTED_MAX)) {
    if (item.verb !== 'delete' || item.propagationPolicy === 'Orphan') continue;
    const items = await findOwned(service, item.resource, name);
    const going = items
      .map((model) => ({ model, count: model.total - model.shared - model.deleting }))
      .filter(({ count }) => count > 0);
    if (going.length === 0) continue;
    const shown = going.map(
      ({ model, count }) =>
        `${count} of ${rights?.mayList(model) === false ? 'other models' : qualifiedPlural(model)}`,
    );
    warnings.set(position, `the service then also deletes the objects that it owns: ${shown.join(', ')}`);
  }
  return warnings;
}

/** None for an object that is not stored, which an earlier item may create. */
async function findOwned(
  service: Service,
  resource: ResourceRef,
  name: string,
): Promise<readonly ModelDependents[]> {
  try {
    return (await service.dependents(resource, name)).items;
  } catch (error) {
    if (hasCode(error, 'NotFound')) return [];
    throw error;
  }
}
