import type { ListGroup } from '../../list/aggregates/aggregates.js';
import type { FacetValue } from '../../list/facets/json-values.js';
import type { CliIo } from '../io.js';
import { NONE } from './columns.js';
import { openTable } from './table.js';

/** Prints the groups of all matches of a list, below its rows: their values, numbers of objects, and results. */
export async function printGroups(
  io: CliIo,
  groups: readonly ListGroup[] = [],
  { headers }: { readonly headers: boolean },
): Promise<void> {
  const rows = groups.map(({ key, count, ...results }) => ({ ...key, COUNT: count, ...results }));
  if (rows[0] === undefined || io.stdout.isClosed) return;
  const table = await openTable(io, Object.keys(rows[0]), headers);
  for (const row of rows) table.add(Object.values<FacetValue | null>(row).map(format));
  io.stdout.write(`\n${table.flush()}`);
}

function format(value: FacetValue | null): string {
  if (value === null) return NONE;
  return value === '' ? '""' : String(value);
}
