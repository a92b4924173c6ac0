import { decodeIndexRecord, type IndexRecord } from '../store/index-record.js';
import { LOG, logKey } from '../store/keys.js';
import { decodeLogEntry } from '../store/log.js';
import { chunksOf, readIndexRecords } from '../store/scan.js';
import type { ReadView } from '../store/store.js';
import type { Table } from '../store/table.js';

/** What became of one object between two revisions. */
export interface Change {
  readonly name: string;
  /** Undefined when there was no such object. */
  readonly before: IndexRecord | undefined;
  /** Undefined when the object is gone. */
  readonly after: IndexRecord | undefined;
}

/** Log entries that are read to catch up; more changes than that make what was derived worthless. */
const ENTRIES_MAX = 20_000;
/** Changes that are remembered for what was derived at different revisions. */
const REMEMBERED_MAX = 5_000;

interface RevisionStep {
  /** Revision the changes lead to. */
  readonly revision: number;
  readonly changes: readonly Change[];
}

/**
 * Follows the changes of one table through the log, so that what was derived from its index records at one revision can
 * be brought to a later one.
 */
export class ChangeTracker {
  private steps: RevisionStep[] = [];
  /** The earliest revision of which something that was derived at it can be brought up to date. */
  private from = 0;
  private until = 0;

  /**
   * Reads up to a snapshot, unless a later one was read already.
   * @param revision of the table's last change in the snapshot
   */
  async advance(view: ReadView, table: Table, revision: number): Promise<void> {
    const from = this.until;
    if (revision <= from) return;
    const changes = from === 0 ? undefined : await changesSince(view, table, from);
    // Another reader may have been faster.
    if (this.until === from) this.remember(revision, changes);
  }

  private remember(revision: number, changes: readonly Change[] | undefined): void {
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
   * The changes after one revision up to another, oldest first; undefined when they are not known, or when one of
   * the two is none that was read up to.
   */
  between(revision: number, until: number): readonly Change[] | undefined {
    if (revision === until) return [];
    if (!this.reaches(revision) || !this.reaches(until)) return undefined;
    return this.steps
      .filter((step) => step.revision > revision && step.revision <= until)
      .flatMap((step) => step.changes);
  }

  /**
   * Whether what was derived at a revision can be brought to the last one. Not when it lies between two that were
   * read up to: the changes over both of them do not tell what was before the later ones.
   */
  reaches(revision: number): boolean {
    return revision === this.from || this.steps.some((step) => step.revision === revision);
  }
}

/** Undefined when the log no longer has all changes, or has too many. */
async function changesSince(view: ReadView, table: Table, revision: number): Promise<Change[] | undefined> {
  const head = await view.logHead();
  if (revision < head.trimmed) return undefined;
  const before = new Map<string, IndexRecord | undefined>();
  let entries = 0;
  const range = { start: logKey(revision + 1), end: LOG.end };
  for await (const pairs of chunksOf(view.snapshot, range)) {
    entries += pairs.length;
    if (entries > ENTRIES_MAX) return undefined;
    for (const { value } of pairs) {
      const { modelId, name, previousRecord } = decodeLogEntry(value);
      // The first change of a name tells what was before all of them.
      if (modelId !== table.modelId || before.has(name)) continue;
      before.set(name, previousRecord.length === 0 ? undefined : decodeIndexRecord(previousRecord));
    }
  }
  const names = [...before.keys()];
  const after = await readIndexRecords(view.snapshot, table, names);
  return names.map((name, i) => ({ name, before: before.get(name), after: after[i] }));
}
