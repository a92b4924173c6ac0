import type { FacetField } from '../../query/counts/facets.js';
import type { IdSet } from '../filter/id-set.js';
import { RECORD_COST } from '../order/sort-within.js';
import type { ListProgress } from '../plan.js';
import type { FilterRead } from '../scope.js';
import { FieldColumn } from './column.js';
import { ColumnField } from './column-field.js';

export type ColumnSource = Pick<ListProgress, 'scope' | 'known' | 'objects' | 'matches'>;

/** The column of a field, which must be one of those that were read. */
export type ColumnOf = (field: FacetField) => FieldColumn;

/** An index may cost this many times as much as the records of the matches: its column is kept for later lists. */
const INDEX_FACTOR = 4;

/**
 * The values of fields, for the matches at least: from memory; else from the indexes, whose columns are kept; or from
 * the index records of few matches.
 */
export async function readColumns(
  { scope, known, objects, matches }: ColumnSource & { readonly matches: IdSet },
  asked: readonly FacetField[],
): Promise<ColumnOf> {
  const { stats } = scope;
  const columns = new Map<string, FieldColumn>();
  const take = (column: FieldColumn, from: FilterRead['from']): void => {
    columns.set(column.field.key, column);
    stats.columns.push({ field: column.field.name, from });
  };
  const fields = new Map(asked.map((field) => [field, new ColumnField(scope.table, field)]));
  const missing = new Map<string, ColumnField>();
  for (const field of fields.values()) {
    if (columns.has(field.key)) continue;
    const column = known.columns.find(scope, field);
    if (column === undefined) missing.set(field.key, field);
    else take(column, 'memory');
  }
  const isFew = matches.size * RECORD_COST * INDEX_FACTOR <= objects * missing.size;
  for (const field of isFew ? [] : missing.values()) {
    stats.begin({ for: 'aggregates', field: field.name });
    const column = await FieldColumn.readIndex(scope, field, objects);
    if (column === undefined) continue;
    known.columns.keep(column);
    take(column, 'index');
    missing.delete(field.key);
  }
  if (missing.size > 0) {
    const rest = [...missing.values()];
    stats.begin({ for: 'aggregates', field: rest.map(({ name }) => name).join(', ') });
    for (const column of await FieldColumn.readRecords(scope, rest, matches.toArray()))
      take(column, 'records');
  }
  return (field) => {
    const column = columns.get(fields.get(field)?.key ?? '');
    if (column === undefined) throw new Error(`the column of ${field.name} was not read`);
    return column;
  };
}
