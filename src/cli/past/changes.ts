import type { HistoryItem, HistoryPage, Verbs } from '../../service/verbs.js';
import type { Target } from '../targets.js';

/** The number of changes in one request. */
const PART = 500;

/** The changes of an object, newest first, read on demand. The limit 0 means all. */
export async function* eachChange(
  verbs: Verbs,
  target: Target,
  { limit, first }: { readonly limit: number; readonly first: HistoryPage },
): AsyncGenerator<HistoryItem> {
  let left = limit === 0 ? Infinity : limit;
  for (let page = first; ; page = await readPart(verbs, target, left, page.metadata.continue)) {
    for (const item of page.items) {
      if (left === 0) return;
      left -= 1;
      yield item;
    }
    if (left === 0 || page.metadata.continue === undefined) return;
  }
}

/** A part of a history. @throws ServiceError `NotFound` when neither the store nor the log has the object */
export function readPart(
  verbs: Verbs,
  { resource, name }: Target,
  limit: number,
  token?: string,
): Promise<HistoryPage> {
  const options = { limit: Math.min(limit, PART), ...(token !== undefined && { continue: token }) };
  return verbs.history(resource, name, options);
}

/** All changes in the log. */
export async function* allChanges(verbs: Verbs, target: Target): AsyncGenerator<HistoryItem> {
  yield* eachChange(verbs, target, { limit: 0, first: await readPart(verbs, target, PART) });
}

/** Selects some of the changes of an object. */
export interface ChangeChoice {
  /** Greatest number; 0 means all. */
  readonly limit: number;
  readonly user: string | undefined;
  /** Milliseconds since 1970. */
  readonly sinceMs: number | undefined;
}

/** The changes of a user, or since a time. @param changes newest first */
export async function* selectChanges(
  changes: AsyncIterable<HistoryItem>,
  { limit, user, sinceMs = -Infinity }: ChangeChoice,
): AsyncGenerator<HistoryItem> {
  let left = limit === 0 ? Infinity : limit;
  for await (const change of changes) {
    if (left === 0 || Date.parse(change.time) < sinceMs) return;
    if (user !== undefined && change.user !== user) continue;
    left -= 1;
    yield change;
  }
}
