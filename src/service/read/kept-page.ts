import { PageWindow } from '../../list/page-window.js';
import { modelKey } from '../../model/resource.js';
import type { ServiceContext } from '../context.js';
import type { FoundObjects } from './find.js';

/** A page that was answered, for a comparison with later changes. */
export interface KeptPage {
  readonly window: PageWindow;
  /** The table's last change in the page's snapshot. */
  readonly revision: number;
}

/** A page that is the same in a later state of the store. */
export interface RenewedPage {
  readonly page: KeptPage;
  /** See `Store.stamp`. */
  readonly stamp: string;
  /** The resource version of a list in that state. */
  readonly resourceVersion: string;
}

/** @param ids of the page's objects, in order */
export async function keepPage(
  { view, model: { table }, query, answer, counts }: FoundObjects,
  ids: readonly number[],
): Promise<KeptPage> {
  const { revision } = await view.count(table);
  const [first, last] = [ids[0], ids.at(-1)];
  if (first === undefined || last === undefined || counts.facets.length > 0 || counts.grouping !== undefined)
    return { revision, window: new PageWindow(table, query, undefined) };
  const ends = { first: await answer.position(first), last: await answer.position(last) };
  return { revision, window: new PageWindow(table, query, ends) };
}

/** Compares a page with the changes since; undefined when one of them may have changed it. */
export async function renewPage(
  { store, listCaches }: ServiceContext,
  { window, revision: from }: KeptPage,
): Promise<RenewedPage | undefined> {
  return store.withinCurrent(async ({ view, tables }) => {
    const { table } = window;
    if (tables.get(modelKey(table.resource)) !== table) return undefined;
    const { revision } = await view.count(table);
    const { scope } = await listCaches.scope({ view, table }, revision);
    if (scope.feed.between(from, revision)?.every((change) => window.outlives(change)) !== true)
      return undefined;
    const resourceVersion = String(await view.revision());
    return { page: { window, revision }, stamp: await view.stamp(), resourceVersion };
  }, 'local');
}
