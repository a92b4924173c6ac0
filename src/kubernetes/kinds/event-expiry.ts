import { earliestNow } from '../../lib/time/clock.js';
import type { Resource } from '../../model/resource.js';
import { EVENT_CLEANER } from '../../model/system-users.js';
import type { Service } from '../../service/service.js';
import { deleteMatches } from './delete-matches.js';

const KEPT_MS = 60 * 60_000;

/**
 * Deletes the Events that were not written for an hour.
 * @param events their model
 * @param now in milliseconds since 1970. Default: the earlier of two clocks, because a deletion cannot be undone
 */
export function expireEvents(service: Service, events: Resource, now = earliestNow()): Promise<void> {
  const last = new Date(now - KEPT_MS).toISOString();
  const fieldSelector = `metadata.updateTimestamp<=${last},!metadata.deletionTimestamp`;
  return deleteMatches(service, events, { fieldSelector }, { user: EVENT_CLEANER, isUnreviewed: true });
}
