import { type ChangedTable, type RecordChange, recordChangesAfter } from '../store/log/record-changes.js';

/** Most changes that are remembered for data that was derived at different revisions. */
const REMEMBERED_MAX = 5_000;

interface RevisionStep {
  /** The revision after the changes. */
  readonly revision: number;
  readonly changes: readonly RecordChange[];
}

/**
 * Follows the changes of one table through the log. So data that was derived from its index records can be brought to
 * a later revision.
 */
export class ChangeTracker {
  #steps: RevisionStep[] = [];
  /** The earliest revision from which derived data can be brought up to date. */
  #from = 0;
  #until = 0;

  /**
   * Reads up to a snapshot, unless a later one was read already.
   * @param revision of the table's last change in the snapshot
   */
  async advance(source: ChangedTable, revision: number): Promise<void> {
    const from = this.#until;
    if (revision <= from) return;
    const changes = from === 0 ? undefined : await recordChangesAfter(source, from);
    // A concurrent reader may have finished first.
    if (this.#until === from) this.#remember(revision, changes);
  }

  #remember(revision: number, changes: readonly RecordChange[] | undefined): void {
    this.#until = revision;
    const known = this.#steps.reduce((sum, step) => sum + step.changes.length, 0);
    if (changes === undefined || known + changes.length > REMEMBERED_MAX) {
      this.#steps = [];
      this.#from = revision;
    } else {
      this.#steps.push({ revision, changes });
    }
  }

  /**
   * The changes after one revision up to another, oldest first. Undefined when they are not known, or when one of the
   * revisions is not the end of a read, or the first is later: readers may miss the newest commit for a moment.
   */
  between(revision: number, until: number): readonly RecordChange[] | undefined {
    if (revision === until) return [];
    if (revision > until || !this.reaches(revision) || !this.reaches(until)) return undefined;
    return this.#steps
      .slice(this.#stepsUntil(revision), this.#stepsUntil(until))
      .flatMap((step) => step.changes);
  }

  /**
   * True when data derived at a revision can be brought to the last one. False between the ends of two reads: the
   * changes over both do not give the state before the later ones.
   */
  reaches(revision: number): boolean {
    return revision === this.#from || this.#steps[this.#stepsUntil(revision) - 1]?.revision === revision;
  }

  /** Number of steps up to a revision. Derived data is mostly a few steps old, so the search begins at the end. */
  #stepsUntil(revision: number): number {
    return this.#steps.findLastIndex((step) => step.revision <= revision) + 1;
  }
}
