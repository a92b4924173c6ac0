import type { Resource } from '../../model/resource.js';
import type { HistoryItem, HistoryPage, Verbs } from '../verbs.js';

/** An object that may be deleted. */
export interface PastTarget {
  readonly resource: Resource;
  /** The full name. */
  readonly name: string;
}

type Reader = Pick<Verbs, 'history'>;

/** The number of changes in one request. */
const PART = 500;

/** The changes of an object, newest first, read on demand. The limit 0 means all. */
export async function* eachChange(
  verbs: Reader,
  target: PastTarget,
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
  verbs: Reader,
  { resource, name }: PastTarget,
  limit: number,
  token?: string,
): Promise<HistoryPage> {
  const options = { limit: Math.min(limit, PART), ...(token !== undefined && { continue: token }) };
  return verbs.history(resource, name, options);
}

/** All changes in the log. */
export async function* allChanges(verbs: Reader, target: PastTarget): AsyncGenerator<HistoryItem> {
  yield* eachChange(verbs, target, { limit: 0, first: await readPart(verbs, target, PART) });
}
