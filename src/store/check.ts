import { messageOf } from '../errors.js';
import { asBuffer } from '../lib/bytes.js';
import type { ExtensionObject } from '../model/object.js';
import type { KeyRange, KeyValue } from './engine.js';
import { entriesOfObject } from './entries.js';
import { decodeIndexRecord, type IndexRecord, sameValues } from './index-record.js';
import {
  entriesOf,
  idInNameKey,
  indexRecordsOf,
  LOG,
  logKey,
  nameInKey,
  nameKey,
  namesOf,
  objectKey,
  objectsOf,
  revisionInLogKey,
} from './keys.js';
import { decodeLogEntry } from './log.js';
import { chunksOf } from './scan.js';
import type { ReadView, Store } from './store.js';
import { contributedValues, type Table } from './table.js';
import { decodeObject, parseObject } from './transaction.js';

/** One thing in the store that does not agree with another. */
export interface Disagreement {
  /** Kind of the model concerned; absent for the log as a whole. */
  readonly kind?: string;
  /** Name of the object concerned. */
  readonly name?: string;
  readonly message: string;
}

/**
 * Compares objects, index records, index entries, counts and log of one snapshot with each other, and with the index
 * functions of the models whose code is loaded. Reports every disagreement as it is found; none means the
 * store is sound. Memory grows with the number of index entries of one model.
 */
export async function* check(store: Store): AsyncGenerator<Disagreement> {
  const { view, tables } = await store.readCurrent();
  try {
    const revision = await view.revision();
    const all = [...tables.values()];
    for (const table of all) yield* checkTable(view, table, revision);
    yield* checkLog(view, all, revision);
  } finally {
    view.close();
  }
}

async function* pairsOf(view: ReadView, range: KeyRange): AsyncGenerator<KeyValue> {
  for await (const chunk of chunksOf(view.snapshot, range)) yield* chunk;
}

async function* checkTable(view: ReadView, table: Table, revision: number): AsyncGenerator<Disagreement> {
  const { kind } = table.resource;
  const building = table.indexes.some((index) => !index.ready);
  const expected = new Map<string, string>();
  const ids = new Set<number>();
  let rows = 0;
  for await (const { key, value } of pairsOf(view, indexRecordsOf(table.modelId))) {
    rows++;
    const name = nameInKey(key);
    const row = decodeIndexRecord(value);
    const record = await view.snapshot.get(objectKey(table.modelId, name));
    if (record === undefined) {
      yield { kind, name, message: 'has index values but no object' };
      continue;
    }
    if ((await view.snapshot.get(nameKey(table.modelId, row.id)))?.toString() !== name) {
      yield { kind, name, message: `is not found by its id ${row.id}` };
    }
    if (ids.has(row.id)) yield { kind, name, message: `shares its id ${row.id} with another object` };
    ids.add(row.id);
    if (row.revision > revision) yield { kind, name, message: 'is newer than the revision of the store' };
    for (const message of checkObject(table, name, record, row)) yield { kind, name, message };
    if (!building) expect(expected, table, name, row);
  }
  for await (const { key, value } of pairsOf(view, namesOf(table.modelId))) {
    const id = idInNameKey(key);
    if (!ids.has(id)) yield { kind, name: value.toString(), message: `has the id ${id} but no index values` };
  }
  let objects = 0;
  for await (const _ of pairsOf(view, objectsOf(table.modelId))) objects++;
  if (objects !== rows) yield { kind, message: `has ${objects} objects but index values of ${rows}` };
  const count = await view.count(table);
  if (count.objects !== objects)
    yield { kind, message: `counts ${count.objects} objects but has ${objects}` };
  if (!building) yield* checkEntries(view, table, expected);
}

function* checkObject(table: Table, name: string, record: Buffer, row: IndexRecord): Generator<string> {
  const { revision, bytes } = decodeObject(record);
  let object: ExtensionObject;
  try {
    object = parseObject(bytes);
  } catch (error) {
    yield `its stored bytes are not JSON: ${messageOf(error)}`;
    return;
  }
  if (object.metadata.name !== name)
    yield `is stored under another name than its own, ${object.metadata.name}`;
  if (object.metadata.resourceVersion !== String(revision))
    yield 'its resourceVersion is not that of its record';
  if (row.revision !== revision) yield 'its index values are of another revision';
  for (const index of table.indexes) {
    const stored = row.values.get(index.id);
    if (index.declared === undefined || !index.ready) continue;
    try {
      if (stored === undefined || !sameValues(stored, contributedValues(index.declared, object))) {
        yield `index ${index.name} does not hold what its function returns`;
      }
    } catch (error) {
      yield `index ${index.name} cannot be computed: ${messageOf(error)}`;
    }
  }
}

function expect(expected: Map<string, string>, table: Table, name: string, row: IndexRecord): void {
  for (const index of table.indexes) {
    for (const entry of entriesOfObject(index, name, row.id, row.values.get(index.id) ?? [])) {
      expected.set(entry.key.toString('latin1'), entry.value.toString('latin1'));
    }
  }
}

async function* checkEntries(
  view: ReadView,
  table: Table,
  expected: Map<string, string>,
): AsyncGenerator<Disagreement> {
  const { kind } = table.resource;
  for (const index of table.indexes) {
    for await (const { key, value } of pairsOf(view, entriesOf(index.id))) {
      const text = key.toString('latin1');
      const wanted = expected.get(text);
      expected.delete(text);
      if (wanted === undefined)
        yield { kind, message: `index ${index.name} has an entry that no object has` };
      else if (wanted !== asBuffer(value).toString('latin1')) {
        yield { kind, message: `index ${index.name} has an entry with the wrong id or place` };
      }
    }
  }
  if (expected.size > 0) yield { kind, message: `${expected.size} index entries are missing` };
}

async function* checkLog(
  view: ReadView,
  tables: readonly Table[],
  revision: number,
): AsyncGenerator<Disagreement> {
  let entries = 0;
  for await (const { key, value } of pairsOf(view, LOG)) {
    entries++;
    const at = revisionInLogKey(key);
    const where = `log entry ${at}`;
    if (at > revision) yield { message: `${where} is newer than the revision of the store` };
    const entry = decodeLogEntry(value);
    const table = tables.find((candidate) => candidate.modelId === entry.modelId);
    if (table === undefined) {
      yield { message: `${where} is of a model that the store does not know` };
      continue;
    }
    const { kind } = table.resource;
    const current = await view.find(table, entry.name);
    const isLatest = current?.revision === at && entry.type !== 'DELETED';
    if (entry.object.length === 0 && !isLatest) {
      yield { kind, name: entry.name, message: `${where} has lost the object's state` };
    }
  }
  const head = await view.logHead();
  if (head.entries !== entries)
    yield { message: `the log counts ${head.entries} entries but has ${entries}` };
  yield* checkLogged(view, tables, head.trimmed);
}

/** Every change must be in the log, but for those that trimming has taken out. */
async function* checkLogged(
  view: ReadView,
  tables: readonly Table[],
  trimmed: number,
): AsyncGenerator<Disagreement> {
  for (const table of tables) {
    for await (const { key, value } of pairsOf(view, indexRecordsOf(table.modelId))) {
      const row = decodeIndexRecord(value);
      if (row.revision <= trimmed) continue;
      if ((await view.snapshot.get(logKey(row.revision))) === undefined) {
        yield {
          kind: table.resource.kind,
          name: nameInKey(key),
          message: 'its last change is not in the log',
        };
      }
    }
  }
}
