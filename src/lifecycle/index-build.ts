import { ServiceError } from '../errors.js';
import type { Scheme } from '../model/declare/scheme.js';
import { CatalogEditor, type ModelRecord, readDropped } from '../store/catalog.js';
import type { Engine, Transaction } from '../store/engine.js';
import type { Duplicate } from '../store/index/entries.js';
import { fillIndexes } from './index-fill.js';
import { getEntries } from '../store/index/keys.js';
import { Table } from '../store/table.js';
import { getTextRows } from '../store/text/rows.js';
import { removeRange, scanKeys } from '../store/with-snapshot.js';

export interface BuildRun {
  /** Throws when another process took over. */
  readonly stillMine: (tx: Transaction) => void;
  /** Called with the names of the indexes being built, and the number of processed objects. */
  readonly progress: (indexes: readonly string[], done: number) => void;
}

const SWEEP_ENTRIES = 2_000;

/** Computes the values of the new indexes for every object, and removes those of dropped indexes from the records. */
export async function buildIndexes(
  engine: Engine,
  record: ModelRecord,
  scheme: Scheme,
  { stillMine, progress }: BuildRun,
): Promise<void> {
  const indexes = record.indexes.filter((index) => index.state === 'building').map((index) => index.name);
  const duplicates = await fillIndexes({
    engine,
    table: new Table(record, scheme),
    stillMine,
    progress: (done) => progress(indexes, done),
  });
  if (duplicates.length > 0) throw notUnique(record, duplicates);
}

/** Most duplicates in a message. */
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
    `objects of ${kind} share values that must be unique: ${list}${more}; change them with the previous declaration`,
    { group, kind, causes },
  );
}

/**
 * Removes the entries of dropped indexes, in small commits. After an interruption, it continues at the next start.
 */
export async function sweepDropped(engine: Engine): Promise<void> {
  for (;;) {
    const [indexId] = await readDropped(engine);
    if (indexId === undefined) return;
    await removeRange(engine, getTextRows(indexId));
    const keys = await scanKeys(engine, getEntries(indexId), SWEEP_ENTRIES);
    await engine.commit((tx) => {
      for (const key of keys) tx.remove(key);
      const editor = new CatalogEditor(tx);
      if (keys.length < SWEEP_ENTRIES) editor.setDropped(editor.dropped().filter((id) => id !== indexId));
    });
  }
}
