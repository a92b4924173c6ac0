import type { Cache, CacheBudget } from '../../lib/cache-budget.js';
import type { ListScope } from '../scope.js';
import type { FieldColumn } from './column.js';
import type { ColumnField } from './column-field.js';

/** The columns of one table that are in memory, by their fields. */
export class ColumnCache {
  readonly #columns: Cache<FieldColumn>;

  constructor(budget: CacheBudget) {
    this.#columns = budget.cache('columns');
  }

  /** The column in the scope's snapshot; undefined when it is not in memory. */
  find({ feed, revision }: ListScope, { key }: ColumnField): FieldColumn | undefined {
    const kept = this.#columns.get(key);
    if (kept === undefined || kept.revision > revision) return undefined;
    const changes = feed.between(kept.revision, revision);
    const column = changes && kept.follow(changes, revision);
    if (column === undefined) this.#columns.delete(key);
    else if (column !== kept) this.keep(column);
    return column;
  }

  /** Keeps a column of all objects, unless the cache has that of a later snapshot. */
  keep(column: FieldColumn): void {
    const { key } = column.field;
    if ((this.#columns.get(key)?.revision ?? 0) <= column.revision)
      this.#columns.set(key, column, column.bytes);
  }

  clear(): void {
    this.#columns.clear();
  }
}
