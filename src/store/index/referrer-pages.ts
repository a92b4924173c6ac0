import type { ReadView } from '../read-view.js';
import { entriesOfReferrers, isInNamespace, namespaceOfReferrers, type Incoming } from './referrers.js';
import { visitRecords } from './scan.js';

/** `referrersIn` for a snapshot, a page at a time. */
export async function* referrerPages(
  view: ReadView,
  incoming: Incoming,
  name: string,
  after?: number,
): AsyncGenerator<readonly number[]> {
  const namespace = namespaceOfReferrers(incoming, name);
  for await (const ids of view.entryIds(entriesOfReferrers(incoming, name, after))) {
    if (namespace === undefined) {
      yield ids;
      continue;
    }
    const some: number[] = [];
    await visitRecords(view.snapshot, incoming.table, ids, (id, record) => {
      if (isInNamespace(record, namespace)) some.push(id);
    });
    if (some.length > 0) yield some;
  }
}
