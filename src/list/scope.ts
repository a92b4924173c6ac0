import { Work } from '../lib/work/work.js';
import type { BoundCondition } from '../query/bound-condition.js';
import type { SearchText } from '../query/search/search-text.js';
import type { ReadView } from '../store/read-view.js';
import type { Table } from '../store/table.js';
import type { ChangeTracker } from './change-tracker.js';

export interface ListSource {
  readonly view: ReadView;
  readonly table: Table;
  /** Counts reads, and can stop the list early. Default: no limits. */
  readonly stats?: ReadStats | undefined;
}

/** One snapshot of one table, and the counts of its reads. */
export interface ListScope {
  readonly view: ReadView;
  readonly table: Table;
  readonly feed: ChangeTracker;
  /** The revision of the table's last change in the snapshot. */
  readonly revision: number;
  readonly stats: ReadStats;
}

/**
 * Reasons to read entries: to find the matches of conditions or of a search, to count or aggregate a field's values, to sort
 * matches.
 */
export type ReadReason =
  | { readonly for: 'filter'; readonly conditions: readonly BoundCondition[] }
  | { readonly for: 'facet' | 'aggregates'; readonly field: string }
  | { readonly for: 'order' | 'search' };

/** Entries read for one reason. */
export interface ReadCost {
  readonly reason: ReadReason;
  entries: number;
}

/** Counts of the reads of one list; for `explain`, for the message at the limit, and for tests. */
export class ReadStats {
  /** Index entries. */
  entries = 0;
  /** Index records of single objects. */
  records = 0;
  /** The reads for each part of the condition. */
  readonly filters: FilterRead[] = [];
  /** The reads for each field of the aggregates. */
  readonly columns: ColumnRead[] = [];
  /** The search; undefined without one. */
  search: SearchRead | undefined;
  /** In the order of the reads. */
  readonly costs: ReadCost[] = [];

  /** @param work is checked and charged with all reads */
  constructor(readonly work = new Work()) {}

  /** Sets the reason of all following reads. */
  begin(reason: ReadReason): void {
    this.costs.push({ reason, entries: 0 });
  }

  /** @throws ServiceError as `Work.addEntries` */
  addEntries(count: number): void {
    this.entries += count;
    this.#charge(count);
  }

  /** @throws ServiceError as `Work.addEntries` */
  addRecords(count: number): void {
    this.records += count;
    this.#charge(count);
  }

  #charge(count: number): void {
    const cost = this.costs.at(-1);
    if (cost !== undefined) cost.entries += count;
    this.work.addEntries(count);
  }
}

/** The way in which the matches of one part of a condition were found. */
export interface FilterRead {
  readonly condition: BoundCondition;
  /**
   * `memory`: from a kept set or posting lists; `index`: read from the index; `records`: decided by the index record
   * of each object.
   */
  readonly from: 'memory' | 'index' | 'records';
  /** Matches of this part alone, or among the objects that were read. */
  readonly matches: number;
}

/** The way in which the matches of a search were found. */
export interface SearchRead {
  readonly text: SearchText;
  readonly matches: number;
  /** True for the matches of an earlier list. */
  readonly isKept: boolean;
  /** Segments of the text index, and its rows that are not in segments yet. */
  readonly segments: number;
  readonly freshRows: number;
}

/** The way in which the values of a field were found, as in {@link FilterRead}. */
export interface ColumnRead extends Pick<FilterRead, 'from'> {
  readonly field: string;
}
