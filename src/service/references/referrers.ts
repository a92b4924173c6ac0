import type { Work } from '../../lib/work/work.js';
import { yieldBetween } from '../../lib/work/yield.js';
import type { ReadView } from '../../store/read-view.js';
import type { Incoming } from '../../store/index/referrers.js';
import { referrerPages } from '../../store/index/referrer-pages.js';
import type { ServiceContext } from '../context.js';
import type { FieldReferrers, ReferrerList, RelatedOptions, ResourceRef } from '../verbs.js';

const NAMED_MAX = 10;

/** A request for the objects that are related to an object. */
export interface NamedObject {
  readonly ref: ResourceRef;
  readonly name: string;
  readonly work: Work | undefined;
}

/**
 * The objects that refer to the object of a name, by field. They include objects of models whose plugin is not
 * running.
 * @throws ServiceError `NotFound` for a model that is not served, `ServiceUnavailable` while indexes are built
 */
export async function readReferrers(
  { store, models }: ServiceContext,
  { ref, name, work }: NamedObject,
  { limit = NAMED_MAX }: RelatedOptions,
): Promise<ReferrerList> {
  const incoming = store.incoming(models.table(ref));
  return store.within(async (view) => {
    const items: FieldReferrers[] = [];
    for (const one of incoming) items.push(await readField(view, one, { name, limit, work }));
    return { items };
  });
}

interface Asked {
  readonly name: string;
  readonly limit: number;
  readonly work: Work | undefined;
}

async function readField(
  view: ReadView,
  incoming: Incoming,
  { name, limit, work }: Asked,
): Promise<FieldReferrers> {
  const { table, reference, index } = incoming;
  const building = index.ready ? undefined : table.building();
  if (building !== undefined) throw building;
  const first: number[] = [];
  let total = 0;
  for await (const ids of yieldBetween(referrerPages(view, incoming, name), work)) {
    work?.addEntries(ids.length);
    total += ids.length;
    if (first.length < limit) first.push(...ids.slice(0, limit - first.length));
  }
  const { group, version, kind, plural } = table.resource;
  const { field, onDelete } = reference;
  const names = await view.readNames(table, first);
  return { group, version, kind, plural, field, onDelete, total, names };
}
