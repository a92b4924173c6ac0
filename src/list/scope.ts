import type { BoundCondition } from '../query/bound.js';
import type { ReadView } from '../store/read-view.js';
import type { Table } from '../store/table.js';
import type { ChangeTracker } from './change-tracker.js';

/** One snapshot of one table, and what was counted while it was read. */
export interface Scope {
  readonly view: ReadView;
  readonly table: Table;
  readonly feed: ChangeTracker;
  /** Of the table's last change in the snapshot. */
  readonly revision: number;
  readonly stats: ReadStats;
}

/** What answering a list read; for `explain` and for tests. */
export interface ReadStats {
  /** Index entries. */
  entries: number;
  /** Index records of single objects. */
  records: number;
  /** How the matches were found, part by part. */
  readonly filters: FilterRead[];
}

/** How the matches of one part of a condition were found. */
export interface FilterRead {
  readonly condition: BoundCondition;
  /**
   * `memory`: a set kept from an earlier list, or of posting lists; `index`: read from the index; `index records`: decided
   * object by object.
   */
  readonly from: 'memory' | 'index' | 'records';
  /** Matches of this part alone, or of those looked at. */
  readonly matches: number;
}
