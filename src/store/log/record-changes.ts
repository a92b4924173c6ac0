import { ByteReader, ByteWriter } from '../../lib/bytes.js';
import type { Work } from '../../lib/work/work.js';
import { yieldBetween } from '../../lib/work/yield.js';
import type { IndexRecord } from '../index/index-record.js';
import { logAfter, logKey } from '../index/keys.js';
import { scanChunks, visitRecords } from '../index/scan.js';
import { indexRecordOf, nameAndValuesIn } from '../object-record.js';
import type { ReadView } from '../read-view.js';
import type { Table } from '../table.js';
import { decodeLogEntry } from './log.js';

/** The change of one object's index record between two revisions. */
export interface RecordChange {
  /** Undefined when the object did not exist. */
  readonly before: IndexRecord | undefined;
  /** Undefined when the object was deleted. */
  readonly after: IndexRecord | undefined;
}

export interface ChangedTable {
  readonly view: ReadView;
  readonly table: Table;
  /** Stops the reading early. */
  readonly work?: Work;
}

/** Changes as bytes: the id of each object, and the parts of its records before and after, each after its length. */
export interface EncodedChanges {
  readonly count: number;
  /** Shares no memory with other bytes. */
  readonly bytes: Buffer;
}

/** Most log entries of all tables that are read. After more changes, derived data is discarded. */
const ENTRIES_MAX = 20_000;
const NONE = Buffer.alloc(0);

/** The first change of an object after a revision. */
interface FirstChange {
  /** The revision whose log entry has the state before; undefined when `before` has it, or there was none. */
  readonly previous: number | undefined;
  before: Buffer;
}

/**
 * The changes of a table's index records between a revision and the snapshot.
 * @param most objects with changes
 * @returns undefined when the log was trimmed past the revision, or has too many changes
 */
export async function recordChangesAfter(
  { view, table, work }: ChangedTable,
  revision: number,
  most: number,
): Promise<EncodedChanges | undefined> {
  const head = await view.logHead();
  if (revision < head.trimmed) return undefined;
  /** The first change of each object gives its state before all of them. */
  const first = new Map<number, FirstChange>();
  let entries = 0;
  for await (const pairs of yieldBetween(scanChunks(view.snapshot, logAfter(revision)), work)) {
    entries += pairs.length;
    for (const { value } of pairs) {
      const { modelId, id, previous, previousRecord } = decodeLogEntry(value);
      if (modelId !== table.modelId || first.has(id)) continue;
      first.set(
        id,
        previousRecord.length > 0
          ? { previous: undefined, before: Buffer.from(nameAndValuesIn(previousRecord)) }
          : { previous, before: NONE },
      );
    }
    if (entries > ENTRIES_MAX || first.size > most) return undefined;
  }
  await readStatesBefore(view, [...first.values()]);
  const writer = new ByteWriter();
  await visitRecords(view.snapshot, table, [...first.keys()], (id, record) => {
    writer.u48(id).run(first.get(id)?.before ?? NONE);
    writer.run(record === undefined ? NONE : nameAndValuesIn(record));
  });
  const encoded = writer.done();
  const bytes = Buffer.allocUnsafeSlow(encoded.length);
  encoded.copy(bytes);
  return { count: first.size, bytes };
}

/** Reads the states that are in the log entries of the previous changes. */
async function readStatesBefore(view: ReadView, changes: readonly FirstChange[]): Promise<void> {
  const elsewhere = changes.filter(({ previous }) => previous !== undefined);
  let at = 0;
  await view.snapshot.visitMany(
    elsewhere.map(({ previous = 0 }) => logKey(previous)),
    (stored) => {
      const change = elsewhere[at++];
      if (stored !== undefined && change !== undefined)
        change.before = Buffer.from(nameAndValuesIn(decodeLogEntry(stored).record));
    },
  );
}

export function decodeChanges({ bytes }: EncodedChanges): RecordChange[] {
  const reader = new ByteReader(bytes);
  const changes: RecordChange[] = [];
  while (!reader.atEnd) {
    const id = reader.u48();
    const [before, after] = [reader.run(), reader.run()].map((part) =>
      part.length === 0 ? undefined : indexRecordOf(id, part),
    );
    changes.push({ before, after });
  }
  return changes;
}
