import type { Work } from '../../lib/work/work.js';
import { yieldBetween } from '../../lib/work/yield.js';
import { parseObject } from '../../store/object-record.js';
import { deletionIndex, entriesOfUid, ownerIndex } from '../../store/index/owner-index.js';
import type { ReadView } from '../../store/read-view.js';
import { readIndexRecords } from '../../store/index/scan.js';
import type { Table } from '../../store/table.js';
import type { ServiceContext } from '../context.js';
import type { NamedObject } from '../references/referrers.js';
import type { DependentList, ModelDependents, RelatedOptions, ResourceRef } from '../verbs.js';
import { objectNotFound } from '../object-errors.js';

const NAMED_MAX = 10;

/**
 * The objects that an object owns, of any model in the store, also of models whose plugin is not running; by group
 * and plural.
 * @throws ServiceError `NotFound` for an object that does not exist, `ServiceUnavailable` while indexes are built
 */
export async function readDependents(
  { store, models }: ServiceContext,
  { ref, name, work }: NamedObject,
  { limit = NAMED_MAX }: RelatedOptions,
): Promise<DependentList> {
  const { table: owners, resource } = models.view(ref);
  return store.withinCurrent(async ({ view, tables }) => {
    const owner = await view.find(owners, name);
    if (owner === undefined) throw objectNotFound(resource, name);
    const { uid } = parseObject(owner.bytes).metadata;
    const items: ModelDependents[] = [];
    for (const table of tables.values()) {
      const found = await readModel(view, table, { uid, limit, work });
      if (found.total > 0) items.push(found);
    }
    return { items: items.sort((a, b) => (getPlace(a) < getPlace(b) ? -1 : 1)) };
  });
}

async function readModel(
  view: ReadView,
  table: Table,
  { uid, limit, work }: { readonly uid: string; readonly limit: number; readonly work: Work | undefined },
): Promise<ModelDependents> {
  const { group, version, kind, plural } = table.resource;
  const names: string[] = [];
  let [total, shared, deleting] = [0, 0, 0];
  const index = ownerIndex(table);
  const deletion = deletionIndex(table);
  const building = index === undefined ? table.building() : undefined;
  if (building !== undefined) throw building;
  const owned = index === undefined ? nobody() : view.entryIds(entriesOfUid(index, uid));
  for await (const ids of yieldBetween(owned, work)) {
    work?.addEntries(2 * ids.length);
    for (const record of await readIndexRecords(view.snapshot, table, ids)) {
      if (record === undefined) continue;
      const holds = (id: number | undefined, count: number): boolean =>
        id !== undefined && (record.values.get(id)?.length ?? 0) >= count;
      total += 1;
      if (holds(index?.id, 2)) shared += 1;
      if (holds(deletion?.id, 1)) deleting += 1;
      if (names.length < limit) names.push(record.name);
    }
  }
  return { group, version, kind, plural, total, shared, deleting, names };
}

async function* nobody(): AsyncGenerator<readonly number[]> {
  // The store has no index of owners yet.
}

function getPlace({ group, plural }: ResourceRef): string {
  return `${group}/${plural}`;
}
