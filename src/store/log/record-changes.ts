import type { Work } from '../../lib/work/work.js';
import { yieldBetween } from '../../lib/work/yield.js';
import type { IndexRecord } from '../index/index-record.js';
import { logAfter, logKey } from '../index/keys.js';
import { readIndexRecords, scanChunks } from '../index/scan.js';
import { indexRecordIn } from '../object-record.js';
import type { ReadView } from '../read-view.js';
import type { Table } from '../table.js';
import { decodeLogEntry, type LogEntry } from './log.js';

/** The change of one object's index record between two revisions. */
export interface RecordChange {
  /** Undefined when the object did not exist. */
  readonly before: IndexRecord | undefined;
  /** Undefined when the object was deleted. */
  readonly after: IndexRecord | undefined;
}

/** A table in one snapshot. */
export interface ChangedTable {
  readonly view: ReadView;
  readonly table: Table;
  /** Stops the reading early. */
  readonly work?: Work;
}

/** Most log entries that are read. After more changes, derived data is discarded. */
const ENTRIES_MAX = 20_000;

/**
 * The changes of a table's index records between a revision and the snapshot.
 * @returns undefined when the log was trimmed past the revision, or has too many changes
 */
export async function recordChangesAfter(
  { view, table, work }: ChangedTable,
  revision: number,
): Promise<RecordChange[] | undefined> {
  const head = await view.logHead();
  if (revision < head.trimmed) return undefined;
  /** The first change of each object gives its state before all of them. */
  const first = new Map<number, LogEntry>();
  let entries = 0;
  for await (const pairs of yieldBetween(scanChunks(view.snapshot, logAfter(revision)), work)) {
    entries += pairs.length;
    if (entries > ENTRIES_MAX) return undefined;
    for (const { value } of pairs) {
      const entry = decodeLogEntry(value);
      if (entry.modelId === table.modelId && !first.has(entry.id)) first.set(entry.id, entry);
    }
  }
  const before = await recordsBefore(view, [...first.values()]);
  const after = await readIndexRecords(view.snapshot, table, [...first.keys()]);
  return before.map((record, i) => ({ before: record, after: after[i] }));
}

/** The index records before each change; undefined for an object that the change created. */
async function recordsBefore(
  view: ReadView,
  entries: readonly LogEntry[],
): Promise<(IndexRecord | undefined)[]> {
  const elsewhere = entries.filter(
    ({ previous, previousRecord }) => previous !== undefined && previousRecord.length === 0,
  );
  const found = new Map<number, IndexRecord>();
  let at = 0;
  await view.snapshot.visitMany(
    elsewhere.map(({ previous = 0 }) => logKey(previous)),
    (stored) => {
      const id = elsewhere[at++]?.id ?? 0;
      if (stored !== undefined) found.set(id, indexRecordIn(id, decodeLogEntry(stored).record));
    },
  );
  return entries.map(({ id, previousRecord }) =>
    previousRecord.length > 0 ? indexRecordIn(id, previousRecord) : found.get(id),
  );
}
