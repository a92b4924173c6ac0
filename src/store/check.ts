import { getMessage } from '../errors.js';
import { readU48 } from '../lib/bytes.js';
import { TimeoutError, runWithTimeout } from '../lib/time/time-limit.js';
import type { Work } from '../lib/work/work.js';
import { yieldBetween } from '../lib/work/yield.js';
import { ConversionError } from '../model/evolve/conversion.js';
import { PendingConversion } from '../model/evolve/pending-conversion.js';
import { fullName } from '../model/full-name.js';
import { headOfDocument } from '../model/words.js';
import type { ExtensionObject } from '../model/object.js';
import { readForgotten } from './catalog.js';
import type { KeyRange, KeyValue } from './engine.js';
import { entriesOfObject } from './index/entries.js';
import { decodeIndexValues, type IndexRecord, sameValues } from './index/index-record.js';
import {
  getEntries,
  idInKey,
  LOG,
  logKey,
  nameInKey,
  getNames,
  objectKey,
  getObjects,
  revisionInLogKey,
} from './index/keys.js';
import { decodeLogEntry, type LogHead } from './log/log.js';
import {
  decodeRecord,
  indexRecordIn,
  isSound,
  missingDictionary,
  nameForPeople,
  nameIn,
  revisionIn,
  type StoredObject,
  valuesIn,
} from './object-record.js';
import { scanChunks } from './index/scan.js';
import type { Store } from './store.js';
import type { ReadView } from './read-view.js';
import type { Table, TableIndex } from './table.js';
import { checkText } from './text/check.js';

/** Longest time for the code that converts an object. */
const OBJECT_MS_MAX = 2_000;

const CHECK_ADVICE =
  'raise --max-read-entries, or run `xsvc check --data-dir DIR` on the machine of the store';

/** An inconsistency between two parts of the store. */
export interface Disagreement {
  /** Kind of the model concerned; absent for the log as a whole. */
  readonly kind?: string;
  /** Name of the object concerned. */
  readonly name?: string;
  readonly message: string;
}

/**
 * Compares objects, names, index entries, counts and log of one snapshot with each other, and with the index
 * functions of the models whose code is loaded. Reports every inconsistency when it is found; none means that the
 * store is consistent. Memory grows with the number of index entries of one model.
 * @throws ServiceError `RequestEntityTooLarge` before reading, when the limit of the work is too low
 */
export async function* check(store: Store, work?: Work): AsyncGenerator<Disagreement> {
  const { view, tables } = await store.readCurrent();
  try {
    const head = await view.logHead();
    const all = [...tables.values()];
    await expectAll(view, all, head, work);
    for (const table of all) yield* checkTable({ view, work, head }, table);
    yield* checkLog({ view, work, head }, all);
  } finally {
    view.close();
  }
}

interface Checked {
  readonly view: ReadView;
  readonly head: LogHead;
  readonly work: Work | undefined;
}

/** The store counts objects, names and log entries. An index that is not sparse has an entry for each object. */
async function expectAll(
  view: ReadView,
  tables: readonly Table[],
  head: LogHead,
  work: Work | undefined,
): Promise<void> {
  let entries = head.entries;
  for (const table of tables) {
    const { objects } = await view.count(table);
    entries += objects * (2 + table.indexes.filter(({ sparse, ready }) => ready && !sparse).length);
  }
  work?.expect(entries, CHECK_ADVICE);
  work?.onlyCount();
}

async function* iteratePairs({ view, work }: Checked, range: KeyRange): AsyncGenerator<KeyValue> {
  for await (const chunk of yieldBetween(scanChunks(view.snapshot, range), work)) {
    work?.addEntries(chunk.length);
    yield* chunk;
  }
}

async function* checkTable(checked: Checked, table: Table): AsyncGenerator<Disagreement> {
  const { view, head } = checked;
  const { revision, trimmed } = head;
  const { kind } = table.resource;
  const building = table.indexes.some((index) => !index.ready);
  const expected = new Set<string>();
  const heads = new Map<number, Buffer>();
  const ids = new Set<number>();
  let areAllSound = true;
  for await (const { key, value: record } of iteratePairs(checked, getObjects(table.modelId))) {
    const id = idInKey(key);
    ids.add(id);
    const damage = damageOf(table, record);
    if (damage !== undefined) {
      areAllSound = false;
      yield { kind, name: nameForPeople(id, record), message: `its record ${damage}; restore a backup` };
      continue;
    }
    const stored = decodeRecord(table, id, record);
    const name = nameIn(record);
    const [found] = await view.findIds(table, [name]);
    if (found !== id) yield { kind, name, message: `is not found by its name` };
    if (stored.revision > revision) yield { kind, name, message: 'is newer than the revision of the store' };
    if (stored.revision > trimmed && (await view.snapshot.get(logKey(stored.revision))) === undefined)
      yield { kind, name, message: 'its last change is not in the log' };
    for (const message of checkObject(table, stored)) yield { kind, name, message };
    if (building) continue;
    const values = indexRecordIn(id, record);
    expect(expected, table, values);
    expectWords(heads, table, values);
  }
  for await (const { key, value } of iteratePairs(checked, getNames(table.modelId))) {
    if (!ids.has(readU48(value))) yield { kind, name: nameInKey(key), message: 'has a name but no object' };
  }
  const count = await view.count(table);
  if (count.objects !== ids.size)
    yield { kind, message: `counts ${count.objects} objects but has ${ids.size}` };
  // The correct index entries of a damaged object are unknown.
  if (building || !areAllSound) return;
  yield* checkEntries(checked, table, expected);
  yield* checkWords(checked, table, heads);
}

