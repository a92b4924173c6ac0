import type { IndexRecord, SortField } from '../store/index/index-record.js';
import type { RecordChange } from '../store/log/record-changes.js';
import type { Table } from '../store/table.js';
import { predicate } from './filter/evaluate.js';
import { comparePositions, sortFields } from './order/sort-rows.js';
import { getFields, type PlannedQuery, withoutIdleOrders } from './plan.js';
import { positionIn, type SortPosition } from './sort-position.js';

/** The positions of the first and the last object of a page. */
export interface PageEnds {
  readonly first: SortPosition;
  readonly last: SortPosition;
}

/** Decides which later changes may change a page, from the condition and the order of its list. */
export class PageWindow {
  readonly #isFragile: boolean;
  readonly #holds: (record: IndexRecord) => boolean;
  readonly #order: readonly SortField[];
  readonly #compare: (a: SortPosition, b: SortPosition) => number;

  /**
   * @param ends undefined for an empty page, and for one with facets or groups: then every change of a match changes it
   */
  constructor(
    readonly table: Table,
    { condition, order, search }: PlannedQuery,
    private readonly ends: PageEnds | undefined,
  ) {
    // Scores depend on all objects of the model.
    this.#isFragile = search !== undefined;
    const fields = getFields(table, withoutIdleOrders(order));
    this.#holds = predicate(table, condition);
    this.#order = sortFields(fields);
    this.#compare = comparePositions(fields);
  }

  /** True when the page, its position among the matches and their number are the same after the change. */
  outlives({ before, after }: RecordChange): boolean {
    if (this.#isFragile) return false;
    const [was, is] = [before, after].map((record) => record !== undefined && this.#holds(record));
    if (was === false && is === false) return true;
    if (before === undefined || after === undefined || was !== is) return false;
    const side = this.#side(before);
    return side !== 'within' && side === this.#side(after);
  }

  #side(record: IndexRecord): 'before' | 'within' | 'after' {
    if (this.ends === undefined) return 'within';
    const position = positionIn(record, this.#order);
    if (this.#compare(position, this.ends.first) < 0) return 'before';
    return this.#compare(position, this.ends.last) > 0 ? 'after' : 'within';
  }
}
