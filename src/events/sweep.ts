import { hasCode } from '../errors.js';
import { earliestNow } from '../lib/time/clock.js';
import type { Service } from '../service/service.js';
import { EVENTS } from './names.js';

const KEPT_MS = 60 * 60_000;
const PART = 500;

/**
 * Deletes the events whose last occurrence is more than an hour ago.
 * @param now in milliseconds since 1970. Default: the earlier of two clocks, because a deletion cannot be undone
 */
export async function sweepEvents(
  service: Pick<Service, 'list' | 'delete'>,
  now = earliestNow(),
): Promise<void> {
  let next: string | undefined;
  do {
    const cursor = next === undefined ? {} : { continue: next };
    const page = await service.list(EVENTS, { sort: ['lastTimestamp,asc'], limit: PART, ...cursor });
    const old = page.items.filter(({ lastTimestamp }) => Date.parse(String(lastTimestamp)) <= now - KEPT_MS);
    await Promise.all(old.map(({ metadata }) => remove(service, metadata.name)));
    // Continues with the next part, not with the first one again: an event with finalizers still exists after its
    // deletion.
    next = old.length < PART ? undefined : page.metadata.continue;
  } while (next !== undefined);
}

/** Another process may have deleted it first. */
async function remove(service: Pick<Service, 'delete'>, name: string): Promise<void> {
  try {
    await service.delete(EVENTS, name);
  } catch (error) {
    if (!hasCode(error, 'NotFound')) throw error;
  }
}
