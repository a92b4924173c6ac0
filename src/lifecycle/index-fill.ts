import { TimedWork } from '../lib/time/time-limit.js';
import { Yielder, yieldBetween } from '../lib/work/yield.js';
import { withHeldConversions } from '../model/evolve/pending-conversion.js';
import type { ExtensionObject } from '../model/object.js';
import type { Engine, Transaction } from '../store/engine.js';
import { type Duplicate, getDuplicates, entriesOfObject } from '../store/index/entries.js';
import { decodeIndexValues } from '../store/index/index-record.js';
import {
  countKey,
  entryPrefix,
  idInEntry,
  indexInEntry,
  objectKey,
  getObjects,
  prefixInEntry,
  rangeOfRun,
} from '../store/index/keys.js';
import { decodeRecord, encodeRecord, nameIn, valuesIn } from '../store/object-record.js';
import { iterateBatches, type RecordOf } from './scan.js';
import { SortedKeys } from '../store/index/sorted-keys.js';
import type { Table, TableIndex } from '../store/table.js';
import { keepTexts } from '../store/text/keep.js';
import { moveText, withoutWords } from '../store/text/write.js';
import { decodeCount } from '../store/transaction.js';

/** Most objects of a commit; small, so that requests and other writers are not blocked. */
const OBJECTS_MAX = 250;
const OBJECT_BYTES_MAX = 256 * 1024;
const ENTRIES_MAX = 1_000;
/** Objects whose values are computed without a break. */
const OBJECTS_AT_ONCE = 16;
/** Entries that are sorted without a break. */
const ENTRIES_AT_ONCE = 250;
const SORT_BYTES_MAX = 32 * 1024 * 1024;

export interface IndexFill {
  readonly engine: Engine;
  /** The model with its new indexes. No other process writes its objects in the meantime, but they may be deleted. */
  readonly table: Table;
  /** Throws when another process took over. */
  readonly stillMine: (tx: Transaction) => void;
  /** Called with the number of processed objects. */
  readonly progress: (objects: number) => void;
  /** Memory for sorting entries before they are written, in bytes. Default: 32 MiB. */
  readonly sortBytesMax?: number;
}

/** The words of an object for a new text index. */
interface NewWords {
  readonly indexId: number;
  readonly documents: readonly Buffer[] | undefined;
}

/** An object's new record, and the entries to write for it. */
interface Prepared {
  readonly id: number;
  readonly key: Buffer;
  readonly record: Buffer;
  /** Keys of new index entries. */
  readonly entries: readonly Buffer[];
  /** Its words for a new text index. */
  readonly words: NewWords | undefined;
}

/**
 * Computes the values of new indexes for every object, in the order of the ids, and removes those of dropped indexes
 * from the records. Entries are collected and written in the order of their keys. So each page of an index is written
 * once, or once for each time that the memory for collecting them is full.
 * @returns values that two objects have in a unique index; the entry of the second object is omitted
 */
export async function fillIndexes(fill: IndexFill): Promise<readonly Duplicate[]> {
  const { engine, table, progress } = fill;
  const writer = new EntryWriter(fill, await getRevision(engine, table));
  const yielder = new Yielder();
  const work = new TimedWork();
  let done = 0;
  progress(done);
  const objects = getObjects(table.modelId);
  for await (const records of iterateBatches(engine, objects, {
    limit: OBJECTS_MAX,
    bytesMax: OBJECT_BYTES_MAX,
  })) {
    const prepared: Prepared[] = [];
    const conversions = records.map((pair) => () => prepare(table, pair, parserOf(table)));
    await withHeldConversions(table.isRemote ? conversions : [], async () => {
      for (let at = 0; at < records.length; at += OBJECTS_AT_ONCE) {
        prepared.push(...prepareSome(table, records.slice(at, at + OBJECTS_AT_ONCE), work));
        if (yielder.isDue) await yielder.take();
      }
    });
    const written = await engine.commit((tx) => {
      fill.stillMine(tx);
      return writeRecords(tx, prepared);
    });
    const entries = written.flatMap((one) => one.entries);
    for (let at = 0; at < entries.length; at += ENTRIES_AT_ONCE) {
      await writer.add(entries.slice(at, at + ENTRIES_AT_ONCE));
      if (yielder.isDue) await yielder.take();
    }
    await keepTexts(engine, [table]);
    progress((done += records.length));
  }
  await writer.flush();
  progress(done);
  return writer.duplicates;
}

async function getRevision(engine: Engine, { modelId }: Table): Promise<number> {
  return decodeCount(await engine.get(countKey(modelId))).revision;
}

/** When code of the plugin does not return for an object, the object has no values. */
function prepareSome(table: Table, records: readonly RecordOf[], work: TimedWork): readonly Prepared[] {
  return work.each(
    records,
    (pair) => prepare(table, pair, parserOf(table)),
    (pair) => prepare(table, pair, () => undefined),
  );
}

