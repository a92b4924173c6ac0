import type { ModelLifecycle } from '../lifecycle/model-lifecycle.js';
import { EVENTS } from './names.js';

/**
 * Removes the events that were recorded when the store was served without the kinds of Kubernetes, or by a release that had
 * no other events. Does nothing while another process serves them.
 */
export async function dropEarlierEvents(lifecycle: ModelLifecycle): Promise<void> {
  const table = lifecycle.store.findTable(EVENTS);
  if (table === undefined || (await lifecycle.cluster.findHolder(EVENTS)) !== undefined) return;
  await lifecycle.dropObjects(table);
  await lifecycle.forget(table);
}
