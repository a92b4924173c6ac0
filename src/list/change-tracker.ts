import type { Cache, CacheBudget } from '../lib/cache-budget.js';
import {
  type ChangedTable,
  decodeChanges,
  type EncodedChanges,
  type RecordChange,
  recordChangesAfter,
} from '../store/log/record-changes.js';

/** Limits of the changes that are remembered for data that was derived at different revisions. */
interface RememberedLimits {
  readonly changes: number;
  readonly bytes: number;
}

const LIMITS: RememberedLimits = { changes: 5_000, bytes: 8 * 1024 * 1024 };
/** Approximate memory of a step beside the bytes of its changes. */
const STEP_BYTES = 250;

interface RevisionStep extends EncodedChanges {
  /** The revision after the changes. */
  readonly revision: number;
  /** The changes, until the memory is needed: decoded ones take about ten times their bytes. */
  decoded?: WeakRef<readonly RecordChange[]>;
}

interface Remembered {
  /** The earliest revision from which derived data can be brought up to date. */
  from: number;
  /** Oldest first. */
  readonly steps: RevisionStep[];
  changes: number;
  bytes: number;
}

/**
 * Follows the changes of one table through the log. So data that was derived from its index records can be brought to
 * a later revision.
 */
export class ChangeTracker {
  readonly #cache: Cache<Remembered>;
  #until = 0;

  constructor(
    budget: CacheBudget,
    private readonly limits = LIMITS,
  ) {
    this.#cache = budget.cache('changes');
  }

  /**
   * Reads up to a snapshot, unless a later one was read already.
   * @param revision of the table's last change in the snapshot
   */
  async advance(source: ChangedTable, revision: number): Promise<void> {
    const from = this.#until;
    if (revision <= from) return;
    const changes = from === 0 ? undefined : await recordChangesAfter(source, from, this.limits.changes);
    // A concurrent reader may have finished first.
    if (this.#until === from) this.#remember(revision, changes);
  }

  /** Discards the oldest changes beyond the limits. */
  #remember(revision: number, changes: EncodedChanges | undefined): void {
    const all = this.#remembered;
    this.#until = revision;
    if (changes === undefined) {
      this.clear();
      return;
    }
    all.steps.push({ revision, ...changes });
    all.changes += changes.count;
    all.bytes += changes.bytes.length + STEP_BYTES;
    while (all.changes > this.limits.changes || all.bytes > this.limits.bytes) {
      const oldest = all.steps.shift();
      if (oldest === undefined) break;
      all.from = oldest.revision;
      all.changes -= oldest.count;
      all.bytes -= oldest.bytes.length + STEP_BYTES;
    }
    this.#cache.set('', all, all.bytes);
  }

  /** Without changes when the budget had no room for them. */
  get #remembered(): Remembered {
    return this.#cache.get('') ?? { from: this.#until, steps: [], changes: 0, bytes: 0 };
  }

  /** Frees the memory. */
  clear(): void {
    this.#cache.clear();
  }

  /**
   * The changes after one revision up to another, oldest first. Undefined when they are not known, or when one of the
   * revisions is not the end of a read, or the first is later: readers may miss the newest commit for a moment.
   */
  between(revision: number, until: number): readonly RecordChange[] | undefined {
    if (revision === until) return [];
    const all = this.#remembered;
    if (revision > until || !isEnd(all, revision) || !isEnd(all, until)) return undefined;
    return all.steps.slice(stepsUntil(all, revision), stepsUntil(all, until)).flatMap(changesOf);
  }

  /**
   * True when data derived at a revision can be brought to the last one. False between the ends of two reads: the
   * changes over both do not give the state before the later ones.
   */
  reaches(revision: number): boolean {
    return isEnd(this.#remembered, revision);
  }
}

function changesOf(step: RevisionStep): readonly RecordChange[] {
  const known = step.decoded?.deref();
  if (known !== undefined) return known;
  const changes = decodeChanges(step);
  step.decoded = new WeakRef(changes);
  return changes;
}

function isEnd(all: Remembered, revision: number): boolean {
  return revision === all.from || all.steps[stepsUntil(all, revision) - 1]?.revision === revision;
}

/** Number of steps up to a revision. Derived data is mostly a few steps old, so the search begins at the end. */
function stepsUntil({ steps }: Remembered, revision: number): number {
  return steps.findLastIndex((step) => step.revision <= revision) + 1;
}
