import { ServiceError } from '../errors.js';
import type { ExtensionObject } from '../model/object.js';
import type { Scheme } from '../model/scheme.js';
import { CatalogEditor, type ModelRecord, readDropped } from './catalog.js';
import type { Engine, Transaction } from './engine.js';
import { duplicatesOf, moveEntries, type Duplicate } from './entries.js';
import { decodeIndexValues } from './index-record.js';
import { entriesOf, following, idInKey, objectKey, objectsOf } from './keys.js';
import { decodeRecord, encodeRecord, nameIn, valuesIn } from './object-record.js';
import { Table } from './table.js';

export interface BuildProgress {
  readonly kind: string;
  readonly task: 'index';
  /** Names of the indexes being built; empty when only old ones are taken out. */
  readonly indexes: readonly string[];
  readonly done: number;
  readonly total: number;
}

export interface BuildRun {
  /** Throws when another process took over. */
  readonly stillMine: (tx: Transaction) => void;
  /** Objects there are. */
  readonly total: number;
  readonly progress: (progress: BuildProgress) => void;
}

/** Objects a commit of the build takes: small enough that requests and other writers are not held up. */
const BATCH_OBJECTS = 100;
const SWEEP_ENTRIES = 2_000;

/** Computes the new indexes' values of every object and takes those of dropped indexes out of the records. */
export async function buildIndexes(
  engine: Engine,
  record: ModelRecord,
  scheme: Scheme,
  build: BuildRun,
): Promise<void> {
  const { stillMine, total, progress } = build;
  const table = new Table(record, scheme);
  const names = record.indexes.filter((index) => index.state === 'building').map((index) => index.name);
  let range = objectsOf(record.id);
  const duplicates: Duplicate[] = [];
  for (let done = 0; ;) {
    progress({ kind: record.resource.kind, task: 'index', indexes: names, done, total });
    const keys = await scanKeys(engine, range, BATCH_OBJECTS);
    const last = keys.at(-1);
    if (last === undefined) break;
    const found = await engine.commit((tx) => {
      stillMine(tx);
      return keys.flatMap((key) => buildOne(tx, table, idInKey(key)));
    });
    duplicates.push(...found);
    done += keys.length;
    range = following(range, last);
  }
  if (duplicates.length > 0) throw notUnique(record, duplicates);
}

/** Duplicates that are named. */
const DUPLICATES_NAMED_MAX = 100;

function notUnique(
  { resource: { group, kind } }: ModelRecord,
  duplicates: readonly Duplicate[],
): ServiceError {
  const named = duplicates.slice(0, DUPLICATES_NAMED_MAX);
  const list = named.map(({ index, message }) => `${index} ${message}`).join('; ');
  const more = duplicates.length > named.length ? `; and ${duplicates.length - named.length} more` : '';
  const causes = named.map(({ index, message }) => ({
    field: index,
    reason: 'FieldValueDuplicate' as const,
    message,
  }));
  return new ServiceError(
    'AlreadyExists',
    `objects of ${kind} share values that must be unique: ${list}${more}; change them with the declaration from before`,
    { group, kind, causes },
  );
}

async function scanKeys(
  engine: Engine,
  range: ReturnType<typeof objectsOf>,
  limit: number,
): Promise<Buffer[]> {
  const snapshot = engine.snapshot();
  const keys: Buffer[] = [];
  try {
    await snapshot.scanInPlace(range, { limit }, (_value, { bytes, start, end }) => {
      keys.push(Buffer.from(bytes.subarray(start, end)));
      return true;
    });
    return keys;
  } finally {
    snapshot.close();
  }
}

/** @returns the values that another object has already; their entries are left out */
function buildOne(tx: Transaction, table: Table, id: number): readonly Duplicate[] {
  const key = objectKey(table.modelId, id);
  const record = tx.get(key);
  if (record === undefined) return [];
  const { revision, bytes } = decodeRecord(table, id, record);
  const name = nameIn(record);
  const before = decodeIndexValues(valuesIn(record));
  const duplicates: Duplicate[] = [];
  const values = new Map<number, readonly Buffer[]>();
  let parsed: { readonly object: ExtensionObject | undefined } | undefined;
  for (const index of table.indexes) {
    const known = before.get(index.id);
    if (known !== undefined || index.declared === undefined) {
      values.set(index.id, known ?? []);
      continue;
    }
    parsed ??= { object: table.parseForIndexes(bytes) };
    const now = parsed.object === undefined ? [] : index.declared.values(parsed.object);
    const taken = duplicatesOf(tx, table, index, { name, id, values: now });
    duplicates.push(...taken);
    if (taken.length === 0) moveEntries(tx, index, id, { before: undefined, after: now });
    values.set(index.id, now);
  }
  tx.put(key, encodeRecord({ revision, name, values, json: bytes }));
  return duplicates;
}

/** Removes what dropped indexes left, in small commits; interrupted, it goes on at the next start. */
export async function sweepDropped(engine: Engine): Promise<void> {
  for (;;) {
    const [indexId] = await readDropped(engine);
    if (indexId === undefined) return;
    const keys = await scanKeys(engine, entriesOf(indexId), SWEEP_ENTRIES);
    await engine.commit((tx) => {
      for (const key of keys) tx.remove(key);
      const editor = new CatalogEditor(tx);
      if (keys.length < SWEEP_ENTRIES) editor.setDropped(editor.dropped().filter((id) => id !== indexId));
    });
  }
}