/** The reason why a record cannot be read; undefined when it can. */
function damageOf(table: Table, record: Buffer): string | undefined {
  if (!isSound(record)) return 'is damaged';
  const dictionary = missingDictionary(table, record);
  if (dictionary === undefined) return undefined;
  return `needs dictionary ${dictionary} of its model, which is missing or damaged`;
}

function* checkObject(table: Table, { revision, bytes, record }: StoredObject): Generator<string> {
  let object: ExtensionObject;
  try {
    object = table.isMixed ? runWithTimeout(OBJECT_MS_MAX, () => table.parse(bytes)) : table.parse(bytes);
  } catch (error) {
    // Code of a plugin may have failed; the stored object is then not damaged. No program is asked.
    const isUnknown = error instanceof PendingConversion || error instanceof TimeoutError;
    if (!(isUnknown || error instanceof ConversionError))
      yield `its stored bytes are not JSON: ${getMessage(error)}`;
    return;
  }
  const name = fullName(table.resource, object.metadata);
  if (name !== nameIn(record)) yield `is stored under another name than its own, ${name}`;
  if (object.metadata.resourceVersion !== String(revision))
    yield 'its resourceVersion differs from that of its record';
  const values = decodeIndexValues(valuesIn(record));
  for (const index of table.indexes) {
    const stored = values.get(index.id);
    if (index.declared === undefined || !index.ready) continue;
    try {
      const values = valuesInRecord(index, index.declared.values(object));
      if (stored === undefined || !sameValues(stored, values)) {
        yield `index ${index.name} does not match the result of its function`;
      }
    } catch (error) {
      // An object written after its index function began to fail has no value.
      if (stored === undefined || stored.length > 0)
        yield `index ${index.name} cannot be computed: ${getMessage(error)}`;
    }
  }
}

function valuesInRecord({ keyType }: TableIndex, values: readonly Buffer[]): readonly Buffer[] {
  return keyType === 'text' ? values.map(headOfDocument) : values;
}

/** The head of the object's document in a text index. */
function expectWords(heads: Map<number, Buffer>, { textIndex }: Table, { id, values }: IndexRecord): void {
  const head = textIndex && values.get(textIndex.id)?.[0];
  if (head !== undefined) heads.set(id, head);
}

async function* checkWords(
  { view }: Checked,
  { resource: { kind }, textIndex }: Table,
  heads: Map<number, Buffer>,
): AsyncGenerator<Disagreement> {
  if (textIndex === undefined) return;
  for (const message of await checkText(view.snapshot, textIndex.id, heads))
    yield { kind, message: `index ${textIndex.name} ${message}` };
  if (heads.size > 0) yield { kind, message: `index ${textIndex.name} lacks words of ${heads.size} objects` };
}

function expect(expected: Set<string>, table: Table, { id, values }: IndexRecord): void {
  for (const index of table.indexes) {
    for (const key of entriesOfObject(index, id, values.get(index.id) ?? []))
      expected.add(key.toString('latin1'));
  }
}

async function* checkEntries(
  checked: Checked,
  table: Table,
  expected: Set<string>,
): AsyncGenerator<Disagreement> {
  const { kind } = table.resource;
  for (const index of table.indexes) {
    for await (const { key } of iteratePairs(checked, getEntries(index.id))) {
      if (!expected.delete(key.toString('latin1')))
        yield { kind, message: `index ${index.name} has an entry that belongs to no object` };
    }
  }
  if (expected.size > 0) yield { kind, message: `${expected.size} index entries are missing` };
}

async function* checkLog(checked: Checked, tables: readonly Table[]): AsyncGenerator<Disagreement> {
  const { view, head } = checked;
  const forgotten = await readForgotten(view.snapshot);
  let entries = 0;
  let bytes = 0;
  for await (const { key, value } of iteratePairs(checked, LOG)) {
    entries++;
    bytes += value.length;
    const at = revisionInLogKey(key);
    const where = `log entry ${at}`;
    if (at > head.revision) yield { message: `${where} is newer than the revision of the store` };
    const entry = decodeLogEntry(value);
    const table = tables.find((candidate) => candidate.modelId === entry.modelId);
    if (table === undefined) {
      if (!forgotten.has(entry.modelId)) yield { message: `${where} belongs to an unknown model` };
      continue;
    }
    const { kind } = table.resource;
    for (const record of [entry.record, entry.previousRecord]) {
      const damage = record.length === 0 ? undefined : damageOf(table, record);
      if (damage !== undefined)
        yield { kind, name: nameForPeople(entry.id, record), message: `the record in ${where} ${damage}` };
    }
    if (entry.record.length > 0) continue;
    const current = await view.snapshot.get(objectKey(table.modelId, entry.id));
    if (current === undefined || revisionIn(current) !== at || entry.type === 'DELETED') {
      const name = nameForPeople(entry.id, current ?? entry.previousRecord);
      yield { kind, name, message: `${where} lacks the state of the object` };
    }
  }
  if (head.entries !== entries)
    yield { message: `the log counts ${head.entries} entries but has ${entries}` };
  if (head.bytes !== bytes) yield { message: `the log counts ${head.bytes} bytes but has ${bytes}` };
}