/** The build must not go on without a program that will convert the objects later. */
function parserOf(table: Table): (json: Buffer) => ExtensionObject | undefined {
  return (json) => (table.isRemote ? table.parse(json) : table.parseForIndexes(json));
}

function prepare(
  table: Table,
  { id, record }: RecordOf,
  parse: (json: Buffer) => ExtensionObject | undefined,
): Prepared {
  const { revision, bytes } = decodeRecord(table, id, record);
  const before = decodeIndexValues(valuesIn(record));
  const values = new Map<number, readonly Buffer[]>();
  const entries: Buffer[] = [];
  let parsed: { readonly object: ExtensionObject | undefined } | undefined;
  for (const index of table.indexes) {
    const known = before.get(index.id);
    if (known !== undefined || index.declared === undefined) {
      values.set(index.id, known ?? []);
      continue;
    }
    parsed ??= { object: parse(bytes) };
    const now = parsed.object === undefined ? [] : index.declared.values(parsed.object);
    entries.push(...entriesOfObject(index, id, now));
    values.set(index.id, now);
  }
  const key = objectKey(table.modelId, id);
  const { textIndex } = table;
  const content = {
    revision,
    name: nameIn(record),
    values: withoutWords(values, textIndex?.id),
    json: bytes,
  };
  const words =
    textIndex === undefined || before.has(textIndex.id)
      ? undefined
      : { indexId: textIndex.id, documents: values.get(textIndex.id) };
  return { id, key, record: encodeRecord(content, table.dictionaries), entries, words };
}

/**
 * Writes records again. They have grown: in its old place each would split a full page, and leave two that are half
 * empty. So all are removed first, and then appended, page after page.
 * @returns those whose objects still exist
 */
function writeRecords(tx: Transaction, prepared: readonly Prepared[]): readonly Prepared[] {
  const present = prepared.filter(({ key }) => tx.get(key) !== undefined);
  for (const { key } of present) tx.remove(key);
  for (const { id, key, record, words } of present) {
    tx.put(key, record);
    if (words !== undefined) moveText(tx, words.indexId, id, { before: undefined, after: words.documents });
  }
  return present;
}

/** Collects entries and writes them in order. */
class EntryWriter {
  readonly duplicates: Duplicate[] = [];
  readonly #keys: SortedKeys;
  readonly #unique: ReadonlyMap<number, TableIndex>;

  /** @param revision the revision of the model before the first object was read */
  constructor(
    private readonly fill: IndexFill,
    private readonly revision: number,
  ) {
    this.#keys = new SortedKeys(fill.sortBytesMax ?? SORT_BYTES_MAX);
    const unique = fill.table.indexes.filter((index) => index.unique);
    this.#unique = new Map(unique.map((index) => [index.id, index]));
  }

  async add(keys: readonly Buffer[]): Promise<void> {
    for (let rest = keys; rest.length > 0;) {
      rest = rest.slice(await this.#keys.add(rest));
      if (rest.length > 0) await this.flush();
    }
  }

  async flush(): Promise<void> {
    let waiting: Buffer[] = [];
    for await (const keys of yieldBetween(this.#keys.drain())) {
      waiting.push(...keys);
      if (waiting.length < ENTRIES_MAX) continue;
      await this.#write(waiting);
      waiting = [];
    }
    if (waiting.length > 0) await this.#write(waiting);
  }

  async #write(keys: readonly Buffer[]): Promise<void> {
    const { engine, table, stillMine } = this.fill;
    const found = await engine.commit((tx) => {
      stillMine(tx);
      const duplicates: Duplicate[] = [];
      const anyGone = decodeCount(tx.get(countKey(table.modelId))).revision !== this.revision;
      for (const key of keys) {
        if (anyGone && tx.get(objectKey(table.modelId, idInEntry(key))) === undefined) continue;
        const taken = this.#getDuplicates(tx, key);
        duplicates.push(...taken);
        if (taken.length === 0) tx.put(key, NOTHING);
      }
      return duplicates;
    });
    this.duplicates.push(...found);
  }

  #getDuplicates(tx: Transaction, key: Buffer): readonly Duplicate[] {
    const index = this.#unique.get(indexInEntry(key));
    if (index === undefined) return [];
    const prefix = prefixInEntry(key);
    if (tx.first(rangeOfRun(prefix)) === undefined) return [];
    const { table } = this.fill;
    const id = idInEntry(key);
    const record = tx.get(objectKey(table.modelId, id));
    if (record === undefined) return [];
    const values = decodeIndexValues(valuesIn(record)).get(index.id) ?? [];
    const isValue = (value: Buffer): boolean => entryPrefix(index.id, index.keyType, value).equals(prefix);
    return getDuplicates(tx, table, index, { name: nameIn(record), id, values: values.filter(isValue) });
  }
}

const NOTHING = Buffer.alloc(0);
