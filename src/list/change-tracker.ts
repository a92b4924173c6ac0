import type { Work } from '../lib/work/work.js';
import { yieldBetween } from '../lib/work/yield.js';
import type { IndexRecord } from '../store/index/index-record.js';
import { LOG, logKey } from '../store/index/keys.js';
import { decodeLogEntry, type LogEntry } from '../store/log/log.js';
import { indexRecordIn } from '../store/object-record.js';
import { scanChunks, readIndexRecords } from '../store/index/scan.js';
import type { ReadView } from '../store/read-view.js';
import type { Table } from '../store/table.js';

/** The change of one object between two revisions. */
export interface TrackedChange {
  /** Undefined when the object did not exist. */
  readonly before: IndexRecord | undefined;
  /** Undefined when the object was deleted. */
  readonly after: IndexRecord | undefined;
}

/** A table in one snapshot. */
export interface TrackedSource {
  readonly view: ReadView;
  readonly table: Table;
  /** Stops the reading early; then nothing is remembered. */
  readonly work?: Work;
}

/** Most log entries that are read to catch up. After more changes, derived data is discarded. */
const ENTRIES_MAX = 20_000;
/** Most changes that are remembered for data that was derived at different revisions. */
const REMEMBERED_MAX = 5_000;

interface RevisionStep {
  /** The revision after the changes. */
  readonly revision: number;
  readonly changes: readonly TrackedChange[];
}

/**
 * Follows the changes of one table through the log. So data that was derived from its index records can be brought to
 * a later revision.
 */
export class ChangeTracker {
  private steps: RevisionStep[] = [];
  /** The earliest revision from which derived data can be brought up to date. */
  private from = 0;
  private until = 0;

  /**
   * Reads up to a snapshot, unless a later one was read already.
   * @param revision of the table's last change in the snapshot
   */
  async advance(source: TrackedSource, revision: number): Promise<void> {
    const from = this.until;
    if (revision <= from) return;
    const changes = from === 0 ? undefined : await changesSince(source, from);
    // A concurrent reader may have finished first.
    if (this.until === from) this.remember(revision, changes);
  }

  private remember(revision: number, changes: readonly TrackedChange[] | undefined): void {
    this.until = revision;
    const known = this.steps.reduce((sum, step) => sum + step.changes.length, 0);
    if (changes === undefined || known + changes.length > REMEMBERED_MAX) {
      this.steps = [];
      this.from = revision;
    } else {
      this.steps.push({ revision, changes });
    }
  }

  /**
   * The changes after one revision up to another, oldest first. Undefined when they are not known, or when one of the
   * revisions is not the end of a read.
   */
  between(revision: number, until: number): readonly TrackedChange[] | undefined {
    if (revision === until) return [];
    if (!this.reaches(revision) || !this.reaches(until)) return undefined;
    return this.steps
      .filter((step) => step.revision > revision && step.revision <= until)
      .flatMap((step) => step.changes);
  }

  /**
   * True when data derived at a revision can be brought to the last one. False between the ends of two reads: the
   * changes over both do not give the state before the later ones.
   */
  reaches(revision: number): boolean {
    return revision === this.from || this.steps.some((step) => step.revision === revision);
  }
}

/** Undefined when the log was trimmed past the revision, or has too many changes. */
async function changesSince(
  { view, table, work }: TrackedSource,
  revision: number,
): Promise<TrackedChange[] | undefined> {
  const head = await view.logHead();
  if (revision < head.trimmed) return undefined;
  /** The first change of each object gives its state before all of them. */
  const first = new Map<number, LogEntry>();
  let entries = 0;
  const range = { start: logKey(revision + 1), end: LOG.end };
  for await (const pairs of yieldBetween(scanChunks(view.snapshot, range), work)) {
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
  const elsewhere = entries.filter(({ previous, previousRecord }) => isElsewhere(previous, previousRecord));
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

function isElsewhere(previous: number | undefined, previousRecord: Buffer): boolean {
  return previous !== undefined && previousRecord.length === 0;
}
