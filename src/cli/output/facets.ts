import type { ListGroup } from '../../list/aggregates/aggregates.js';
import type { FacetValue } from '../../list/facets/json-values.js';
import type { Facets } from '../../service/verbs.js';
import type { CliIo } from '../io.js';
import { NONE } from './columns.js';
import { openTable } from './table.js';

const TITLES = ['FACET', 'VALUE', 'COUNT'] as const;

/** Prints the frequency of values among all matches of a list, below its rows. */
export async function printFacets(
  io: CliIo,
  facets: Facets | undefined,
  { headers }: { readonly headers: boolean },
): Promise<void> {
  if (facets === undefined || io.stdout.isClosed) return;
  const table = await openTable(io, TITLES, { headers });
  for (const [field, counts] of Object.entries(facets)) {
    if (counts.length === 0) table.add([field, NONE, '0']);
    for (const { value, count } of counts)
      table.add([field, value === '' ? '""' : String(value), String(count)]);
  }
  io.stdout.paint(`\n${table.flush()}`);
}

/** Prints the groups of all matches of a list, below its rows: their values, numbers of objects, and results. */
export async function printGroups(
  io: CliIo,
  groups: readonly ListGroup[] = [],
  { headers }: { readonly headers: boolean },
): Promise<void> {
  const rows = groups.map(({ key, count, ...results }) => ({ ...key, COUNT: count, ...results }));
  if (rows[0] === undefined || io.stdout.isClosed) return;
  const table = await openTable(io, Object.keys(rows[0]), { headers });
  for (const row of rows) table.add(Object.values<FacetValue | null>(row).map(format));
  io.stdout.paint(`\n${table.flush()}`);
}

function format(value: FacetValue | null): string {
  if (value === null) return NONE;
  return value === '' ? '""' : String(value);
}
