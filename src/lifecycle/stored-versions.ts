import { ServiceError } from '../errors.js';
import type { Work } from '../lib/work/work.js';
import { yieldBetween } from '../lib/work/yield.js';
import type { Scheme } from '../model/declare/scheme.js';
import type { ModelKind } from '../model/references/reference.js';
import type { ModelRecord } from '../store/catalog.js';
import type { Engine } from '../store/engine.js';
import { getObjects } from '../store/index/keys.js';
import type { Store } from '../store/store.js';
import { jsonIn } from '../store/object-record.js';
import { Table } from '../store/table.js';
import { iterateBatches } from './scan.js';
import { storedVersionIn } from '../store/stored-version.js';

/** Objects read without a break: only a few bytes of each. */
const BATCH = 1_000;

/** The number of objects of a model in each version. Reads objects only while they have several versions. */
export async function countVersions(
  store: Store,
  model: ModelKind,
  work?: Work,
): Promise<ReadonlyMap<string, number>> {
  const record = store.findRecord(model);
  const objects = await store.getCount(model);
  if (record === undefined || objects === 0) return new Map();
  const [only, another] = record.storedVersions;
  if (only !== undefined && another === undefined) return new Map([[only, objects]]);
  return countStoredVersions(store.engine, record, work);
}

export async function countStoredVersions(
  engine: Engine,
  model: ModelRecord,
  work?: Work,
): Promise<ReadonlyMap<string, number>> {
  const table = new Table(model);
  const counts = new Map<string, number>();
  for await (const records of yieldBetween(
    iterateBatches(engine, getObjects(model.id), { limit: BATCH }),
    work,
  )) {
    work?.addEntries(records.length);
    for (const { record } of records) {
      const version = storedVersionIn(model.resource, jsonIn(table, record));
      counts.set(version, (counts.get(version) ?? 0) + 1);
    }
  }
  return counts;
}

/**
 * The versions in which objects are stored, without those that have no objects any more.
 * @throws ServiceError `Conflict` when objects are stored in a version that no class declares
 */
export async function declaredVersions(
  engine: Engine,
  record: ModelRecord,
  { versions }: Scheme,
): Promise<readonly string[]> {
  const { storedVersions, resource } = record;
  if (storedVersions.every((version) => versions.byName.has(version))) return storedVersions;
  const counts = await countStoredVersions(engine, record);
  for (const [version, count] of counts) {
    if (versions.byName.has(version)) continue;
    const { group, kind } = resource;
    const are = count === 1 ? 'object is' : 'objects are';
    throw new ServiceError(
      'Conflict',
      `${count} ${kind} ${are} stored in version ${version}, which no class declares; declare that version with up and down, ` +
        `or remove them with \`xsvc model drop ${kind} --version ${version}\``,
      { group, kind },
    );
  }
  return storedVersions.filter((version) => counts.has(version));
}
