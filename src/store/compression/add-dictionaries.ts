import { CatalogEditor } from '../catalog.js';
import type { Transaction } from '../engine.js';
import { objectKey } from '../index/keys.js';
import { decodeRecord } from '../object-record.js';
import type { Table } from '../table.js';
import type { ModelCount } from '../transaction.js';
import { DICTIONARY_OBJECTS_MIN, makeDictionary, SAMPLES } from './dictionaries.js';

/** A model after a commit. */
interface WrittenModel {
  readonly table: Table;
  readonly count: ModelCount;
}

/** Ids that are looked up for samples; those of removed objects have none. */
const LOOKED_MAX = 64;

/** Gives a dictionary to each model that has enough objects for one. Later commits use it. */
export function addDictionaries(tx: Transaction, models: readonly WrittenModel[]): void {
  for (const { table, count } of models) {
    if (!table.dictionaries.isWanted || count.objects < DICTIONARY_OBJECTS_MIN) continue;
    const samples = newestObjects(tx, table, count.nextId);
    const shape = table.shapes.at(-1);
    if (samples.length < SAMPLES || shape === undefined) continue;
    new CatalogEditor(tx).update(table.modelId, (record) => ({
      ...record,
      dictionaries: [...(record.dictionaries ?? []), makeDictionary(samples, shape)],
    }));
  }
}

/** Objects as JSON, the newest first. */
function newestObjects(tx: Transaction, table: Table, nextId: number): readonly Buffer[] {
  const samples: Buffer[] = [];
  for (let id = nextId - 1; id > Math.max(0, nextId - LOOKED_MAX) && samples.length < SAMPLES; id--) {
    const record = tx.get(objectKey(table.modelId, id));
    if (record !== undefined) samples.push(decodeRecord(table, id, record).bytes);
  }
  return samples;
}
