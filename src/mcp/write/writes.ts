import { actionOfItem, limitable } from '../../access/rules.js';
import { hidesFields } from '../../service/scope/object-scope.js';
import type { BatchItem } from '../../service/verbs.js';
import type { AgentWrites, Caller } from '../caller.js';

/** The writes of a caller that has tools which write. */
export function writesOf({ writes }: Caller): AgentWrites {
  if (writes === undefined) throw new Error('the caller can only read');
  return writes;
}

/**
 * Checks the right of a caller to plan a write. A plan stores whole objects, so a rule about some fields does not allow it.
 * @throws ServiceError `Forbidden`
 */
export function authorizeItem(caller: Caller, item: BatchItem): void {
  const { rights } = caller;
  if (rights === undefined) return;
  rights.authorize(limitable(actionOfItem(item)));
  const { resource } = writesOf(caller).service.models.view(item.resource);
  const scope = rights.scopes.ofWrite({ verb: item.verb }, resource);
  if (scope?.writable !== undefined && hidesFields(scope.writable))
    throw scope.refuse('a plan needs the right to write all fields');
}
