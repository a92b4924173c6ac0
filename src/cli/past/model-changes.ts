import type { Resource } from '../../model/resource.js';
import { isIn, type Scope } from '../remote/namespaces.js';
import type { ModelHistoryItem, ModelHistoryOptions, ModelHistoryPage, Verbs } from '../../service/verbs.js';

/** The number of changes in one request. */
const PART = 500;

/** The changes of a model, and the first part of them, which was read to know where the log begins. */
interface ModelChanges {
  readonly first: ModelHistoryPage;
  /** Changes to read; 0 means all. */
  readonly limit: number;
}

/** The first part of the changes of a model. @throws ServiceError `Forbidden`, `BadRequest` */
export function readModelPart(
  verbs: Verbs,
  resource: Resource,
  options: ModelHistoryOptions,
): Promise<ModelHistoryPage> {
  const { limit = 0 } = options;
  return verbs.modelHistory(resource, { ...options, limit: limit === 0 ? PART : Math.min(limit, PART) });
}

/** The changes of the objects of a model, newest first, read on demand. */
export async function* eachModelChange(
  verbs: Verbs,
  resource: Resource,
  options: ModelHistoryOptions,
  { first, limit }: ModelChanges,
): AsyncGenerator<ModelHistoryItem> {
  let left = limit === 0 ? Infinity : limit;
  let page = first;
  // An age would mean a later time in each request.
  const { since } = first.metadata;
  for (;;) {
    for (const item of page.items) {
      if (left-- === 0) return;
      yield item;
    }
    const { continue: token } = page.metadata;
    if (left <= 0 || token === undefined) return;
    const part = { ...options, limit: Math.min(left, PART), continue: token };
    page = await verbs.modelHistory(resource, since === undefined ? part : { ...part, since });
  }
}

/** Those of the changes that are about objects in a scope. The limit 0 means all. */
export async function* changesIn(
  changes: AsyncIterable<ModelHistoryItem>,
  scope: Scope,
  limit: number,
): AsyncGenerator<ModelHistoryItem> {
  let left = limit === 0 ? Infinity : limit;
  for await (const change of changes) {
    if (!isIn(scope, change)) continue;
    yield change;
    // The next change in the scope may be at the other end of the log.
    if (--left === 0) return;
  }
}
